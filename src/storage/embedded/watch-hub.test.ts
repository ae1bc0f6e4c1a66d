import { setImmediate as turn } from 'node:timers/promises';
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import type { Store, WatchBatch } from '../interface.ts';
import { openEmbeddedStore } from './open.ts';
import { temporaryDirectory } from './testing/temporary-directory.ts';

const bytes = (text: string): Buffer => Buffer.from(text);
const { signal } = new AbortController();

async function openStore(directory?: string): Promise<Store> {
  const store = await openEmbeddedStore(directory === undefined ? {} : { directory });
  onTestFinished(() => store[Symbol.asyncDispose]());
  return store;
}

async function createMany(store: Store, count: number, value = bytes('x')): Promise<void> {
  for (let i = 0; i < count; i += 500) {
    await Promise.all(Array.from({ length: Math.min(500, count - i) }, (_, n) => store.create(`/k/${i + n}`, value)));
  }
}

async function take(iterator: AsyncIterator<WatchBatch>, upTo: number): Promise<WatchBatch[]> {
  const batches: WatchBatch[] = [];
  while ((batches.at(-1)?.revision ?? 0) < upTo) batches.push((await iterator.next()).value as WatchBatch);
  return batches;
}

describe('a watch batch', () => {
  let store: Store;
  beforeEach(async () => {
    store = await openStore();
  });

  test('A watch batch has 1000 events at most', async () => {
    await createMany(store, 3_500);
    const batches = await take(store.watch('/k/', { after: 1, signal })[Symbol.asyncIterator](), 3_501);
    expect(batches.map((batch) => [batch.events.length, batch.revision])).toEqual([
      [1000, 1001],
      [1000, 2001],
      [1000, 3001],
      [500, 3501],
    ]);
  });

  test('A watch batch has 4 MiB at most, or one event', async () => {
    await createMany(store, 10, Buffer.alloc(1_500_000));
    const batches = await take(store.watch('/k/', { after: 1, signal })[Symbol.asyncIterator](), 11);
    expect(batches.map((batch) => batch.events.length)).toEqual([3, 3, 3, 1]);
  });

  test('A watch batch is larger only when one revision is', async () => {
    const lease = await store.grantLease(0.5);
    await Promise.all(Array.from({ length: 2_500 }, (_, i) => store.create(`/k/${i}`, bytes('x'), { lease })));
    const { revision } = await store.create('/other', bytes('x'));
    const watch = store.watch('/k/', { after: revision, signal })[Symbol.asyncIterator]();
    const { value } = await watch.next();
    expect(value).toMatchObject({ revision: revision + 1 });
    expect((value as WatchBatch).events).toHaveLength(2_500);
  });

  test('A watch batch skips what is under other prefixes, however much it is', async () => {
    await createMany(store, 25_000);
    const { revision } = await store.create('/other', bytes('x'));
    const watch = store.watch('/other', { after: 1, signal })[Symbol.asyncIterator]();
    expect((await watch.next()).value).toMatchObject({ revision, events: [{ key: '/other' }] });
  });
});

describe.each([{ medium: 'memory' }, { medium: 'disk' }])('a slow watch in $medium', ({ medium }) => {
  test('A slow watch gets what has left the cache of recent values from the journal', async () => {
    const store = await openStore(medium === 'disk' ? temporaryDirectory() : undefined);
    const watch = store.watch('/k/', { after: 0, previous: true, signal })[Symbol.asyncIterator]();
    const first = watch.next();
    await createMany(store, 600, Buffer.alloc(50_000, 'x')); // 30 MB, the cache holds 8
    const batches = [(await first).value as WatchBatch, ...(await take(watch, 601))];
    const events = batches.flatMap((batch) => batch.events);
    expect(events.map((event) => event.modRevision)).toEqual(Array.from({ length: 600 }, (_, i) => i + 2));
    for (const { value } of events)
      expect([value.length, value[49_999], value.buffer.byteLength]).toEqual([50_000, 120, 50_000]);
  });

  test('A slow watch ends when compaction overtakes it', async () => {
    const store = await openStore(medium === 'disk' ? temporaryDirectory() : undefined);
    const watch = store.watch('/k/', { after: 0, signal })[Symbol.asyncIterator]();
    const first = watch.next();
    await store.create('/k/a', bytes('x'));
    await first;
    await createMany(store, 10);
    await store.compact(8);
    await expect(watch.next()).rejects.toMatchObject({ name: 'StorageError', reason: 'Compacted', revision: 8 });
    expect(await watch.next()).toEqual({ done: true, value: undefined });
  });
});

describe('progress', () => {
  test('Progress is sent once, to watches that do not know the revision yet', async () => {
    const store = await openStore();
    const batches: WatchBatch[] = [];
    const abort = new AbortController();
    const watching = (async () => {
      for await (const batch of store.watch('/k/', { after: 0, signal: abort.signal })) batches.push(batch);
    })();
    await store.requestProgress();
    await store.requestProgress();
    await turn();
    await store.create('/other', bytes('x'));
    await turn();
    await store.requestProgress();
    await turn();
    const { revision } = await store.create('/k/a', bytes('x'));
    await turn();
    await store.requestProgress();
    await turn();
    expect(batches).toMatchObject([
      { revision: 1, events: [] },
      { revision: revision - 1, events: [] },
      { revision, events: [{ key: '/k/a' }] },
    ]);
    abort.abort();
    await watching;
  });

  test('Progress waits until a watch that starts in the future has begun', async () => {
    const store = await openStore();
    const watch = store.watch('/k/', { after: 3, signal })[Symbol.asyncIterator]();
    const next = watch.next();
    await store.requestProgress();
    for (let i = 0; i < 3; i++) await store.create(`/other/${i}`, bytes('x'));
    expect((await next).value).toMatchObject({
      revision: expect.toSatisfy((revision: number) => revision >= 3),
      events: [],
    });
  });
});
