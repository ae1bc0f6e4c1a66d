/** The APIServices as this server knows them, and which group versions are answered elsewhere. */
import type { APIService } from '../../api/gen/types/apiregistration-v1.ts';
import type { Logger } from '../../base/logger.ts';
import { onEveryChange } from '../../reconcile/handlers.ts';
import type { Informer } from '../../reconcile/informer.ts';
import type { ResourceStore } from '../../registry/generic/resource-store.ts';
import { createStoreInformer } from '../../registry/store-source.ts';
import type { StoredObject } from '../../storage/objects.ts';
import { type RemoteApi, remoteApiOf } from './remote-api.ts';

export const apiServicesResource = { group: 'apiregistration.k8s.io', resource: 'apiservices' };

/** Told of every object that came, changed or went. */
export type ApiServiceListener = (name: string, before: APIService | undefined, after: APIService | undefined) => void;

export class ApiServices {
  readonly #store: ResourceStore | undefined;
  readonly #byName = new Map<string, APIService>();
  readonly #remote = new Map<string, RemoteApi>();
  readonly #listeners = new Set<ApiServiceListener>();
  readonly #informer: Informer<StoredObject> | undefined;

  /** @param store absent where APIServices are not served: everything is answered here then */
  constructor(store: ResourceStore | undefined, log: Logger) {
    this.#store = store;
    if (store === undefined) return;
    this.#informer = createStoreInformer({ store, freshness: 'mostRecent', log });
    this.#informer.addHandler(
      onEveryChange((before, after) =>
        this.#tell((after ?? before)!.attributes.name, after === undefined ? undefined : this.#decode(after)),
      ),
    );
  }

  get isKnown(): boolean {
    return this.#informer?.hasSynced ?? true;
  }

  /** Resolves when they were read for the first time; rejects while they cannot be. */
  async known(): Promise<void> {
    await this.#informer?.synced();
  }

  get(name: string): APIService | undefined {
    return this.#byName.get(name);
  }

  /** The service that answers this group version, unless it is this server. */
  remote(apiVersion: string): RemoteApi | undefined {
    return this.#remote.get(apiVersion);
  }

  get remotes(): Iterable<RemoteApi> {
    return this.#remote.values();
  }

  get hasRemotes(): boolean {
    return this.#remote.size > 0;
  }

  onChange(listener: ApiServiceListener): void {
    this.#listeners.add(listener);
  }

  start(): void {
    this.#informer?.start();
  }

  async stop(): Promise<void> {
    await this.#informer?.stop();
  }

  #tell(name: string, after: APIService | undefined): void {
    const before = this.#byName.get(name);
    if (before === undefined && after === undefined) return;
    const old = before === undefined ? undefined : remoteApiOf(before);
    const next = after === undefined ? undefined : remoteApiOf(after);
    if (old !== undefined) this.#remote.delete(old.apiVersion);
    if (next !== undefined) this.#remote.set(next.apiVersion, next);
    if (after === undefined) this.#byName.delete(name);
    else this.#byName.set(name, after);
    for (const listener of this.#listeners) listener(name, before, after);
  }

  #decode(object: StoredObject): APIService {
    return this.#store!.decode(object) as APIService;
  }
}
