import { access, constants } from 'node:fs/promises';
import { makeDirectories } from '../base/make-directories.ts';
import { describeFileError } from '../base/file-error.ts';
import { UserError } from './user-error.ts';

/** Makes the directory if need be, for its owner only, and sees whether it can be written to. */
export async function prepareDataDir(directory: string, flag = '--data-dir'): Promise<void> {
  try {
    await makeDirectories(directory, 0o700);
    await access(directory, constants.R_OK | constants.W_OK | constants.X_OK);
  } catch (error) {
    throw new UserError(
      `cannot write to ${directory}: ${describeFileError(error)}; choose another directory with ${flag}`,
      { cause: error },
    );
  }
}
