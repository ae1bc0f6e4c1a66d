import { describe, expect, test } from 'vitest';
import { openEmbeddedStore } from '../embedded/open.ts';
import { any, bytesOf, cacheUnderTest, keyOf, mostRecent, settle } from './testing/support.ts';

describe('reads at the most recent version', () => {
  test('Reads at the most recent version share a question to the store, those that wait for it', async () => {
    const t = await cacheUnderTest();
    await t.put('a');
    await t.cache.list({ version: any });
    const asked = t.store.calls('currentRevision');
    await Promise.all(Array.from({ length: 16 }, () => t.cache.get(keyOf('a'), mostRecent)));
    expect(t.store.calls('currentRevision')).toBe(asked + 1);
    expect(t.store.calls('get')).toBe(1); // put's own
  });

  test('Reads at the most recent version share no question that was sent before they came', async () => {
    const t = await cacheUnderTest();
    await t.put('a', { data: '1' });
    await t.cache.list({ version: any });
    const asked = t.store.calls('currentRevision');
    const release = t.store.hold('currentRevision');
    const early = t.cache.get(keyOf('a'), mostRecent);
    await settle();
    const revision = await t.put('a', { data: '2' });
    const late = t.cache.get(keyOf('a'), mostRecent);
    await settle();
    expect(t.store.calls('currentRevision')).toBe(asked + 1);
    release();
    expect((await late)!.revision).toBe(revision);
    await early;
    expect(t.store.calls('currentRevision')).toBe(asked + 2);
  });

  test('Reads at the most recent version share one question to the store across its caches', async () => {
    const t = await cacheUnderTest();
    const caches = [t.open(), t.open({ prefix: '/registry/others/' })];
    for (const cache of caches) await cache.list({ version: any });
    const asked = t.store.calls('currentRevision');
    await Promise.all(caches.map((cache) => cache.list({ version: mostRecent })));
    expect(t.store.calls('currentRevision')).toBe(asked + 1);
  });

  test('Reads at the most recent version wait for events of their own resource without a question', async () => {
    const t = await cacheUnderTest();
    await t.cache.list({ version: any });
    t.store.pauseWatches();
    const revision = await t.put('a');
    let found: number | undefined;
    const read = t.cache.get(keyOf('a'), mostRecent).then((object) => (found = object?.revision));
    await settle();
    expect(found).toBeUndefined();
    t.store.resumeWatches();
    await read;
    expect(found).toBe(revision);
    expect(t.store.calls('requestProgress')).toBe(0);
  });

  test('Reads at the most recent version ask for progress when the revision is of something else', async () => {
    const t = await cacheUnderTest();
    await t.put('a');
    await t.cache.list({ version: any });
    await t.putElsewhere();
    const read = t.cache.get(keyOf('a'), mostRecent);
    await settle();
    expect(t.store.calls('requestProgress')).toBe(0);
    await t.clock.advance(2);
    expect((await read)!.attributes.name).toBe('a');
    expect(t.store.calls('requestProgress')).toBe(1);
  });

  test('Reads at the most recent version ask again while progress does not come', async () => {
    const t = await cacheUnderTest();
    await t.cache.list({ version: any });
    await t.putElsewhere();
    t.store.pauseWatches();
    const read = t.cache.list({ version: mostRecent });
    await settle();
    await t.clock.advance(2 + 50 + 50);
    expect(t.store.calls('requestProgress')).toBe(3);
    t.store.resumeWatches();
    await read;
    await t.clock.advance(200);
    expect(t.store.calls('requestProgress')).toBe(3);
  });

  test('Reads at the most recent version ask at once for the next revision of something else', async () => {
    const t = await cacheUnderTest();
    await t.cache.list({ version: any });
    for (let round = 1; round <= 3; round++) {
      await t.putElsewhere();
      const read = t.cache.list({ version: mostRecent });
      await settle();
      await t.clock.advance(2);
      await read;
      expect(t.store.calls('requestProgress')).toBe(round);
    }
  });

  test('Reads at the most recent version go to the store when the watch hangs while the store answers', async () => {
    const t = await cacheUnderTest();
    await t.cache.list({ version: any });
    t.store.pauseWatches();
    const revision = await t.put('a');
    const [one, list] = [t.cache.get(keyOf('a'), mostRecent), t.cache.list({ version: mostRecent })];
    await settle();
    await t.clock.advance(3_100);
    expect((await one)!.revision).toBe(revision);
    expect((await list).objects.map((object) => object.revision)).toEqual([revision]);
  });

  test('Reads at the most recent version fail with what the store says while it is away', async () => {
    const t = await cacheUnderTest();
    await t.cache.list({ version: any });
    t.store.disconnect();
    await expect(t.cache.get(keyOf('a'), mostRecent)).rejects.toMatchObject({ reason: 'Unavailable' });
    await expect(t.cache.list({ version: mostRecent })).rejects.toMatchObject({ reason: 'Unavailable' });
  });

  test('Reads at the most recent version end when their caller no longer waits', async () => {
    const t = await cacheUnderTest();
    await t.cache.list({ version: any });
    const release = t.store.hold('currentRevision');
    const abort = new AbortController();
    const [left, stayed] = [t.cache.get(keyOf('a'), mostRecent, abort.signal), t.cache.get(keyOf('a'), mostRecent)];
    left.catch(() => undefined);
    await settle();
    abort.abort();
    await t.clock.advance(100);
    await expect(left).rejects.toMatchObject({ reason: 'Aborted' });
    release();
    expect(await stayed).toBeUndefined();
  });

  test('Reads at the most recent version find out when the store has gone back in time, and begin anew', async () => {
    const t = await cacheUnderTest();
    for (const name of ['a', 'b', 'c']) await t.put(name);
    await t.cache.list({ version: any });
    await using restored = await openEmbeddedStore();
    t.store.replace(restored);
    const revision = await t.put('a', { data: 'restored' });
    await t.cache.get(keyOf('a'), mostRecent);
    await t.clock.advance(10_000);
    await settle();
    const list = await t.cache.list({ version: mostRecent });
    expect(list.objects.map((object) => [object.attributes.name, object.revision])).toEqual([['a', revision]]);
  });
});

