/**
 * The objects of a store as the source of an informer in the same process. They are those that the watch cache holds:
 * nothing is copied, and a change is told while the cache tells its watchers.
 */
import { Informer, type InformerOptions } from '../reconcile/informer.ts';
import type { ObjectView, Source, SourceListOptions, SourcePage, SourceWatch, WatchEnd } from '../reconcile/source.ts';
import { type GroupResource, isTooLargeResourceVersion } from '../machinery/status.ts';
import type { ObjectEvent, ObjectWatch, ReadVersion, StoredObject } from '../storage/objects.ts';
import type { ResourceStore } from './generic/resource-store.ts';
import { toStatusError } from './generic/store-error-answers.ts';

export type SourceStore = Pick<ResourceStore, 'resourceName' | 'groupResource' | 'key' | 'list' | 'watch'>;

export interface StoreSourceOptions {
  readonly store: SourceStore;
  /**
   * What a list shows at least: all writes acknowledged before it, or what the cache has, which needs no contact to the
   * store.
   */
  readonly freshness: 'mostRecent' | 'any';
}

export function createStoreSource({ store, freshness }: StoreSourceOptions): Source<StoredObject> {
  return {
    resource: store.resourceName,
    view: viewOf(store),
    list: (options) => listOnce(store, freshness, options),
    async watch({ after, signal, onReady }) {
      const watch = await store.watch({ after: Number(after), signal, onReady });
      return new StoreSourceWatch(watch, store.groupResource);
    },
  };
}

export interface StoreInformerOptions
  extends StoreSourceOptions,
    Pick<InformerOptions<StoredObject>, 'log' | 'onError' | 'clock'> {}

const retryMs = 1000;

/** With the delay of this process: there are no other clients that could come back at the same time. */
export const createStoreInformer = ({ store, freshness, ...options }: StoreInformerOptions): Informer<StoredObject> =>
  new Informer({
    ...options,
    source: createStoreSource({ store, freshness }),
    retry: { firstMs: retryMs, maxMs: retryMs, jitter: 0 },
  });

const viewOf = (store: SourceStore): ObjectView<StoredObject> => ({
  keyOf: ({ key }) => key,
  keyFor: (namespace, name) => store.key(namespace, name),
  namespaceOf: ({ attributes }) => attributes.namespace,
  labelsOf: ({ attributes }) => attributes.labels,
  versionOf: ({ revision }) => revision,
});

async function* listOnce(
  store: SourceStore,
  freshness: StoreSourceOptions['freshness'],
  { notBefore, signal }: SourceListOptions,
): AsyncIterable<SourcePage<StoredObject>> {
  const version: ReadVersion =
    notBefore === undefined || freshness === 'mostRecent'
      ? { match: freshness }
      : { match: 'notOlderThan', revision: Number(notBefore) };
  const { objects, revision } = await store.list({ version, signal }).catch((error: unknown) => {
    // A store that was put back to an earlier state never comes to that version.
    if (!isTooLargeResourceVersion(error)) throw error;
    return store.list({ version: { match: 'mostRecent' }, signal });
  });
  yield { objects, version: String(revision) };
}

class StoreSourceWatch implements SourceWatch<StoredObject> {
  readonly #watch: ObjectWatch;
  readonly #resource: GroupResource;

  constructor(watch: ObjectWatch, resource: GroupResource) {
    this.#watch = watch;
    this.#resource = resource;
  }

  take(): readonly ObjectEvent[] {
    return this.#watch.take();
  }

  get version(): string {
    return String(this.#watch.revision);
  }

  get ended(): WatchEnd | undefined {
    const { ended } = this.#watch;
    return ended === undefined ? undefined : { error: toStatusError(ended, 'watch', this.#resource, '') };
  }

  close(): void {
    this.#watch.close();
  }
}
