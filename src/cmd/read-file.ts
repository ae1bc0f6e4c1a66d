import { readFile } from 'node:fs/promises';
import type { ReloadableText, ReloadableFiles } from '../base/reloadable-file.ts';
import { UserError } from './user-error.ts';
import { describeFileError } from '../base/file-error.ts';

/**
 * Reads a file that a flag names. The error says which flag, and why in the words operators know.
 * @param check throws for invalid content
 */
export async function readFlagFile(
  flag: string,
  path: string | undefined,
  check: (text: string) => void = () => undefined,
): Promise<string | undefined> {
  if (path === undefined) return undefined;
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch (error) {
    throw new UserError(`--${flag}: open ${path}: ${describeFileError(error)}`, { cause: error });
  }
  try {
    check(text);
  } catch (error) {
    throw new UserError(`--${flag}: ${path}: ${(error as Error).message}`, { cause: error });
  }
  return text;
}

/**
 * The same for a file that is reloaded while the server runs.
 * @param check throws or rejects for invalid content
 */
export async function watchFlagFile(
  files: ReloadableFiles,
  flag: string,
  path: string,
  check?: (text: string) => void | Promise<void>,
): Promise<ReloadableText> {
  let read = false;
  try {
    return await files.watch(path, async (text) => {
      read = true;
      await check?.(text);
    });
  } catch (error) {
    throw new UserError(
      read ? `--${flag}: ${path}: ${(error as Error).message}` : `--${flag}: open ${path}: ${describeFileError(error)}`,
      { cause: error },
    );
  }
}