describe('reads where progress is not to be believed', () => {
  test('A read of one object, without progress, asks the store only when another revision is between', async () => {
    const t = await cacheUnderTest();
    t.store.soundProgress = false;
    await t.put('a');
    await t.cache.list({ version: any });
    const gets = t.store.calls('get');
    await t.cache.get(keyOf('a'), mostRecent);
    expect(t.store.calls('get')).toBe(gets);
    await t.putElsewhere();
    const known = await t.cache.get(keyOf('a'), any);
    const reads = await Promise.all([t.cache.get(keyOf('a'), mostRecent), t.cache.get(keyOf('a'), mostRecent)]);
    expect(t.store.calls('get')).toBe(gets + 1);
    expect(reads).toEqual([known, known]);
    expect(reads[0]).toBe(known);
  });

  test('Reads of many objects, without progress, share one list of keys and use the cached objects', async () => {
    const t = await cacheUnderTest();
    t.store.soundProgress = false;
    for (const name of ['a', 'b', 'c']) await t.put(name);
    const cached = await t.cache.list({ version: any });
    const elsewhere = await t.putElsewhere();
    const lists = t.store.calls('list');
    const opened = t.opened;
    const reads = [t.cache.list({ version: mostRecent }), t.cache.list({ version: mostRecent })];
    await settle();
    await t.clock.advance(5);
    for (const list of await Promise.all(reads)) {
      expect(list.revision).toBe(elsewhere);
      expect(list.objects.every((object, index) => object === cached.objects[index])).toBe(true);
    }
    expect(t.store.calls('list')).toBe(lists + 1);
    expect(t.opened).toBe(opened);
  });

  test('Reads without progress remember that nothing had changed, until something does', async () => {
    const t = await cacheUnderTest();
    t.store.soundProgress = false;
    await t.put('a');
    await t.cache.list({ version: any });
    const elsewhere = await t.putElsewhere();
    const read = t.cache.list({ version: mostRecent });
    await settle();
    await t.clock.advance(5);
    await read;
    const lists = t.store.calls('list');
    expect((await t.cache.list({ version: mostRecent })).revision).toBe(elsewhere);
    expect((await t.cache.get(keyOf('a'), mostRecent))!.attributes.name).toBe('a');
    expect(t.store.calls('list')).toBe(lists);
    const revision = await t.put('a', { data: '2' });
    expect((await t.cache.list({ version: mostRecent })).objects[0]!.revision).toBe(revision);
  });

  test('Reads without progress take from the store what the watch has not shown yet', async () => {
    const t = await cacheUnderTest();
    t.store.soundProgress = false;
    for (const name of ['a', 'b', 'c']) await t.put(name);
    await t.cache.list({ version: any });
    t.store.pauseWatches();
    const changed = await t.put('b', { data: '2' });
    const added = await t.put('d');
    await t.store.delete(keyOf('c'), (await t.store.get(keyOf('c'))).kv!.modRevision);
    const read = t.cache.list({ version: mostRecent });
    await settle();
    await t.clock.advance(5);
    const list = await read;
    expect(list.objects.map(({ attributes: attributes, revision }) => [attributes.name, revision]).slice(1)).toEqual([
      ['b', changed],
      ['d', added],
    ]);
    expect(await t.cache.get(keyOf('c'), mostRecent)).toBeUndefined();
    expect((await t.cache.list({ version: any })).objects.map(({ attributes: attributes }) => attributes.name)).toEqual(
      ['a', 'b', 'c'],
    );
  });
});

