/** Where each resource is stored: in which store, encrypted or not, with or without a watch cache. */
import type { ResourceInfo } from '../../api/resources.ts';
import type { CleanupStack } from '../../base/cleanup-stack.ts';
import { qualified } from '../../machinery/status.ts';
import { createEventTtl } from '../../registry/core/events/event-ttl.ts';
import type { ResourceStores } from '../../registry/resource-stores.ts';
import { createWatchCache } from '../../storage/cache/watch-cache.ts';
import { StorageCounts } from '../../storage/storage-counts.ts';
import { countDecodeErrors } from '../../storage/decode-object.ts';
import { createDirectObjectStorage } from '../../storage/direct-storage.ts';
import type { Encryption } from '../../storage/encryption/encryption.ts';
import type { LeaseId, Store } from '../../storage/interface.ts';
import type { ObjectCodec, ObjectStorage } from '../../storage/objects.ts';
import { observeStore } from '../../storage/observed-store.ts';
import { traceReads, traceStore } from '../metrics/store-spans.ts';
import { type CountedStorage, createStorageMetrics } from '../metrics/storage-metrics.ts';
import type { SharedDependencies } from './shared-dependencies.ts';
import type { Loopback } from './loopback.ts';

type StoredResource = Pick<ResourceInfo, 'group' | 'name' | 'storage' | 'apiVersion'> &
  Partial<Pick<ResourceInfo, 'kind' | 'type'>>;

export interface ResourceStorage {
  readonly storeOf: (group: string, resource: string) => Store;
  /** The store of a resource's objects, in the clear; its calls are counted. */
  readonly objectStoreOf: (resource: StoredResource) => Store;
  /** Opens the objects of a resource. */
  readonly open: (resource: ResourceInfo, prefix: string, codec: ObjectCodec) => ObjectStorage;
  /** Ends events after their time. */
  readonly eventLease: () => Promise<LeaseId>;
}

export function createResourceStorage(
  { config: { storage, log, tracing }, metrics, featureEnabled }: SharedDependencies,
  { stores }: Loopback,
  encryption: Encryption | undefined,
  cleanup: CleanupStack,
): ResourceStorage {
  const storageMetrics = createStorageMetrics(metrics.registry, () => openStorages(stores, storage.prefix));
  const waitsForStore = !featureEnabled('ResilientWatchCacheInitialization');
  const storeOf = (group: string, resource: string): Store =>
    storage.overrides.get(`${group}/${resource}`) ?? storage.store;
  const objectStoreOf = (info: StoredResource): Store => {
    const resource = qualified({ group: info.group, resource: info.name });
    const counted = storageMetrics.observerOf(resource);
    const within = tracing === undefined ? undefined : traceStore(resource, typeOf(info));
    const observed = observeStore(storeOf(info.group, info.name), counted, within);
    return encryption?.wrap(observed, { group: storedGroupOf(info), resource: info.name }) ?? observed;
  };
  // Watches end when their storage does, which lets their connections go.
  cleanup.add(() => stores.close());
  return {
    storeOf,
    objectStoreOf,
    open(info, prefix, codec) {
      const counts = new StorageCounts();
      counts.waited = storageMetrics.waitsOf(qualified({ group: info.group, resource: info.name }));
      const shared = { store: objectStoreOf(info), prefix, counts, namespaced: info.namespaced, log };
      const options = { ...shared, codec: countDecodeErrors(codec, counts) };
      if (!storage.usesWatchCache(info.group, info.name)) return createDirectObjectStorage(options);
      const cache = createWatchCache({ ...options, indexedFields: indexedFieldsOf(info), waitsForStore });
      return tracing === undefined ? cache : traceReads(cache, qualified({ group: info.group, resource: info.name }));
    },
    eventLease: createEventTtl({
      store: storeOf('', 'events'),
      ttlMs: storage.eventTtlMs,
      reuseSeconds: storage.leaseReuseSeconds,
      onReplaced: (events) => storageMetrics.leaseReplaced(events),
    }),
  };
}

const indexedFieldsOf = ({ group, name }: ResourceInfo): string[] =>
  group === '' && name === 'pods' ? ['spec.nodeName'] : [];

/** Events are of the core group in the store, whichever group is asked for them. */
function storedGroupOf({ storage, apiVersion }: StoredResource): string {
  const [group = ''] = (storage?.apiVersion ?? apiVersion).split('/').slice(0, -1);
  return group;
}

/** As spans name it: `*core.Pod`. Custom resources are of one type. */
function typeOf(info: StoredResource): string {
  if (info.type === undefined || info.type.startsWith('custom:')) return '*unstructured.Unstructured';
  const [group = ''] = storedGroupOf(info).split('.');
  return `*${group === '' ? 'core' : group}.${info.kind}`;
}

const openStorages = ({ stores }: ResourceStores, storePrefix: string): CountedStorage[] =>
  stores
    .filter(({ isOpen }) => isOpen)
    .map(({ groupResource, storage: { prefix, counts } }) => ({
      resource: qualified(groupResource),
      prefix: prefix.slice(storePrefix.length, -1),
      counts,
    }));
