/**
 * Resources that an authorizer keeps an index over: followed from the start, or from the first time somebody needs
 * them.
 */
import { timeLimit } from '../../base/time-limit.ts';
import type { Logger } from '../../base/logger.ts';
import type { RegistryCatalog } from '../../registry/catalog.ts';
import type { ResourceStore } from '../../registry/generic/resource-store.ts';
import type { StoredObject } from '../../storage/objects.ts';
import { ObjectFollower } from '../object-follower.ts';

export interface FollowedResource {
  readonly group: string;
  readonly resource: string;
  readonly onChange: (before: StoredObject | undefined, after: StoredObject | undefined, store: ResourceStore) => void;
}

/**
 * How long a request waits at most for a server that has just been started to know what decisions need.
 *
 * @NOTE differs from upstream: there it is forbidden, and a client that takes the 403 for an answer gives up.
 */
const loadTimeoutMs = 5000;

export class FollowedResources {
  readonly #make: () => ObjectFollower[];
  #followers: readonly ObjectFollower[] | undefined;
  #isLoaded = false;

  /** A resource that is not served has no objects. */
  constructor(registry: Pick<RegistryCatalog, 'storeOf'>, log: Logger, resources: readonly FollowedResource[]) {
    this.#make = () =>
      resources.flatMap(({ group, resource, onChange }) => {
        const store = registry.storeOf(group, resource);
        return store === undefined
          ? []
          : [new ObjectFollower({ store, log, onChange: (before, after) => onChange(before, after, store) })];
      });
  }

  start(): void {
    if (this.#followers !== undefined) return;
    this.#followers = this.#make();
    for (const follower of this.#followers) follower.start();
  }

  /** Undefined when all is known, else a promise of that. It rejects when it takes too long. */
  loading(): Promise<void> | undefined {
    if (this.#isLoaded) return undefined;
    this.start();
    return this.#load(timeLimit(loadTimeoutMs));
  }

  async stop(): Promise<void> {
    await Promise.all((this.#followers ?? []).map((follower) => follower.stop()));
  }

  async #load(signal: AbortSignal): Promise<void> {
    await Promise.all(this.#followers!.map((follower) => follower.synced(signal)));
    this.#isLoaded = true;
  }
}
