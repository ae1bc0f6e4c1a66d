/**
 * Files and directories that hold secrets: for their owner only, whatever the process's umask and the directory around
 * them say.
 */
import { chmod, type FileHandle, open, stat } from 'node:fs/promises';
import type { Logger } from './logger.ts';

export const privateFileMode = 0o600;
export const privateDirectoryMode = 0o700;

const others = 0o077;
const permissions = 0o777;

/**
 * Gives what is there the mode, for its owner only. Wider permissions are told to the log; so is it when they cannot be
 * taken back, because another user owns it. Nothing happens where nothing is.
 */
export async function makePrivate(path: string, mode: number, log: Logger): Promise<void> {
  // Windows knows no such permissions.
  if (process.platform === 'win32') return;
  const found = await stat(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') log.warn({ path, err: error }, 'the permissions of this could not be looked at');
  });
  if (found === undefined || (found.mode & permissions) === mode) return;
  const before = octal(found.mode & permissions);
  try {
    await chmod(path, (found.mode & ~permissions & 0o7777) | mode);
  } catch (error) {
    if ((found.mode & others) !== 0)
      log.warn(
        { path, mode: before, err: error },
        'other users of this machine may read this, and the permissions cannot be narrowed',
      );
    return;
  }
  if ((found.mode & others) !== 0)
    log.warn(
      { path, before, now: octal(mode) },
      'the permissions let other users of this machine in, and were narrowed',
    );
}

/**
 * Makes an empty file for its owner only, unless it is there: what opens it later to write does not choose its
 * permissions.
 */
export async function createPrivateFile(path: string): Promise<void> {
  try {
    const file = await open(path, 'wx', privateFileMode);
    await setMode(file, privateFileMode).finally(() => file.close());
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
}

/**
 * Gives a file that was just made the mode: the umask may have taken rights from its owner too. Some file systems know
 * no modes.
 */
export async function setMode(file: FileHandle, mode: number): Promise<void> {
  if (((await file.stat()).mode & permissions) !== mode) await file.chmod(mode).catch(() => undefined);
}

const octal = (mode: number): string => `0${mode.toString(8).padStart(3, '0')}`;
