import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { silentLogger } from '../../base/logger.ts';
import { openEmbeddedStore } from '../embedded/open.ts';
import { ControlledStore } from '../testing/controlled-store.ts';
import { Watched } from '../testing/objects/support.ts';
import {
  any,
  bytesOf,
  CacheUnderTest,
  cacheUnderTest,
  caughtUp,
  keyOf,
  mostRecent,
  settle,
} from './testing/support.ts';

async function watching(t: CacheUnderTest, after: number): Promise<Watched> {
  const watched = new Watched();
  await watched.open(t.cache, { after });
  return watched;
}

describe('filling', () => {
  test('Nothing is answered before: readers and watches wait, and the cache is not ready', async () => {
    const t = await cacheUnderTest();
    await t.put('a');
    const release = t.store.hold('list');
    const [one, list, watch] = [t.cache.get(keyOf('a'), any), t.cache.list({ version: any }), watching(t, 1)];
    let answered = 0;
    for (const waiting of [one, list, watch]) void waiting.then(() => answered++);
    await settle();
    expect([answered, t.cache.ready()]).toEqual([0, false]);
    release();
    expect((await one)!.attributes.name).toBe('a');
    expect((await list).objects).toHaveLength(1);
    await watch;
    expect(t.cache.ready()).toBe(true);
  });

  test('Readers of a cache that waits for the store wait until it is there, or until they end themselves', async () => {
    const t = await cacheUnderTest();
    await t.put('a');
    t.store.disconnect();
    const cache = t.open({ waitsForStore: true });
    const end = new AbortController();
    const ended = cache.get(keyOf('a'), any, end.signal);
    const waiting = [cache.get(keyOf('a'), any), cache.list({ version: any }), new Watched().open(cache, { after: 1 })];
    let answered = 0;
    for (const read of waiting) void read.then(() => answered++);
    await t.clock.advance(10_000);
    end.abort();
    await expect(ended).rejects.toMatchObject({ reason: 'Aborted' });
    expect(answered).toBe(0);
    t.store.reconnect();
    await t.clock.advance(30_000);
    await settle();
    await Promise.all(waiting);
    expect(answered).toBe(3);
  });

  test('The filling of a watch cache is tried until the store is there; reads fail until then', async () => {
    const t = await cacheUnderTest();
    await t.put('a');
    t.store.disconnect();
    const away = {
      reason: 'Unavailable',
      message: 'the watch cache of /registry/tests/ could not be filled',
      cause: { reason: 'Unavailable' },
    };
    const waited = [t.cache.get(keyOf('a'), any), t.cache.list({ version: mostRecent }), watching(t, 1)];
    for (const read of waited) await expect(read).rejects.toMatchObject(away);
    await t.clock.advance(1_000);
    await expect(t.cache.get(keyOf('a'), any)).rejects.toMatchObject(away);
    expect(t.cache.ready()).toBe(false);
    t.store.reconnect();
    await t.clock.advance(5_000);
    await settle();
    expect((await t.cache.get(keyOf('a'), any))!.attributes.name).toBe('a');
  });

  test('The filling of a watch cache is warned of once for each time that the store goes away', async () => {
    const t = await cacheUnderTest();
    const warnings: string[] = [];
    const cache = t.open({ log: { ...silentLogger, warn: (_, message) => void warnings.push(message) } });
    t.store.disconnect();
    for (let attempt = 0; attempt < 5; attempt++) {
      await settle();
      await t.clock.advance(5_000);
    }
    expect(warnings).toEqual(['the watch cache lost the store']);
    t.store.reconnect();
    await t.clock.advance(5_000);
    await settle();
    await cache.get(keyOf('a'), any);
    t.store.disconnect();
    await settle();
    await t.clock.advance(5_000);
    expect(warnings).toHaveLength(2);
  });

  test('The filling of a watch cache reads pages of a size that fits what the objects weigh', async () => {
    const t = await cacheUnderTest();
    for (let index = 0; index < 260; index++) await t.put(`p${index}`, { data: 'x'.repeat(100_000) });
    const calls = t.store.calls('list');
    await t.cache.list({ version: any });
    // 200 at first, then as many of 100 kB as make up 4 MiB.
    expect(t.store.calls('list') - calls).toBe(1 + Math.ceil(60 / 41));
  });

  test('The filling of a watch cache begins again when compaction overtakes it', async () => {
    const t = await cacheUnderTest();
    for (let index = 0; index < 300; index++) await t.put(`p${index}`);
    const original = t.store.list.bind(t.store);
    let pages = 0;
    t.store.list = async (...args) => {
      if (++pages === 2) {
        const revision = await t.put('late');
        await t.store.compact(revision);
      }
      return original(...args);
    };
    const read = t.cache.list({ version: any });
    await settle();
    await t.clock.advance(1_000);
    expect((await read).objects).toHaveLength(301);
  });
});

