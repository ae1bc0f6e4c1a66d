/**
 * Resources that an authorizer keeps an index over: read by an informer from the start, or from the first use on.
 */
import { timeLimit } from '../../base/time-limit.ts';
import type { Logger } from '../../base/logger.ts';
import { onEveryChange } from '../../reconcile/handlers.ts';
import type { Informer } from '../../reconcile/informer.ts';
import type { RegistryCatalog } from '../../registry/catalog.ts';
import type { ResourceStore } from '../../registry/generic/resource-store.ts';
import { createStoreInformer } from '../../registry/store-source.ts';
import type { StoredObject } from '../../storage/objects.ts';

export interface IndexedResource {
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

export class ResourceInformers {
  readonly #make: () => Informer<StoredObject>[];
  #informers: readonly Informer<StoredObject>[] | undefined;
  #isLoaded = false;

  /** A resource that is not served has no objects. */
  constructor(registry: Pick<RegistryCatalog, 'storeOf'>, log: Logger, resources: readonly IndexedResource[]) {
    this.#make = () =>
      resources.flatMap(({ group, resource, onChange }) => {
        const store = registry.storeOf(group, resource);
        if (store === undefined) return [];
        const informer = createStoreInformer({ store, freshness: 'any', log });
        informer.addHandler(onEveryChange((before, after) => onChange(before, after, store)));
        return [informer];
      });
  }

  start(): void {
    if (this.#informers !== undefined) return;
    this.#informers = this.#make();
    for (const informer of this.#informers) informer.start();
  }

  /** Undefined when all is known, else a promise of that. It rejects when it takes too long. */
  loading(): Promise<void> | undefined {
    if (this.#isLoaded) return undefined;
    this.start();
    return this.#load(timeLimit(loadTimeoutMs));
  }

  async stop(): Promise<void> {
    await Promise.all((this.#informers ?? []).map((informer) => informer.stop()));
  }

  async #load(signal: AbortSignal): Promise<void> {
    await Promise.all(this.#informers!.map((informer) => informer.synced(signal)));
    this.#isLoaded = true;
  }
}
