import { describe, expect, test } from 'vitest';
import type { ObjectWatch, Selection } from '../objects.ts';
import { labelled, Watched } from '../testing/objects/support.ts';
import type { WatchCache } from './watch-cache.ts';
import { any, bytesOf, cacheUnderTest, caughtUp, keyOf, settle } from './testing/support.ts';

async function watching(cache: WatchCache, after: number, selection?: Selection, bookmarks = false): Promise<Watched> {
  const watched = new Watched();
  await watched.open(cache, { after, bookmarks, ...(selection === undefined ? {} : { selection }) });
  return watched;
}

describe('what watchers share', () => {
  test('The same events, and with the same selection the same array of them', async () => {
    const t = await cacheUnderTest();
    const start = await t.put('start');
    await t.cache.list({ version: any });
    const [one, same, whole] = [
      await watching(t.cache, start, labelled('x')),
      await watching(t.cache, start, labelled('x')),
      await watching(t.cache, start),
    ];
    await t.put('a', { labels: { app: 'x' } });
    for (const watched of [one, same, whole]) await watched.lineCount(1);
    expect(one.batches[0]).toBe(same.batches[0]);
    expect(whole.events[0]).toBe(one.events[0]);
  });

  test('Watchers of a cache share one watch on the store', async () => {
    const t = await cacheUnderTest();
    const start = await t.put('start');
    await t.cache.list({ version: any });
    for (let index = 0; index < 20; index++) await watching(t.cache, start, { namespace: `ns${index}` });
    expect(t.store.openWatches).toBe(1);
  });

  test('Nothing of the harm one of them does', async () => {
    const t = await cacheUnderTest();
    const start = await t.put('start');
    await t.cache.list({ version: any });
    const broken: ObjectWatch = await t.cache.watch({
      after: start,
      onReady: () => {
        throw new Error('a broken consumer');
      },
    });
    const watched = await watching(t.cache, start);
    const revision = await t.put('a');
    expect(await watched.lineCount(1)).toEqual([`ADDED a @${revision}`]);
    broken.close();
  });

  test('A consumer may close itself and others, and begin a new watch, when it is told of events', async () => {
    const t = await cacheUnderTest();
    const start = await t.put('start');
    await t.cache.list({ version: any });
    const other = await watching(t.cache, start);
    let begun: Promise<Watched> | undefined;
    const closing: ObjectWatch = await t.cache.watch({
      after: start,
      onReady: () => {
        closing.close();
        other.close();
        begun ??= watching(t.cache, start);
      },
    });
    const last = await watching(t.cache, start);
    const revision = await t.put('a');
    expect(await last.lineCount(1)).toEqual([`ADDED a @${revision}`]);
    expect(await (await begun!).lineCount(1)).toEqual([`ADDED a @${revision}`]);
  });
});

