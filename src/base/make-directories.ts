import { mkdir, stat } from 'node:fs/promises';
import { dirname } from 'node:path';

/**
 * Makes a directory and those above it. Node's own way never ends where the system has no place for one, such as below
 * `/proc`.
 *
 * @param path absolute or relative to the working directory
 * @param mode of those that are made; what the process is set to when absent
 * @returns the first that was made; undefined when all were there
 * Errors are those of `mkdir(2)`: `EEXIST` where a file is in the way, `ENOENT` where there can be no directory.
 */
export async function makeDirectories(path: string, mode?: number): Promise<string | undefined> {
  try {
    return await make(path, mode);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT' || dirname(path) === path) throw error;
  }
  const above = await makeDirectories(dirname(path), mode);
  const made = await make(path, mode);
  return above ?? made;
}

async function make(path: string, mode: number | undefined): Promise<string | undefined> {
  try {
    await mkdir(path, { mode });
    return path;
  } catch (error) {
    // It may be there, or another process may have been faster.
    if ((error as NodeJS.ErrnoException).code === 'EEXIST' && (await stat(path)).isDirectory()) return undefined;
    throw error;
  }
}
