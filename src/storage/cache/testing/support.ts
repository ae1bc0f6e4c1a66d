import { onTestFinished } from 'vitest';
import { FakeClock } from '../../../base/testing/fake-clock.ts';
import { openEmbeddedStore } from '../../embedded/open.ts';
import type { ObjectStorage } from '../../objects.ts';
import { ControlledStore } from '../../testing/controlled-store.ts';
import { createJsonCodec, encodeTestObject } from '../../testing/json-codec.ts';
import type { TestObject } from '../../testing/json-codec.ts';
import { createWatchCache } from '../watch-cache.ts';
import type { WatchCache, WatchCacheOptions } from '../watch-cache.ts';

export const prefix = '/registry/tests/';
export const keyOf = (name: string, namespace = 'default'): string => `${prefix}${namespace}/${name}`;
export const bytesOf = (name: string, object: Partial<TestObject> = {}): Buffer =>
  encodeTestObject({ namespace: 'default', name, ...object });
export const any = { match: 'any' } as const;
export const mostRecent = { match: 'mostRecent' } as const;

/** A cache over a store and a clock that the test controls, and a count of the values that were opened. */
export class CacheUnderTest {
  readonly store: ControlledStore;
  readonly clock = new FakeClock();
  opened = 0;
  #cache: WatchCache | undefined;

  constructor(store: ControlledStore) {
    this.store = store;
  }

  get cache(): WatchCache {
    return (this.#cache ??= this.open());
  }

  open(options: Partial<WatchCacheOptions> = {}): WatchCache {
    const cache = createWatchCache({
      store: this.store,
      prefix,
      codec: createJsonCodec(() => void this.opened++),
      clock: this.clock,
      ...options,
    });
    onTestFinished(async () => {
      this.store.reconnect();
      this.store.resumeWatches();
      await cache[Symbol.asyncDispose]();
    });
    return cache;
  }

  /** Puts an object into the store past the cache, as another replica would. */
  async put(name: string, object: Partial<TestObject> = {}): Promise<number> {
    const key = keyOf(name, object.namespace);
    const { kv } = await this.store.get(key);
    const value = createJsonCodec().encode(key, bytesOf(name, object));
    return (await this.store.update(key, value, kv?.modRevision ?? 0)).revision;
  }

  /** Writes a key that is no object of this cache. */
  async putElsewhere(): Promise<number> {
    return (await this.store.create(`/registry/others/${Math.random()}`, Buffer.from('x'))).revision;
  }
}

export async function cacheUnderTest(): Promise<CacheUnderTest> {
  const store = await openEmbeddedStore();
  onTestFinished(() => store[Symbol.asyncDispose]());
  return new CacheUnderTest(new ControlledStore(store));
}

/** Lets everything run that is ready to run. */
export async function settle(): Promise<void> {
  for (let round = 0; round < 10; round++) await new Promise((resolve) => setImmediate(resolve));
}

/** Until the cache has seen the revision, without asking it for more than it knows. */
export async function caughtUp(storage: ObjectStorage, name: string, revision: number): Promise<void> {
  while (((await storage.get(keyOf(name), any))?.revision ?? 0) < revision) await settle();
}
