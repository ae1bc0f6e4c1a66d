/**
 * The one store for all kinds: reads, and the places where writes meet storage. What is particular to a kind comes
 * from its definition.
 */
import type { Comparison } from '../../machinery/managed-fields/keep-times.ts';
import type { TypeCodec } from '../../machinery/codec/index.ts';
import { asJson, type KubeObject, metaOf } from '../../machinery/object-meta.ts';
import { type GroupResource, notFound } from '../../machinery/status.ts';
import type { LeaseId } from '../../storage/interface.ts';
import type {
  ObjectList,
  ObjectListOptions,
  ObjectStorage,
  ObjectWatch,
  ObjectWatchOptions,
  ReadVersion,
  StoredObject,
} from '../../storage/objects.ts';
import type { Admission } from '../admission.ts';
import type { ResourceDefinition, ResourceStrategy, Strategy } from '../strategy.ts';
import { toStatusError } from './store-error-answers.ts';
import { type KeyLayout, objectKey } from './keys.ts';
import type { ResourceRules } from './resource-rules.ts';
import type { WriteHooks } from './write.ts';

export interface ResourceStoreOptions {
  readonly group: string;
  readonly resource: string;
  readonly kind: string;
  readonly namespaced: boolean;
  /** `apps/v1`: what is stored. */
  readonly storageVersion: string;
  /** Its type id: `apps/v1.Deployment`. */
  readonly storedType: string;
  readonly definition: ResourceDefinition;
  /** Called at the first use: a resource that is not used costs nothing. */
  readonly openStorage: () => ObjectStorage;
  readonly layout: KeyLayout;
  /** Codec of the storage version's type. */
  readonly codec: TypeCodec;
  readonly admission: Admission;
  readonly hooks?: WriteHooks;
  readonly garbageCollection: boolean;
  /** Leases for objects with a time to live (events). */
  readonly lease?: (now: Date) => Promise<LeaseId>;
  /** Told for each update what looking for a change beside times took. */
  readonly timesCompared?: ObserveComparison | undefined;
}

export type ObserveComparison = (comparison: Comparison, seconds: number) => void;

export class ResourceStore implements ResourceRules {
  readonly group: string;
  readonly resourceName: string;
  readonly kind: { readonly group: string; readonly kind: string };
  readonly namespaced: boolean;
  readonly storageVersion: string;
  readonly storedType: string;
  readonly definition: ResourceDefinition;
  readonly layout: KeyLayout;
  readonly codec: TypeCodec;
  readonly admission: Admission;
  hooks: WriteHooks;
  readonly garbageCollection: boolean;
  readonly lease: ((now: Date) => Promise<LeaseId>) | undefined;
  readonly timesCompared: ObserveComparison | undefined;
  readonly #openStorage: () => ObjectStorage;
  #storage: ObjectStorage | undefined;

  constructor(options: ResourceStoreOptions) {
    this.group = options.group;
    this.resourceName = options.resource;
    this.kind = { group: options.group, kind: options.kind };
    this.namespaced = options.namespaced;
    this.storageVersion = options.storageVersion;
    this.storedType = options.storedType;
    this.definition = options.definition;
    this.#openStorage = options.openStorage;
    this.layout = options.layout;
    this.codec = options.codec;
    this.admission = options.admission;
    this.hooks = options.hooks ?? {};
    this.garbageCollection = options.garbageCollection;
    this.lease = options.lease;
    this.timesCompared = options.timesCompared;
  }

  get storage(): ObjectStorage {
    this.#storage ??= this.#openStorage();
    return this.#storage;
  }

  /** Whether the resource was used yet. */
  get isOpen(): boolean {
    return this.#storage !== undefined;
  }

  async close(): Promise<void> {
    await this.#storage?.[Symbol.asyncDispose]();
  }

  get groupResource(): GroupResource {
    return { group: this.group, resource: this.resourceName };
  }

  get resource(): ResourceStrategy {
    return this.definition.strategy;
  }

  strategyOf(subresource: string): Strategy {
    if (subresource === '') return this.definition.strategy;
    return (
      (subresource === 'status' ? this.definition.status : this.definition.subresources?.[subresource]) ??
      this.definition.strategy
    );
  }

  key(namespace: string, name: string): string {
    return objectKey(this.layout, namespace, name);
  }

  /** Throws 404. */
  async get(namespace: string, name: string, version: ReadVersion, signal?: AbortSignal): Promise<StoredObject> {
    const stored = await this.find(namespace, name, version, signal);
    if (stored === undefined) throw notFound(this.groupResource, name);
    return stored;
  }

  async find(
    namespace: string,
    name: string,
    version: ReadVersion,
    signal?: AbortSignal,
  ): Promise<StoredObject | undefined> {
    try {
      return await this.storage.get(this.key(namespace, name), version, signal);
    } catch (error) {
      throw toStatusError(error, 'get', this.groupResource, name);
    }
  }

  async list(options: ObjectListOptions): Promise<ObjectList> {
    try {
      return await this.storage.list(options);
    } catch (error) {
      throw toStatusError(error, 'list', this.groupResource, '');
    }
  }

  async watch(options: ObjectWatchOptions): Promise<ObjectWatch> {
    try {
      return await this.storage.watch(options);
    } catch (error) {
      throw toStatusError(error, 'watch', this.groupResource, '');
    }
  }

  /** A fresh object of the caller's own; its resourceVersion is the revision. */
  decode(stored: StoredObject): KubeObject {
    const object = this.codec.decode(stored.bytes) as KubeObject;
    if (stored.revision > 0) metaOf(object).resourceVersion = String(stored.revision);
    return object;
  }

  /** Normalized bytes: a stored object has no resourceVersion, its revision is the version. */
  encode(object: KubeObject): Buffer {
    const meta = metaOf(object);
    const version = meta.resourceVersion;
    delete meta.resourceVersion;
    try {
      return this.codec.encode(asJson(object));
    } finally {
      if (version !== undefined) meta.resourceVersion = version;
    }
  }

  /** An object that was not stored, as readers of a dry run get it. */
  unstored(object: KubeObject): StoredObject {
    const meta = metaOf(object);
    const bytes = this.encode(object);
    return {
      key: this.key(meta.namespace ?? '', meta.name ?? ''),
      revision: 0,
      bytes,
      attributes: { namespace: meta.namespace ?? '', name: meta.name ?? '', labels: new Map(), fields: new Map() },
    };
  }
}
