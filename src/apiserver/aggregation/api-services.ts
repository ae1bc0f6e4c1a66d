/** The APIServices as this server knows them, and which group versions are answered elsewhere. */
import type { APIService } from '../../api/gen/types/apiregistration-v1.ts';
import { Latch } from '../../base/latch.ts';
import type { Logger } from '../../base/logger.ts';
import { follow } from '../../registry/follow.ts';
import type { ResourceStore } from '../../registry/generic/resource-store.ts';
import type { StoredObject } from '../../storage/objects.ts';
import { type RemoteApi, remoteApiOf } from './remote-api.ts';

export const apiServicesResource = { group: 'apiregistration.k8s.io', resource: 'apiservices' };

/** Told of every object that came, changed or went. */
export type ApiServiceListener = (name: string, before: APIService | undefined, after: APIService | undefined) => void;

export class ApiServices {
  readonly #store: ResourceStore | undefined;
  readonly #log: Logger;
  readonly #byName = new Map<string, APIService>();
  readonly #remote = new Map<string, RemoteApi>();
  readonly #listeners = new Set<ApiServiceListener>();
  readonly #known = new Latch();

  /** @param store absent where APIServices are not served: everything is answered here then */
  constructor(store: ResourceStore | undefined, log: Logger) {
    this.#store = store;
    this.#log = log;
    if (store === undefined) this.#known.open();
  }

  get isKnown(): boolean {
    return this.#known.isOpen;
  }

  /** Resolves when they were read for the first time; rejects while they cannot be. */
  known(): Promise<void> {
    return this.#known.wait();
  }

  get(name: string): APIService | undefined {
    return this.#byName.get(name);
  }

  /** Who answers this group version, unless it is this server. */
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

  /** Resolves when the signal aborts. */
  async follow(signal: AbortSignal): Promise<void> {
    if (this.#store === undefined) return;
    await follow({
      store: this.#store,
      signal,
      onState: (objects) => {
        this.#replaceAll(objects);
        this.#known.open();
      },
      onEvent: ({ type, object }) => {
        if (object === undefined) return;
        if (type === 'DELETED') this.#tell(object.attributes.name, undefined);
        else this.#tell(object.attributes.name, this.#decode(object));
      },
      onFailure: (error) => {
        if (!this.#known.isOpen) this.#known.fail(error as Error);
        this.#log.warn({ err: error }, 'the APIServices could not be followed, trying again');
      },
    });
  }

  #replaceAll(objects: readonly StoredObject[]): void {
    const present = new Set(objects.map(({ attributes: attributes }) => attributes.name));
    for (const name of [...this.#byName.keys()]) if (!present.has(name)) this.#tell(name, undefined);
    for (const object of objects) this.#tell(object.attributes.name, this.#decode(object));
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
