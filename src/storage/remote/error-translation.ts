/** Storage errors between threads: a clone of one would lose its class, and with it its reason. */
import type { ErrorTranslation } from '../../base/message-port-calls.ts';
import { StorageError, type StorageReason } from '../storage-error.ts';

interface EncodedError {
  readonly message: string;
  readonly name: string;
  readonly reason?: StorageReason;
  readonly key?: string;
  readonly revision?: number;
}

export const storageErrors: ErrorTranslation = {
  encode(error): EncodedError {
    if (!(error instanceof Error)) return { name: 'Error', message: String(error) };
    const { name, message } = error;
    if (!(error instanceof StorageError)) return { name, message };
    const { reason, key, revision } = error;
    return {
      name,
      message,
      reason,
      ...(key === undefined ? {} : { key }),
      ...(revision === undefined ? {} : { revision }),
    };
  },
  decode(encoded) {
    const { name, message, reason, key, revision } = encoded as EncodedError;
    if (reason !== undefined)
      return new StorageError(reason, message, {
        ...(key === undefined ? {} : { key }),
        ...(revision === undefined ? {} : { revision }),
      });
    const error = new Error(message);
    error.name = name;
    return error;
  },
};