describe('watching', () => {
  test('A store that goes away and comes back: the cache says so, answers what it can, and watches go on', async () => {
    const t = await cacheUnderTest();
    const revision = await t.put('a');
    await t.cache.list({ version: any });
    const watched = await watching(t, revision);
    t.store.disconnect();
    await settle();
    expect(t.cache.ready()).toBe(false);
    expect((await t.cache.get(keyOf('a'), any))!.revision).toBe(revision);
    await expect(t.cache.get(keyOf('a'), mostRecent)).rejects.toMatchObject({ reason: 'Unavailable' });
    await t.clock.advance(2_000);
    t.store.reconnect();
    const missed = await t.put('b');
    await t.clock.advance(10_000);
    expect(await watched.lineCount(1)).toEqual([`ADDED b @${missed}`]);
    expect([t.cache.ready(), watched.ended]).toEqual([true, undefined]);
  });

  test('Where history is compacted meanwhile watches end, and the cache keeps unchanged objects', async () => {
    const t = await cacheUnderTest();
    const revision = await t.put('a');
    await t.put('b');
    const kept = await t.cache.get(keyOf('a'), any);
    const watched = await watching(t, revision);
    t.store.disconnect();
    await settle();
    t.store.reconnect();
    for (const data of ['2', '3']) await t.put('b', { data });
    const last = await t.put('c');
    await t.store.compact(last);
    const opened = t.opened;
    await t.clock.advance(10_000);
    expect(await watched.end()).toMatchObject({ reason: 'Compacted' });
    await caughtUp(t.cache, 'c', last);
    expect(await t.cache.get(keyOf('a'), mostRecent)).toBe(kept);
    expect(t.opened - opened).toBe(2);
    expect(t.cache.ready()).toBe(true);
  });

  test('A watch asked for while history is lost begins once the cache is filled anew', async () => {
    const t = await cacheUnderTest();
    const first = await t.put('a', { data: '1' });
    await t.cache.list({ version: any });
    const kept = await watching(t, first);
    t.store.disconnect();
    await settle();
    t.store.reconnect();
    for (const data of ['2', '3']) await t.put('a', { data });
    const last = await t.put('a', { data: '4' });
    await t.store.compact(last);
    const release = t.store.hold('list');
    await t.clock.advance(10_000);
    await kept.end();
    const late = watching(t, last);
    await settle();
    release();
    await t.clock.advance(10_000);
    const watched = await late;
    const next = await t.put('a', { data: '5' });
    expect(await watched.lineCount(1)).toEqual([`MODIFIED a @${next}`]);
  });

  test('An object that becomes unreadable ends the watches, and nothing else', async () => {
    const t = await cacheUnderTest();
    const revision = await t.put('a');
    await t.put('b');
    await t.cache.list({ version: any });
    const watched = await watching(t, revision);
    await watched.lineCount(1);
    const { kv } = await t.store.get(keyOf('a'));
    await t.store.update(keyOf('a'), Buffer.from('garbage'), kv!.modRevision);
    expect(await watched.end()).toMatchObject({ reason: 'Internal', key: keyOf('a') });
    await expect(t.cache.get(keyOf('a'), mostRecent)).rejects.toMatchObject({ reason: 'Internal' });
    expect((await t.cache.get(keyOf('b'), mostRecent))!.attributes.name).toBe('b');
    const repaired = await t.put('a');
    const again = await watching(t, repaired - 1);
    expect(await again.lineCount(1)).toEqual([`MODIFIED a @${repaired}`]);
    expect((await t.cache.list({ version: mostRecent })).objects).toHaveLength(2);
  });

  test('Watching ends with the storage: readers and watches are told', async () => {
    const t = await cacheUnderTest();
    await t.cache.list({ version: any });
    const watched = await watching(t, 1);
    const release = t.store.hold('currentRevision');
    const read = t.cache.get(keyOf('a'), mostRecent);
    read.catch(() => undefined);
    await settle();
    const disposed = t.cache[Symbol.asyncDispose]();
    await expect(read).rejects.toMatchObject({ reason: 'Aborted' });
    expect(await watched.end()).toMatchObject({ reason: 'Aborted' });
    release();
    await disposed;
    await expect(watching(t, 1)).rejects.toMatchObject({ reason: 'Aborted' });
    expect(t.clock.pending).toBe(0);
  });
});

test('A store that is restarted on its data: watches go on where they were', async () => {
  const directory = await mkdtemp(path.join(tmpdir(), 'orch-cache-'));
  onTestFinished(() => rm(directory, { recursive: true, force: true }));
  const first = await openEmbeddedStore({ directory });
  const t = new CacheUnderTest(new ControlledStore(first));
  const revision = await t.put('a');
  await t.cache.list({ version: any });
  const watched = await watching(t, revision);
  const b = await t.cache.create(keyOf('b'), bytesOf('b'));
  t.store.disconnect();
  await settle();
  await first[Symbol.asyncDispose]();
  const second = await openEmbeddedStore({ directory });
  onTestFinished(() => second[Symbol.asyncDispose]());
  t.store.replace(second);
  t.store.reconnect();
  const c = await t.put('c');
  await t.clock.advance(10_000);
  expect(await watched.lineCount(2)).toEqual([`ADDED b @${b.revision}`, `ADDED c @${c}`]);
  expect(
    (await t.cache.list({ version: mostRecent })).objects.map(({ attributes: attributes }) => attributes.name),
  ).toEqual(['a', 'b', 'c']);
});