describe('a watch after a revision', () => {
  test('A watch after a revision that the window covers needs no watch on the store', async () => {
    const t = await cacheUnderTest();
    await t.cache.list({ version: any });
    const revisions = [await t.put('a'), await t.put('b'), await t.put('c')];
    await caughtUp(t.cache, 'c', revisions[2]!);
    const watched = await watching(t.cache, revisions[0]!);
    expect(await watched.lineCount(2)).toEqual([`ADDED b @${revisions[1]}`, `ADDED c @${revisions[2]}`]);
    expect(t.store.calls('watch')).toBe(1);
  });

  test('A watch from before the window has the window extended, once for all watches that need it', async () => {
    const t = await cacheUnderTest();
    const revisions = [await t.put('a'), await t.put('b'), await t.put('c')];
    await t.cache.list({ version: any });
    const opened = t.opened;
    const watches = await Promise.all([2, 1, 0, 1, 0].map((index) => watching(t.cache, revisions[index]!)));
    expect(t.store.calls('watch')).toBe(2);
    expect(t.store.openWatches).toBe(1);
    expect(t.opened).toBe(opened);
    const next = await t.put('d');
    const lines = [`ADDED b @${revisions[1]}`, `ADDED c @${revisions[2]}`, `ADDED d @${next}`];
    for (const [position, index] of [2, 1, 0, 1, 0].entries()) {
      expect(await watches[position]!.lineCount(3 - index)).toEqual(lines.slice(index));
    }
    expect(watches[2]!.events[0]).toBe(watches[4]!.events[0]);
  });

  test('A watch from before the window, where nothing happened since, is current by progress', async () => {
    const t = await cacheUnderTest();
    const revision = await t.put('a');
    await t.putElsewhere();
    await t.cache.list({ version: any });
    const watched = await watching(t.cache, revision);
    expect(t.store.openWatches).toBe(1);
    const next = await t.put('b');
    expect(await watched.lineCount(1)).toEqual([`ADDED b @${next}`]);
  });

  test('A watch from before the window is not kept waiting when the store says nothing', async () => {
    const t = await cacheUnderTest();
    const revision = await t.put('a');
    await t.putElsewhere();
    await t.cache.list({ version: any });
    t.store.pauseWatches();
    const opened = watching(t.cache, revision);
    await settle();
    await t.clock.advance(1_000);
    const watched = await opened;
    t.store.resumeWatches();
    const next = await t.put('b');
    await t.clock.advance(1_000);
    expect(await watched.lineCount(1)).toEqual([`ADDED b @${next}`]);
    expect(t.store.openWatches).toBe(1);
  });

  test('A watch from long before what the window can hold replays history for itself', async () => {
    const t = await cacheUnderTest();
    const revisions: number[] = [];
    for (let index = 0; index < 30; index++) revisions.push(await t.put('a', { data: String(index) }));
    const cache = t.open({ windowLimits: { maxEvents: 10 } });
    await cache.list({ version: any });
    const watches = [
      await watching(cache, revisions[0]!),
      await watching(cache, revisions[0]!),
      await watching(cache, revisions[26]!),
    ];
    expect(t.store.calls('watch')).toBe(1 + 1 + 2 + 1);
    const next = await t.put('a', { data: 'next' });
    for (const [index, watched] of watches.entries()) {
      await watched.reach(next);
      expect(watched.events.map(({ revision }) => revision)).toEqual([...revisions.slice(index < 2 ? 1 : 27), next]);
    }
    await settle();
    expect(t.store.openWatches).toBe(1);
  });

  test('A watch from before the window, of an object deleted and made again, has each version once', async () => {
    const t = await cacheUnderTest();
    const first = await t.put('a', { data: '1', labels: { app: 'x' } });
    const second = await t.put('a', { data: '2', labels: { app: 'y' } });
    const { revision: removed } = await t.store.delete(keyOf('a'), second);
    const third = await t.put('a', { data: '3', labels: { app: 'x' } });
    await t.cache.list({ version: any });
    const [whole, selected] = [await watching(t.cache, first - 1), await watching(t.cache, first - 1, labelled('x'))];
    expect(await whole.lineCount(4)).toEqual([
      `ADDED a @${first}`,
      `MODIFIED a @${second}`,
      `DELETED a @${removed}`,
      `ADDED a @${third}`,
    ]);
    expect(await selected.lineCount(3)).toEqual([`ADDED a @${first}`, `DELETED a @${second}`, `ADDED a @${third}`]);
    const past = await t.cache.list({ version: { match: 'exact', revision: second } });
    expect(past.objects.map(({ revision }) => revision)).toEqual([second]);
  });

  test('A watch from before the window, without progress, keeps its own until something happens', async () => {
    const t = await cacheUnderTest();
    t.store.soundProgress = false;
    const revision = await t.put('a');
    await t.putElsewhere();
    await t.cache.list({ version: any });
    const watched = await watching(t.cache, revision);
    await t.clock.advance(5_000);
    expect(t.store.openWatches).toBe(2);
    const next = [await t.put('b'), await t.put('c')];
    expect(await watched.lineCount(2)).toEqual([`ADDED b @${next[0]}`, `ADDED c @${next[1]}`]);
    await settle();
    expect(t.store.openWatches).toBe(1);
  });

  test('A watch from before the window survives that the store goes away', async () => {
    const t = await cacheUnderTest();
    t.store.soundProgress = false;
    const revision = await t.put('a');
    await t.putElsewhere();
    await t.cache.list({ version: any });
    const watched = await watching(t.cache, revision);
    await settle();
    t.store.disconnect();
    await settle();
    t.store.reconnect();
    const next = await t.put('b');
    await t.clock.advance(5_000);
    expect(await watched.lineCount(1)).toEqual([`ADDED b @${next}`]);
  });

  test('A watch from before the window ends its own watch on the store when it is closed', async () => {
    const t = await cacheUnderTest();
    t.store.soundProgress = false;
    const revision = await t.put('a');
    await t.putElsewhere();
    await t.cache.list({ version: any });
    const watched = await watching(t.cache, revision);
    await settle();
    watched.close();
    await settle();
    expect(t.store.openWatches).toBe(1);
  });

  test('Many watches that begin before the window and after each other see the same', async () => {
    const t = await cacheUnderTest();
    const revisions: number[] = [];
    for (let index = 0; index < 30; index++) revisions.push(await t.put(`p${index % 5}`, { data: String(index) }));
    await t.cache.list({ version: any });
    const watches = await Promise.all(revisions.map((revision) => watching(t.cache, revision)));
    for (let index = 0; index < 10; index++) revisions.push(await t.put(`p${index % 5}`, { data: `late ${index}` }));
    for (const [index, watched] of watches.entries()) {
      await watched.reach(revisions.at(-1)!);
      expect(watched.events.map(({ revision }) => revision)).toEqual(revisions.slice(index + 1));
    }
  });
});

