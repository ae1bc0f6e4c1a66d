/** Objects that the server itself keeps in the API. They are written as clients write, and owned by name. */
import type { FieldManager } from '../../machinery/managed-fields/field-manager.ts';
import { asJson, type KubeObject, metaOf } from '../../machinery/object-meta.ts';
import { isStatusError } from '../../machinery/status.ts';
import type { JsonObject } from '../../machinery/value.ts';
import type { RegistryCatalog } from '../../registry/catalog.ts';
import { createObject } from '../../registry/generic/create.ts';
import { deleteObject } from '../../registry/generic/delete.ts';
import { internalRequest } from '../../registry/generic/internal-request.ts';
import type { ResourceStore } from '../../registry/generic/resource-store.ts';
import { updateObject } from '../../registry/generic/update-object.ts';
import type { WriteRequest } from '../../registry/generic/write.ts';

export interface LoopbackClientOptions {
  readonly registry: Pick<RegistryCatalog, 'storeOf'>;
  readonly fieldManager: FieldManager;
  readonly enabled: (gate: string) => boolean;
  /** The manager in managed fields; `kube-apiserver` unless given. */
  readonly manager?: string;
  /** Once it has aborted, every call rejects with its reason; what is being read or written then is not cut off. */
  readonly signal?: AbortSignal;
}

export interface ObjectName {
  readonly group: string;
  readonly resource: string;
  readonly namespace: string;
  readonly name: string;
}

/** What upstream's servers call themselves in managed fields. */
const serverName = 'kube-apiserver';

export class LoopbackClient {
  readonly #options: LoopbackClientOptions;

  constructor(options: LoopbackClientOptions) {
    this.#options = options;
  }

  /** The same under another name. */
  as(manager: string): LoopbackClient {
    return new LoopbackClient({ ...this.#options, manager });
  }

  /** The same for work that ends with the signal, at its next call. */
  until(signal: AbortSignal): LoopbackClient {
    return new LoopbackClient({ ...this.#options, signal });
  }

  isServed({ group, resource }: Pick<ObjectName, 'group' | 'resource'>): boolean {
    return this.#options.registry.storeOf(group, resource) !== undefined;
  }

  /** As it is now. */
  async find<T extends KubeObject>(name: ObjectName): Promise<T | undefined> {
    const store = this.#store(name);
    const stored = await store.find(name.namespace, name.name, { match: 'mostRecent' });
    return stored === undefined ? undefined : (store.decode(stored) as T);
  }

  /** All objects of a cluster-wide resource. With `any`, as the cache has them, which can be a moment behind. */
  async list<T extends KubeObject>(
    resource: Pick<ObjectName, 'group' | 'resource'>,
    match: 'any' | 'mostRecent',
  ): Promise<T[]> {
    const store = this.#store(resource);
    const { objects } = await store.list({ version: { match } });
    return objects.map((stored) => store.decode(stored) as T);
  }

  /** Does nothing when it is there. */
  async create(name: ObjectName, object: KubeObject): Promise<void> {
    await this.createNew(name, object);
  }

  /** Whether it was created: not when there is one. */
  async createNew(name: ObjectName, object: KubeObject): Promise<boolean> {
    const store = this.#store(name);
    const request = this.#request(store, name, '');
    object.metadata = { ...object.metadata, name: name.name, namespace: name.namespace };
    setDefaults(store, object);
    try {
      await createObject(
        store,
        object,
        { admit: (candidate) => this.#own(store, candidate, undefined, request), validate: () => Promise.resolve() },
        request,
      );
      return true;
    } catch (error) {
      if (!isStatusError(error) || error.reason !== 'AlreadyExists') throw error;
      return false;
    }
  }

  /** Reads, changes, writes; again after a conflict. Throws 404. */
  async change<T extends KubeObject>(
    name: ObjectName,
    change: (object: T) => void,
    subresource: '' | 'status' = '',
  ): Promise<void> {
    await this.changed(name, change, subresource);
  }

  /** The same, and the object as it is then. */
  async changed<T extends KubeObject>(
    name: ObjectName,
    change: (object: T) => void,
    subresource: '' | 'status' = '',
  ): Promise<T> {
    const store = this.#store(name);
    const request = { ...this.#request(store, name, name.name), subresource };
    const { stored } = await updateObject(
      store,
      {
        change: (_current, copy) => {
          const object = copy();
          change(object as T);
          setDefaults(store, object);
          return object;
        },
        admit: (object, old) => this.#own(store, object, old, request),
        validate: () => Promise.resolve(),
      },
      { allowCreate: false },
      request,
    );
    return store.decode(stored) as T;
  }

  /** Server-side apply of a status, which takes fields from their managers (force). Throws 404. */
  async applyStatus(name: ObjectName, status: JsonObject): Promise<void> {
    const store = this.#store(name);
    const request = { ...this.#request(store, name, name.name), subresource: 'status' };
    const { kind } = store.kind;
    const config = { apiVersion: store.storageVersion, kind, metadata: { name: name.name }, status };
    await updateObject(
      store,
      {
        change: (_current, copy) => {
          const { object, changed } = this.#options.fieldManager.apply({
            ...this.#ownership(store, request),
            live: copy(),
            config,
            kind,
            force: true,
          });
          return changed ? (store.codec.normalize(asJson(object)).value as KubeObject) : object;
        },
        admit: () => Promise.resolve(),
        validate: () => Promise.resolve(),
      },
      { allowCreate: false },
      request,
    );
  }

  /** @param uid of the object that is meant; another one of the name is a conflict */
  async remove(name: ObjectName, uid?: string): Promise<void> {
    const store = this.#store(name);
    const options = uid === undefined ? {} : { preconditions: { uid } };
    await deleteObject(store, options, () => Promise.resolve(), this.#request(store, name, name.name));
  }

  #store({ group, resource }: Pick<ObjectName, 'group' | 'resource'>): ResourceStore {
    this.#options.signal?.throwIfAborted();
    const store = this.#options.registry.storeOf(group, resource);
    if (store === undefined) throw new Error(`${resource}.${group} is not served`);
    return store;
  }

  #request(store: ResourceStore, { namespace }: ObjectName, name: string): WriteRequest {
    return internalRequest(store, { namespace, name, enabled: this.#options.enabled });
  }

  #own(store: ResourceStore, object: KubeObject, old: KubeObject | undefined, request: WriteRequest): Promise<void> {
    const managedFields = this.#options.fieldManager.update({ ...this.#ownership(store, request), live: old, object });
    if (managedFields !== undefined) metaOf(object).managedFields = managedFields;
    return Promise.resolve();
  }

  #ownership(store: ResourceStore, { context, subresource }: WriteRequest) {
    return {
      manager: this.#options.manager ?? serverName,
      subresource,
      apiVersion: store.storageVersion,
      typeId: store.storedType,
      now: context.now,
      resetFields: store.strategyOf(subresource).resetFields ?? [],
    };
  }
}

function setDefaults(store: ResourceStore, object: KubeObject): void {
  const version = store.storageVersion.slice(store.storageVersion.indexOf('/') + 1);
  store.definition.versions?.[version]?.defaults?.(object);
}
