/**
 * What the parts of the server read of the API's objects: typed, decoded once per version of an object, answered from
 * the cache.
 */
import type { KubeObject } from '../../machinery/object-meta.ts';
import type { RegistryCatalog } from '../../registry/catalog.ts';
import type { ResourceStore } from '../../registry/generic/resource-store.ts';
import type { SharedDecoder } from './shared-decoder.ts';

/** Objects are shared between requests and must not be changed. A resource that is not served has none. */
export interface CachedObjects {
  /** As the cache has it, which can be a moment behind. */
  find<T extends KubeObject>(group: string, resource: string, namespace: string, name: string): Promise<T | undefined>;
  /** Not older than any write acknowledged before the call: what a refusal is based on. */
  findFresh<T extends KubeObject>(
    group: string,
    resource: string,
    namespace: string,
    name: string,
  ): Promise<T | undefined>;
  /** All objects of a resource, or those of one namespace, as the cache has them. */
  list<T extends KubeObject>(group: string, resource: string, namespace?: string): Promise<readonly T[]>;
}

export function createCachedObjects(registry: Pick<RegistryCatalog, 'storeOf'>, decode: SharedDecoder): CachedObjects {
  const read = async <T extends KubeObject>(
    store: ResourceStore | undefined,
    namespace: string,
    name: string,
    match: 'any' | 'mostRecent',
  ): Promise<T | undefined> => {
    const stored = await store?.find(namespace, name, { match });
    return stored === undefined ? undefined : decode<T>(store!, stored);
  };
  return {
    find: (group, resource, namespace, name) => read(registry.storeOf(group, resource), namespace, name, 'any'),
    findFresh: (group, resource, namespace, name) =>
      read(registry.storeOf(group, resource), namespace, name, 'mostRecent'),
    list: async (group, resource, namespace) => {
      const store = registry.storeOf(group, resource);
      if (store === undefined) return [];
      const { objects } = await store.list({
        version: { match: 'any' },
        ...(namespace === undefined ? {} : { selection: { namespace } }),
      });
      return objects.map((stored) => decode(store, stored));
    },
  };
}
