import { StorageError } from './storage-error.ts';
import { encryptedRead, isEncrypted } from './encryption/identity.ts';
import type { KeyValue } from './interface.ts';
import type { ObjectCodec, StoredObject } from './objects.ts';
import type { StorageCounts } from './storage-counts.ts';

/** A stored value, and why it cannot be decrypted where that is so. */
export type StoredValue = Pick<KeyValue, 'key' | 'value' | 'modRevision' | 'unreadable'>;

/** Decodes a stored value; one that cannot be read is an `Internal` error that names its key. */
export function decodeObject(codec: ObjectCodec, kv: StoredValue): StoredObject {
  if (kv.unreadable !== undefined) throw undecryptable(kv, kv.unreadable);
  try {
    return codec.decode(kv.key, kv.value, kv.modRevision);
  } catch (cause) {
    throw isEncrypted(kv.value) ? undecryptable(kv, encryptedRead()) : unreadable(kv.key, kv.modRevision, cause);
  }
}

/** The same codec; what it cannot decode is counted. A value that is encrypted is no such one. */
export const countDecodeErrors = (codec: ObjectCodec, counts: StorageCounts): ObjectCodec => ({
  decode(key, value, revision) {
    try {
      return codec.decode(key, value, revision);
    } catch (error) {
      if (!isEncrypted(value)) counts.decodeErrors++;
      throw error;
    }
  },
  encode: (key, bytes) => codec.encode(key, bytes),
});

/** One of many: what cannot be decrypted is told with its key, as upstream does in lists. */
export function decodeListed(codec: ObjectCodec, kv: StoredValue): StoredObject {
  try {
    return decodeObject(codec, kv);
  } catch (error) {
    if (!(error instanceof UndecryptableError)) throw error;
    throw new UndecryptableError(`unable to transform key ${JSON.stringify(kv.key)}: ${error.message}`, {
      key: kv.key,
      revision: kv.modRevision,
      cause: error.cause,
    });
  }
}

/** The value is encrypted, and the key is not at hand. It can be tomorrow. */
export class UndecryptableError extends StorageError {
  constructor(message: string, details: { readonly key: string; readonly revision: number; readonly cause: unknown }) {
    super('Internal', message, details);
  }
}

const undecryptable = ({ key, modRevision }: StoredValue, cause: Error): UndecryptableError =>
  new UndecryptableError(cause.message, { key, revision: modRevision, cause });

export function unreadable(key: string, revision: number, cause: unknown): StorageError {
  return new StorageError('Internal', `the object stored at ${key} cannot be read`, { key, revision, cause });
}