describe('own writes', () => {
  test('Own writes are decoded once, and readers get these objects, in either order of events', async () => {
    const t = await cacheUnderTest();
    await t.cache.list({ version: any });
    const created = await t.cache.create(keyOf('a'), bytesOf('a'));
    expect(await t.cache.get(keyOf('a'), mostRecent)).toBe(created);
    t.store.pauseWatches();
    const result = await t.cache.update(keyOf('a'), bytesOf('a', { data: '2' }), created.revision);
    t.store.resumeWatches();
    if (!result.applied) throw new Error('there is no other writer');
    expect(await t.cache.get(keyOf('a'), mostRecent)).toBe(result.object);
    expect(t.opened).toBe(2);
  });

  test('Own writes are not mistaken for what another server wrote to the key afterwards', async () => {
    const t = await cacheUnderTest();
    await t.cache.list({ version: any });
    t.store.pauseWatches();
    const created = await t.cache.create(keyOf('a'), bytesOf('a', { data: 'mine' }));
    const revision = await t.put('a', { data: 'theirs' });
    t.store.resumeWatches();
    const read = await t.cache.get(keyOf('a'), mostRecent);
    expect(read!.revision).toBe(revision);
    expect(JSON.parse(read!.bytes.toString())).toMatchObject({ data: 'theirs' });
    expect(await t.cache.get(keyOf('a'), { match: 'exact', revision: created.revision })).toBe(created);
  });

  test('Own writes do not show before their event: the cache moves by whole revisions', async () => {
    const t = await cacheUnderTest();
    await t.cache.list({ version: any });
    t.store.pauseWatches();
    await t.cache.create(keyOf('a'), bytesOf('a'));
    expect((await t.cache.list({ version: any })).objects).toEqual([]);
    t.store.resumeWatches();
    expect((await t.cache.list({ version: mostRecent })).objects).toHaveLength(1);
  });
});