test('A revision with more changes than a part is taken whole', async () => {
  const t = await cacheUnderTest();
  await t.cache.list({ version: any });
  const lease = await t.store.grantLease(1);
  for (let index = 0; index < 700; index++) await t.cache.create(keyOf(`p${index}`), bytesOf(`p${index}`), { lease });
  const before = await t.store.currentRevision();
  await expect.poll(async () => (await t.cache.list({ version: any })).objects.length, { timeout: 10_000 }).toBe(0);
  const watched = await watching(t.cache, before - 10);
  await watched.lineCount(710);
  expect(
    watched.batches.map(
      (batch) => new Set(batch.filter(({ type }) => type === 'DELETED').map(({ object }) => object!.key)).size,
    ),
  ).toContain(700);
}, 15_000);

describe('with time', () => {
  test('Bookmarks come once a minute to watches that asked, with the revision of the store', async () => {
    const t = await cacheUnderTest();
    const start = await t.put('start');
    await t.cache.list({ version: any });
    const [asked, silent] = [await watching(t.cache, start, undefined, true), await watching(t.cache, start)];
    await settle();
    const elsewhere = await t.putElsewhere();
    await t.clock.advance(59_000);
    expect(asked.events).toEqual([]);
    await t.clock.advance(3_000);
    expect(asked.lines).toEqual([`BOOKMARK @${elsewhere}`]);
    await t.clock.advance(60_000);
    expect(asked.lines).toHaveLength(1);
    const later = await t.putElsewhere();
    await t.clock.advance(60_000);
    expect(asked.lines.at(-1)).toBe(`BOOKMARK @${later}`);
    expect(silent.events).toEqual([]);
  });

  test('A watch that takes nothing of what it began with is ended', async () => {
    const t = await cacheUnderTest();
    for (let index = 0; index < 3; index++) await t.put(`p${index}`);
    const watch = await t.cache.watch({ after: 'any', onReady: () => undefined });
    await settle();
    await t.clock.advance(50_000);
    expect(watch.ended).toBeUndefined();
    await t.clock.advance(30_000);
    expect(watch.ended).toMatchObject({ reason: 'SlowConsumer' });
    watch.close();
  });

  test('The window lets go of what is old, also when nothing happens', async () => {
    const t = await cacheUnderTest();
    const cache = t.open({ windowLimits: { minEvents: 0 } });
    await cache.list({ version: any });
    const first = await t.put('a', { data: '1' });
    const last = await t.put('a', { data: '2' });
    await caughtUp(cache, 'a', last);
    await t.clock.advance(100_000);
    const lists = t.store.calls('list');
    expect((await cache.list({ version: { match: 'exact', revision: first } })).objects[0]!.revision).toBe(first);
    expect(t.store.calls('list')).toBe(lists + 1);
  });
});
