/**
 * The resources of a server: one store per resource, one served version per API version.
 */
import { findResource, type GroupVersionInfo, type ResourceInfo, type StorageInfo } from '../api/resources.ts';
import type { Codecs } from '../machinery/codec/index.ts';
import type { AttributesScanner, NamedPaths } from '../machinery/codec/attributes-scanner.ts';
import type { SchemaRegistry } from '../machinery/schema.ts';
import type { LeaseId, Store } from '../storage/interface.ts';
import type { ObjectCodec, ObjectStorage } from '../storage/objects.ts';
import type { Admission } from './admission.ts';
import { definitionOf, hasDefinition } from './resource-definitions.ts';
import type { ResourceDefinition } from './strategy.ts';
import { createStorageCodec, type StorageMediaType } from './generic/storage-codec.ts';
import { type ObserveComparison, ResourceStore } from './generic/resource-store.ts';
import { createServedVersion, type ServedVersion } from './generic/served-version.ts';
import type { WriteHooks } from './generic/write.ts';
import { ResourceStores } from './resource-stores.ts';

export interface CatalogOptions {
  /** Gets the stores; a directory of its own unless given. */
  readonly stores?: ResourceStores;
  readonly groupVersions: readonly GroupVersionInfo[];
  readonly schemas: SchemaRegistry;
  readonly codecs: Codecs;
  /** Reads index attributes of a type: namespace, name, labels, and these fields. */
  readonly scanner: (typeId: string, fields: readonly (string | NamedPaths)[]) => AttributesScanner;
  /** `/registry` */
  readonly storePrefix: string;
  readonly mediaType: StorageMediaType;
  /** The store that a resource lies in. */
  readonly storeOf: (resource: { readonly group: string; readonly resourceName: string }) => Store;
  /** Opens the objects of one resource. Called at the first use of the resource. */
  readonly openStorage: (resource: ResourceInfo, prefix: string, codec: ObjectCodec) => ObjectStorage;
  readonly admission: Admission;
  readonly garbageCollection: boolean;
  /** By `group/resource`. */
  readonly hooks: ReadonlyMap<string, WriteHooks>;
  /** Leases for events. */
  readonly eventLease: (now: Date) => Promise<LeaseId>;
  readonly timesCompared?: ObserveComparison;
}

export interface CatalogEntry {
  readonly info: ResourceInfo;
  readonly servedVersion: ServedVersion;
  /** Absent for virtual types. */
  readonly store: ResourceStore | undefined;
  /** All versions in which the same objects are served, by apiVersion; this one is among them. */
  readonly servedVersions: ReadonlyMap<string, ServedVersion>;
}

export interface RegistryCatalog extends Pick<ResourceStores, 'storeOf' | 'kindOf' | 'stores' | 'add' | 'remove'> {
  /** By apiVersion, then by plural name. */
  readonly entries: ReadonlyMap<string, ReadonlyMap<string, CatalogEntry>>;
  /**
   * A store has dropped its history below a revision: caches over it forget it too, so that versions expire on all
   * replicas alike.
   */
  compacted(store: Store, revision: number): void;
}

export function createCatalog(options: CatalogOptions): RegistryCatalog {
  const { stores = new ResourceStores() } = options;
  const entries = new Map<string, Map<string, CatalogEntry>>();
  const formsOfStored = new Map<string, Map<string, ServedVersion>>();
  for (const groupVersion of options.groupVersions) {
    const resources = new Map<string, CatalogEntry>();
    for (const info of groupVersion.resources) {
      if (info.storage !== undefined && stores.storeOf(info.group, info.name) === undefined)
        stores.addBuiltIn(info.group, createStore(options, info));
      const servedVersion = servedVersionOf(options, info);
      const servedVersions = entryOf(
        formsOfStored,
        `${info.storage?.apiVersion ?? info.apiVersion}/${info.name}`,
        () => new Map<string, ServedVersion>(),
      );
      servedVersions.set(info.apiVersion, servedVersion);
      const entry = { info, servedVersion, store: stores.storeOf(info.group, info.name), servedVersions };
      resources.set(info.name, entry);
      stores.addBuiltInKind(entry);
    }
    entries.set(groupVersion.apiVersion, resources);
  }
  const compacted = (store: Store, revision: number): void => {
    for (const resource of stores.stores)
      if (resource.isOpen && options.storeOf(resource) === store) resource.storage.compacted?.(revision);
  };
  return {
    entries,
    compacted,
    get stores() {
      return stores.stores;
    },
    storeOf: (group, resource) => stores.storeOf(group, resource),
    kindOf: (apiVersion, kind) => stores.kindOf(apiVersion, kind),
    add: (store, kinds) => stores.add(store, kinds),
    remove: (store, kinds) => stores.remove(store, kinds),
  };
}

