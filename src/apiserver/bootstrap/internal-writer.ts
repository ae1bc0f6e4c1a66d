/** Objects that the server itself keeps in the API. They are written as clients write, and owned by name. */
import type { FieldManager } from '../../machinery/managed-fields/field-manager.ts';
import { type KubeObject, metaOf } from '../../machinery/object-meta.ts';
import { isStatusError } from '../../machinery/status.ts';
import type { RegistryCatalog } from '../../registry/catalog.ts';
import { createObject } from '../../registry/generic/create.ts';
import { deleteObject } from '../../registry/generic/delete.ts';
import { internalRequest } from '../../registry/generic/internal-request.ts';
import type { ResourceStore } from '../../registry/generic/resource-store.ts';
import { updateObject } from '../../registry/generic/update-object.ts';
import type { WriteRequest } from '../../registry/generic/write.ts';

export interface InternalWriterOptions {
  readonly registry: RegistryCatalog;
  readonly fieldManager: FieldManager;
  readonly enabled: (gate: string) => boolean;
}

export interface ObjectName {
  readonly group: string;
  readonly resource: string;
  readonly namespace: string;
  readonly name: string;
}

/** What upstream's servers call themselves in managed fields. */
const manager = 'kube-apiserver';

export class InternalWriter {
  readonly #options: InternalWriterOptions;

  constructor(options: InternalWriterOptions) {
    this.#options = options;
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

  /** Does nothing when it is there. */
  async create(name: ObjectName, object: KubeObject): Promise<void> {
    const store = this.#store(name);
    const request = this.#request(store, name, '');
    object.metadata = { ...object.metadata, name: name.name, namespace: name.namespace };
    setDefaults(store, object);
    try {
      await createObject(store, object, { admit: (candidate) => this.#own(store, candidate, undefined, request), validate: () => Promise.resolve() }, request);
    } catch (error) {
      if (!isStatusError(error) || error.reason !== 'AlreadyExists') throw error;
    }
  }

  /** Reads, changes, writes; again when somebody else was faster. Throws 404. */
  async change<T extends KubeObject>(name: ObjectName, change: (object: T) => void): Promise<void> {
    const store = this.#store(name);
    const request = this.#request(store, name, name.name);
    await updateObject(store, {
      change: (_current, copy) => {
        const object = copy();
        change(object as T);
        setDefaults(store, object);
        return object;
      },
      admit: (object, old) => this.#own(store, object, old, request),
      validate: () => Promise.resolve(),
    }, { allowCreate: false }, request);
  }

  async remove(name: ObjectName): Promise<void> {
    const store = this.#store(name);
    await deleteObject(store, {}, () => Promise.resolve(), this.#request(store, name, name.name));
  }

  #store({ group, resource }: ObjectName): ResourceStore {
    const store = this.#options.registry.storeOf(group, resource);
    if (store === undefined) throw new Error(`${resource}.${group} is not served`);
    return store;
  }

  #request(store: ResourceStore, { namespace }: ObjectName, name: string): WriteRequest {
    return internalRequest(store, { namespace, name, enabled: this.#options.enabled });
  }

  #own(store: ResourceStore, object: KubeObject, old: KubeObject | undefined, { context }: WriteRequest): Promise<void> {
    const owned = this.#options.fieldManager.update({
      live: old, object, manager, subresource: '', apiVersion: store.storageVersion, typeId: store.storedType, now: context.now, resetFields: store.resource.resetFields ?? [],
    });
    const fields = owned.metadata?.managedFields;
    if (fields !== undefined) metaOf(object).managedFields = fields;
    return Promise.resolve();
  }
}

function setDefaults(store: ResourceStore, object: KubeObject): void {
  const version = store.storageVersion.slice(store.storageVersion.indexOf('/') + 1);
  store.definition.versions?.[version]?.defaults?.(object);
}
