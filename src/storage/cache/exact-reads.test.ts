import { describe, expect, test } from 'vitest';
import { Latch } from '../../base/latch.ts';
import { Watched } from '../testing/objects/support.ts';
import { any, cacheUnderTest, caughtUp, keyOf, mostRecent, settle } from './testing/support.ts';

describe('what was listed while the cache moved on', () => {
  test('A list made while the cache moved on is answered as of its revision, for its range alone', async () => {
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

  test('A list made while the cache moved on begins a watch; later changes are delivered after it', async () => {
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
  test('Reads at an exact version of the recent past are answered from memory', async () => {
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

  test('A watch from before the window are answered by the store', async () => {
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

  test('Pages at an exact version go on in memory as long as the window reaches back', async () => {
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

  test('Reads at an exact version expire with the history of the store after a compaction', async () => {
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
