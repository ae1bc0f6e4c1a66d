import { StorageError } from './errors.ts';
import type { KeyValue } from './interface.ts';
import type { ObjectCodec, StoredObject } from './objects.ts';

/** Opens a stored value; one that cannot be read is an `Internal` error that names its key. */
export function openObject(codec: ObjectCodec, kv: Pick<KeyValue, 'key' | 'value' | 'modRevision'>): StoredObject {
  try {
    return codec.open(kv.key, kv.value, kv.modRevision);
  } catch (cause) {
    throw unreadable(kv.key, kv.modRevision, cause);
  }
}

export function unreadable(key: string, revision: number, cause: unknown): StorageError {
  return new StorageError('Internal', `the object stored at ${key} cannot be read`, { key, revision, cause });
}
