/** For `catch`: a file that is not there is undefined, and one that cannot be read is an error. */
export function undefinedWhenAbsent(error: unknown): undefined {
  if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
}
