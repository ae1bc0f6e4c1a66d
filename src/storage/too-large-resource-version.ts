import { StorageError } from './storage-error.ts';

/** A version in the future, also after waiting for it. Clients match on the message. */
export function tooLargeResourceVersion(requested: number, current: number): StorageError {
  return new StorageError('Timeout', `Too large resource version: ${requested}, current: ${current}`, {
    revision: current,
  });
}
