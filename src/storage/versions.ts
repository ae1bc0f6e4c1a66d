import { StorageError } from './storage-error.ts';

/** A version nobody has seen yet, also after waiting for it. Clients match on the wording. */
export function tooLargeVersion(requested: number, current: number): StorageError {
  return new StorageError('Timeout', `Too large resource version: ${requested}, current: ${current}`, {
    revision: current,
  });
}
