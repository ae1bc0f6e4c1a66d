import type { KubeObject } from '../../machinery/object-meta.ts';
import type { ResourceStore } from '../../registry/generic/resource-store.ts';
import type { StoredObject } from '../../storage/objects.ts';

/**
 * Stored objects, decoded, for readers inside the server: each version is decoded once for all readers, and dropped
 * with its bytes. The objects are shared and must not be changed.
 */
export type SharedDecoder = <T extends KubeObject>(store: ResourceStore, stored: StoredObject) => T;

export function createSharedDecoder(): SharedDecoder {
  const decoded = new WeakMap<StoredObject, KubeObject>();
  return <T extends KubeObject>(store: ResourceStore, stored: StoredObject): T => {
    let object = decoded.get(stored);
    if (object === undefined) decoded.set(stored, (object = store.decode(stored)));
    return object as T;
  };
}
