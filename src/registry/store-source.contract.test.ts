import { describeSourceContract, type SourceFixture } from '../reconcile/testing/source-contract.ts';
import { createWatchCache } from '../storage/cache/watch-cache.ts';
import { openEmbeddedStore } from '../storage/embedded/open.ts';
import type { ObjectStorage, ObjectWatch, ObjectWatchOptions, StoredObject } from '../storage/objects.ts';
import { StorageError } from '../storage/storage-error.ts';
import { createJsonCodec, encodeTestObject } from '../storage/testing/json-codec.ts';
import { toStatusError } from './generic/store-error-answers.ts';
import { createStoreSource, type SourceStore } from './store-source.ts';

const prefix = '/registry/things/';
const namespace = 'default';
const groupResource = { group: '', resource: 'things' };
const key = (of: string, name: string): string => `${prefix}${of}/${name}`;

/** A watch that the test can end as a store does that is away. */
class Breakable implements ObjectWatch {
  readonly #inner: ObjectWatch;
  #broken: Error | undefined;

  constructor(inner: ObjectWatch) {
    this.#inner = inner;
  }

  get revision(): number {
    return this.#inner.revision;
  }

  get ended(): Error | undefined {
    return this.#broken ?? this.#inner.ended;
  }

  take(): ReturnType<ObjectWatch['take']> {
    return this.#broken === undefined ? this.#inner.take() : [];
  }

  end(): void {
    this.#broken = new StorageError('Unavailable', 'the store is away');
  }

  close(): void {
    this.#inner.close();
  }
}

async function open(freshness: 'any' | 'mostRecent'): Promise<SourceFixture<StoredObject>> {
  const embedded = await openEmbeddedStore();
  // History that the cache has not seen, and that is gone when it is asked for.
  const revisions: number[] = [];
  for (const name of ['a', 'b', 'c'])
    revisions.push((await embedded.create(key(namespace, name), Buffer.from(`test\0{"name":"${name}"}`))).revision);
  await embedded.compact(revisions[2]!);
  const storage: ObjectStorage = createWatchCache({
    store: embedded,
    prefix,
    namespaced: true,
    codec: createJsonCodec(),
    indexedFields: [],
  });
  const watches = new Set<{ readonly watch: Breakable; readonly onReady: () => void }>();
  const translated = <T>(verb: 'list' | 'watch', result: Promise<T>): Promise<T> =>
    result.catch((error: unknown) => {
      throw toStatusError(error, verb, groupResource, '');
    });
  const store: SourceStore = {
    resourceName: 'things',
    groupResource,
    key,
    list: (options) => translated('list', storage.list(options)),
    async watch(options: ObjectWatchOptions) {
      const watch = new Breakable(await translated('watch', storage.watch(options)));
      watches.add({ watch, onReady: options.onReady });
      return watch;
    },
  };
  const current = (name: string): Promise<StoredObject | undefined> =>
    storage.get(key(namespace, name), { match: 'mostRecent' });
  return {
    source: createStoreSource({ store, freshness }),
    namespace,
    async create(name, labels = {}) {
      const object = await storage.create(key(namespace, name), encodeTestObject({ namespace, name, labels }));
      return String(object.revision);
    },
    async update(name) {
      const { revision: expected, attributes } = (await current(name))!;
      const labels = Object.fromEntries(attributes.labels);
      const bytes = encodeTestObject({ namespace, name, labels, data: String(expected) });
      const result = await storage.update(key(namespace, name), bytes, expected);
      if (!result.applied) throw new Error('another client has written');
      return String(result.object.revision);
    },
    async remove(name) {
      const result = await storage.delete(key(namespace, name), (await current(name))!.revision);
      if (!result.applied) throw new Error('another client has written');
      return String(result.revision);
    },
    expiredVersion: () => Promise.resolve(String(revisions[0]!)),
    breakWatches() {
      for (const { watch, onReady } of watches) {
        watch.end();
        onReady();
      }
      watches.clear();
    },
    async [Symbol.asyncDispose]() {
      await storage[Symbol.asyncDispose]();
      await embedded[Symbol.asyncDispose]();
    },
  };
}

describeSourceContract('a store of the same process, what its cache has', () => open('any'));
describeSourceContract('a store of the same process, most recent', () => open('mostRecent'));
