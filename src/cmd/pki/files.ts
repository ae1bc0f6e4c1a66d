import { randomUUID } from 'node:crypto';
import { open, readFile, rename, rm, stat } from 'node:fs/promises';
import { privateFileMode, setMode } from '../../base/private-files.ts';
import { describeFileError } from '../../base/file-error.ts';
import { UserError } from '../user-error.ts';

/**
 * Writes a file completely or not at all: written beside it, synced, renamed. Readable by its owner only. An existing
 * file stays, so that a full disk does not prevent a restart. Throws {@link UserError}.
 */
export async function writePrivateFile(path: string, content: string): Promise<void> {
  if (await isInPlace(path, content)) return;
  const temporary = `${path}.${randomUUID()}.tmp`;
  try {
    const file = await open(temporary, 'wx', privateFileMode);
    try {
      await setMode(file, privateFileMode);
      await file.writeFile(content);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(temporary, path);
  } catch (error) {
    await rm(temporary, { force: true });
    throw new UserError(`cannot write ${path}: ${describeFileError(error)}`, { cause: error });
  }
}

async function isInPlace(path: string, content: string): Promise<boolean> {
  try {
    const { mode } = await stat(path);
    return (mode & 0o077) === 0 && (await readFile(path, 'utf8')) === content;
  } catch {
    return false;
  }
}
