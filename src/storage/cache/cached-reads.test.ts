import { describe, expect, test } from 'vitest';
import { Latch } from '../../base/latch.ts';
import { openEmbeddedStore } from '../embedded/open.ts';
import type { ObjectAttributes, ObjectList, ObjectListOptions, Selection } from '../objects.ts';
import { labelled, Watched } from '../testing/objects/support.ts';
import { any, bytesOf, cacheUnderTest, caughtUp, keyOf, mostRecent, prefix, settle } from './testing/support.ts';

describe('reads at the most recent version', () => {
  test('share one question to the store, those that wait when it is sent', async () => {
    const t = await cacheUnderTest();
    await t.put('a');
    await t.cache.list({ version: any });
    const asked = t.store.calls('currentRevision');
    await Promise.all(Array.from({ length: 16 }, () => t.cache.get(keyOf('a'), mostRecent)));
    expect(t.store.calls('currentRevision')).toBe(asked + 1);
    expect(t.store.calls('get')).toBe(1); // put's own
  });

  test('do not share a question to the store with reads that come after it was sent', async () => {
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

  test('share one question to the store across its caches', async () => {
    const t = await cacheUnderTest();
    const caches = [t.open(), t.open({ prefix: '/registry/others/' })];
    for (const cache of caches) await cache.list({ version: any });
    const asked = t.store.calls('currentRevision');
    await Promise.all(caches.map((cache) => cache.list({ version: mostRecent })));
    expect(t.store.calls('currentRevision')).toBe(asked + 1);
  });

  test('wait for the events of their own resource without asking for progress', async () => {
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

  test('ask for progress when the revision is of something else', async () => {
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

  test('ask again while progress does not come', async () => {
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

  test('ask anew for the next revision of something else, without waiting out a period', async () => {
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

  test('go to the store when the watch hangs while the store answers', async () => {
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

  test('fail with what the store says while it is away', async () => {
    const t = await cacheUnderTest();
    await t.cache.list({ version: any });
    t.store.disconnect();
    await expect(t.cache.get(keyOf('a'), mostRecent)).rejects.toMatchObject({ reason: 'Unavailable' });
    await expect(t.cache.list({ version: mostRecent })).rejects.toMatchObject({ reason: 'Unavailable' });
  });

  test('end when their caller no longer waits', async () => {
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

  test('find out when the store has gone back in time, and begin anew', async () => {
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
  test('of one object ask the store for it only when another revision is in between', async () => {
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

  test('of many share one list of keys, and answer with the objects of the cache', async () => {
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

  test('remember that nothing had changed, until something does', async () => {
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

  test('take from the store what the watch has not shown yet', async () => {
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

describe('what was listed while the cache moved on', () => {
  test('is answered as of its revision, and not taken for the state of other ranges', async () => {
    const t = await cacheUnderTest();
    t.store.soundProgress = false;
    for (const name of ['a', 'b']) await t.put(name);
    await t.cache.list({ version: any });
    const elsewhere = await t.putElsewhere();
    const answered = new Latch();
    t.store.delay = (method) => (method === 'list' ? answered.wait() : undefined);
    const read = t.cache.list({ version: mostRecent, selection: { namespace: 'default' }, limit: 1 });
    await settle();
    await t.clock.advance(5);
    const late = await t.put('x', { namespace: 'other' });
    await t.put('c');
    await settle();
    answered.open();
    const page = await read;
    expect(page).toMatchObject({ revision: elsewhere, remaining: 1 });
    const past = await t.cache.list({ version: { match: 'exact', revision: elsewhere } });
    expect(past.objects.map(({ attributes: attributes }) => attributes.name)).toEqual(['a', 'b']);
    expect(
      (await t.cache.list({ version: { match: 'exact', revision: late } })).objects.map(
        ({ attributes: attributes }) => attributes.name,
      ),
    ).toEqual(['a', 'b', 'x']);
  });

  test('is the initial state of a watch; later changes are delivered after it', async () => {
    const t = await cacheUnderTest();
    t.store.soundProgress = false;
    const first = await t.put('a');
    await t.cache.list({ version: any });
    await t.putElsewhere();
    const answered = new Latch();
    t.store.delay = (method) => (method === 'list' ? answered.wait() : undefined);
    const watched = new Watched();
    const opened = watched.open(t.cache, { after: 'mostRecent', initialEvents: true, bookmarks: true });
    await settle();
    await t.clock.advance(5);
    const later = await t.put('b');
    await settle();
    answered.open();
    await opened;
    const lines = await watched.lineCount(3);
    expect([lines[0], lines[2]]).toEqual([`ADDED a @${first}`, `ADDED b @${later}`]);
  });
});

describe('reads at an exact version', () => {
  test('of the recent past are answered from memory', async () => {
    const t = await cacheUnderTest();
    await t.cache.list({ version: any });
    const first = await t.put('a', { data: '1' });
    await t.put('b');
    const last = await t.put('a', { data: '2' });
    await caughtUp(t.cache, 'a', last);
    const lists = t.store.calls('list');
    expect(
      (await t.cache.list({ version: { match: 'exact', revision: first } })).objects.map(({ revision }) => revision),
    ).toEqual([first]);
    expect(
      (await t.cache.list({ version: { match: 'exact', revision: last - 1 } })).objects.map(({ revision }) => revision),
    ).toEqual([first, last - 1]);
    expect((await t.cache.get(keyOf('a'), { match: 'exact', revision: first }))!.revision).toBe(first);
    expect(t.store.calls('list')).toBe(lists);
  });

  test('from before the window are answered by the store', async () => {
    const t = await cacheUnderTest();
    const cache = t.open({ windowLimits: { minEvents: 0, maxEvents: 2 } });
    await cache.list({ version: any });
    const first = await t.put('a', { data: '1' });
    let last = first;
    for (const data of ['2', '3', '4']) last = await t.put('a', { data });
    await caughtUp(cache, 'a', last);
    const lists = t.store.calls('list');
    expect(
      (await cache.list({ version: { match: 'exact', revision: first } })).objects.map(({ revision }) => revision),
    ).toEqual([first]);
    expect(t.store.calls('list')).toBe(lists + 1);
  });

  test('pages go on in memory as long as the window reaches back', async () => {
    const t = await cacheUnderTest();
    for (const name of ['a', 'b', 'c']) await t.put(name);
    const page = await t.cache.list({ version: any, limit: 1 });
    let last = 0;
    for (let round = 0; round < 50; round++) last = await t.put('b', { data: String(round) });
    await caughtUp(t.cache, 'b', last);
    const lists = t.store.calls('list');
    const rest = await t.cache.list({ version: { match: 'exact', revision: page.revision }, after: page.lastKey! });
    expect(
      rest.objects.map(({ attributes: attributes, bytes }) => [
        attributes.name,
        (JSON.parse(bytes.toString()) as { data?: string }).data,
      ]),
    ).toEqual([
      ['b', undefined],
      ['c', undefined],
    ]);
    expect(t.store.calls('list')).toBe(lists);
  });

  test('expire with the history of the store once the cache is told of the compaction', async () => {
    const t = await cacheUnderTest();
    await t.cache.list({ version: any });
    const first = await t.put('a', { data: '1' });
    const last = await t.put('a', { data: '2' });
    await caughtUp(t.cache, 'a', last);
    await t.store.compact(last);
    t.cache.compacted(last);
    await expect(t.cache.list({ version: { match: 'exact', revision: first } })).rejects.toMatchObject({
      reason: 'Compacted',
    });
    await expect(t.cache.get(keyOf('a'), { match: 'exact', revision: first })).rejects.toMatchObject({
      reason: 'Compacted',
    });
    expect((await t.cache.list({ version: { match: 'exact', revision: last } })).objects).toHaveLength(1);
  });
});

describe('own writes', () => {
  test('are decoded once, and are the objects that readers get, in either order of answer and event', async () => {
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

  test('are not mistaken for what another server wrote to the key afterwards', async () => {
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

  test('do not show before their event: the cache moves by whole revisions', async () => {
    const t = await cacheUnderTest();
    await t.cache.list({ version: any });
    t.store.pauseWatches();
    await t.cache.create(keyOf('a'), bytesOf('a'));
    expect((await t.cache.list({ version: any })).objects).toEqual([]);
    t.store.resumeWatches();
    expect((await t.cache.list({ version: mostRecent })).objects).toHaveLength(1);
  });
});

test('lists by an indexed field read only the objects with its value, and give the same answer', async () => {
  const t = await cacheUnderTest();
  const indexed = t.open({ indexedFields: ['spec.nodeName'] });
  for (let index = 0; index < 60; index++)
    await t.put(`p${index}`, { namespace: `ns${index % 3}`, fields: { 'spec.nodeName': `n${index % 4}` } });
  await t.put('p1', { namespace: 'ns1', fields: { 'spec.nodeName': 'n3' } });
  const options = {
    version: mostRecent,
    selection: { namespace: 'ns1', fieldEquals: new Map([['spec.nodeName', 'n3']]) },
    after: `${prefix}ns1/p1`,
  };
  const keys = async (storage: typeof indexed): Promise<string[]> =>
    (await storage.list(options)).objects.map(({ key }) => key);
  expect(await keys(indexed)).toEqual(await keys(t.cache));
  expect(await keys(indexed)).toHaveLength(5);
});

describe('lists by a label', () => {
  const list = async (
    storage: { list: (options: ObjectListOptions) => Promise<ObjectList> },
    selection: Selection,
  ): Promise<string[]> =>
    (await storage.list({ version: mostRecent, selection })).objects.map(({ key, revision }) => `${key} @${revision}`);

  test.each([
    { name: 'of a namespace', selection: labelled('a7', { namespace: 'ns1' }) },
    { name: 'of all namespaces', selection: labelled('a7') },
    { name: 'that no object has', selection: labelled('a99') },
    { name: 'of one object', selection: labelled('a7', { namespace: 'ns1', name: 'p7' }) },
    {
      name: 'with more than the index knows',
      selection: {
        ...labelled('a7'),
        matches: ({ labels, name }: ObjectAttributes) => labels.get('app') === 'a7' && name !== 'p7',
      },
    },
  ])('$name are as without an index, before and after changes', async ({ selection }) => {
    const t = await cacheUnderTest();
    for (let index = 0; index < 60; index++)
      await t.put(`p${index}`, { namespace: `ns${index % 3}`, labels: { app: `a${index % 10}`, own: `${index}` } });
    const { labelEquals: _, ...unindexed } = selection;
    expect(await list(t.cache, selection)).toEqual(await list(t.cache, unindexed));
    await t.put('p7', { namespace: 'ns1', labels: { app: 'a7', more: 'x' } });
    await t.put('p17', { namespace: 'ns2', labels: { app: 'a8' } });
    await t.put('p18', { namespace: 'ns0', labels: { app: 'a7' } });
    await t.put('p27', { namespace: 'ns0' });
    await t.store.delete(keyOf('p37', 'ns1'), (await t.store.get(keyOf('p37', 'ns1'))).kv!.modRevision);
    expect(await list(t.cache, selection)).toEqual(await list(t.cache, unindexed));
  });

  test('look at what has it, and at all in order where those are many', async () => {
    const t = await cacheUnderTest();
    for (let index = 0; index < 40; index++)
      await t.put(`p${index}`, { labels: { app: index % 20 === 0 ? 'few' : 'many' } });
    await list(t.cache, labelled('few'));
    await list(t.cache, labelled('many'));
    expect([...t.cache.counts.cache]).toEqual([
      ['l:', { lists: 1, fetched: 2, returned: 2 }],
      ['', { lists: 1, fetched: 40, returned: 38 }],
    ]);
  });
});