function entryOf<V>(map: Map<string, V>, key: string, make: () => V): V {
  let value = map.get(key);
  if (value === undefined) map.set(key, (value = make()));
  return value;
}

function servedVersionOf({ codecs, schemas }: CatalogOptions, info: ResourceInfo): ServedVersion {
  const stored =
    info.storage === undefined ? info.type : (schemas.ofKind(info.storage.apiVersion, info.kind) ?? info.type);
  return createServedVersion({
    apiVersion: info.apiVersion,
    kind: info.kind,
    listKind: info.listKind ?? `${info.kind}List`,
    typeId: info.type,
    storedTypeId: stored,
    codecs,
    rules: definitionOf(info.group, info.name).versions?.[info.version],
  });
}

/** Any version, served or not: old servers may have stored it. */
function anyVersion(
  options: CatalogOptions,
  info: ResourceInfo,
  apiVersion: string,
  kind: string,
): ServedVersion | undefined {
  const typeId = options.schemas.ofKind(apiVersion, kind);
  if (typeId === undefined) return undefined;
  const version = apiVersion.slice(apiVersion.indexOf('/') + 1);
  return createServedVersion({
    apiVersion,
    kind,
    listKind: `${kind}List`,
    typeId,
    storedTypeId: options.schemas.ofKind(info.storage!.apiVersion, info.kind) ?? info.type,
    codecs: options.codecs,
    rules: definitionIn(groupOf(apiVersion), info).versions?.[version],
  });
}

const groupOf = (apiVersion: string): string =>
  apiVersion.includes('/') ? apiVersion.slice(0, apiVersion.indexOf('/')) : '';

/**
 * A second group that serves the resource may have its own version of it (events); one that served it once has none.
 */
const definitionIn = (group: string, info: ResourceInfo): ResourceDefinition =>
  definitionOf(hasDefinition(group, info.name) ? group : info.group, info.name);

const scannedField =
  ({ fieldPaths = {} }: StorageInfo) =>
  (name: string): string | NamedPaths =>
    Object.hasOwn(fieldPaths, name) ? { name, paths: fieldPaths[name]! } : name;

function createStore(options: CatalogOptions, info: ResourceInfo): ResourceStore {
  const storage = info.storage!;
  const prefix = `${options.storePrefix}/${storage.prefix}/`;
  const definition = definitionOf(info.group, info.name);
  const storedVersion = findResource(storage.apiVersion, info.name) ?? info;
  const stored = anyVersion(options, info, storage.apiVersion, storedVersion.kind) ?? servedVersionOf(options, info);
  const hooks = options.hooks.get(`${info.group}/${info.name}`);
  const codec = createStorageCodec({
    stored,
    others: (apiVersion, kind) => anyVersion(options, info, apiVersion, kind),
    mediaType: options.mediaType,
    scan: options.scanner(stored.typeId, storage.fieldSelectors.map(scannedField(storage))),
    ...(hooks?.complete === undefined ? {} : { complete: hooks.complete }),
    ...(definition.untypedVersions === undefined ? {} : { untyped: definition.untypedVersions }),
  });
  return new ResourceStore({
    // Errors name the group of the stored kind, whichever group is asked.
    group: groupOf(storage.apiVersion),
    resource: info.name,
    kind: info.kind,
    namespaced: info.namespaced,
    storageVersion: storage.apiVersion,
    storedType: stored.typeId,
    definition,
    openStorage: () => options.openStorage(info, prefix, codec),
    layout: { prefix, namespaced: info.namespaced },
    codec: stored.codec,
    admission: options.admission,
    garbageCollection: options.garbageCollection,
    timesCompared: options.timesCompared,
    ...(hooks === undefined ? {} : { hooks }),
    ...(info.name === 'events' ? { lease: options.eventLease } : {}),
  });
}
