/** What can happen between the steps of a comparison with the store, forced one by one. */
import { describe, expect, test } from 'vitest';
import { Latch } from '../../base/latch.ts';
import type { ObjectList } from '../objects.ts';
import { createJsonCodec } from '../testing/json-codec.ts';
import { any, bytesOf, cacheUnderTest, caughtUp, keyOf, mostRecent, settle } from './testing/support.ts';
import type { CacheUnderTest } from './testing/support.ts';

const linesOf = ({ objects }: ObjectList): string[] =>
  objects.map(({ attributes: attributes, revision }) => `${attributes.name} @${revision}`);

interface Filled {
  readonly t: CacheUnderTest;
  /** Revisions of the objects. */
  readonly at: { a: number; b: number; c: number };
}

/** A cache that holds three objects, over a store whose progress cannot be believed. */
async function filled(): Promise<Filled> {
  const t = await cacheUnderTest();
  t.store.soundProgress = false;
  const at = { a: await t.put('a'), b: await t.put('b'), c: await t.put('c') };
  await t.cache.list({ version: any });
  return { t, at };
}

/** Without reading first: reads may be held. */
async function overwrite(t: CacheUnderTest, name: string, expected: number): Promise<number> {
  return (
    await t.store.update(
      keyOf(name),
      createJsonCodec().encode(keyOf(name), bytesOf(name, { data: `after ${expected}` })),
      expected,
    )
  ).revision;
}

/** Starts a read of everything that does not find the cache in time, and lets it go as far as it can. */
async function startComparing(t: CacheUnderTest): Promise<{ list: Promise<ObjectList> }> {
  const list = t.cache.list({ version: mostRecent });
  list.catch(() => undefined);
  await settle();
  await t.clock.advance(5);
  await settle();
  return { list };
}

describe('between the list of keys and the values that differ', () => {
  test('The store drops that revision: the keys are listed again', async () => {
    const { t, at } = await filled();
    t.store.pauseWatches();
    const changed = await overwrite(t, 'b', at.b);
    const release = t.store.hold('get');
    const { list } = await startComparing(t);
    const later = await overwrite(t, 'c', at.c);
    await t.store.compact(later);
    release();
    expect(linesOf(await list)).toEqual([`a @${at.a}`, `b @${changed}`, `c @${later}`]);
  });

  test('The cache overtakes the list: the answer is as of the list, and nothing is taken for proven', async () => {
    const { t, at } = await filled();
    t.store.pauseWatches();
    const changed = await overwrite(t, 'b', at.b);
    const release = t.store.hold('get');
    const { list } = await startComparing(t);
    const later = await overwrite(t, 'b', changed);
    t.store.resumeWatches();
    await caughtUp(t.cache, 'b', later);
    release();
    expect(linesOf(await list)).toEqual([`a @${at.a}`, `b @${changed}`, `c @${at.c}`]);
    expect(linesOf(await t.cache.list({ version: mostRecent }))).toEqual([`a @${at.a}`, `b @${later}`, `c @${at.c}`]);
  });

  test('The cache is filled anew: the answer is as of the list', async () => {
    const { t, at } = await filled();
    t.store.pauseWatches();
    const changed = await overwrite(t, 'b', at.b);
    const release = t.store.hold('get');
    const { list } = await startComparing(t);
    const later = await overwrite(t, 'c', at.c);
    t.store.disconnect();
    await settle();
    t.store.reconnect();
    t.store.resumeWatches();
    release();
    expect(linesOf(await list)).toEqual([`a @${at.a}`, `b @${changed}`, `c @${at.c}`]);
    while ((await t.cache.get(keyOf('c'), any))!.revision < later) {
      await t.clock.advance(1_000);
      await settle();
    }
  });
});

describe('between the question and the answer of a list', () => {
  /** Reads while the answer to the list is on its way and `meanwhile` happens. */
  async function listedDuring(t: CacheUnderTest, meanwhile: () => Promise<unknown>): Promise<ObjectList> {
    const answered = new Latch();
    t.store.delay = (method) => (method === 'list' ? answered.wait() : undefined);
    const { list } = await startComparing(t);
    await meanwhile();
    t.store.delay = () => undefined;
    answered.open();
    return list;
  }

  test.each([
    { name: 'a change', change: (t: CacheUnderTest, { b }: Filled['at']) => overwrite(t, 'b', b) },
    {
      name: 'a deletion',
      change: async (t: CacheUnderTest, { b }: Filled['at']) => (await t.store.delete(keyOf('b'), b)).revision,
    },
    { name: 'a creation', change: (t: CacheUnderTest) => t.put('bb') },
  ])('A list during which the cache saw $name answers without it, and the next one with it', async ({ change }) => {
    const { t, at } = await filled();
    const elsewhere = await t.putElsewhere();
    const list = await listedDuring(t, async () => {
      const revision = await change(t, at);
      while ((await t.cache.list({ version: any })).revision < revision) await settle();
    });
    expect([list.revision, ...linesOf(list)]).toEqual([elsewhere, `a @${at.a}`, `b @${at.b}`, `c @${at.c}`]);
    expect(linesOf(await t.cache.list({ version: mostRecent }))).not.toEqual(linesOf(list));
  });

  test('A change that the cache has not seen yet is not missed by reads that begin after it', async () => {
    const { t, at } = await filled();
    await t.putElsewhere();
    let later = 0;
    const list = await listedDuring(t, async () => {
      t.store.pauseWatches();
      later = await overwrite(t, 'b', at.b);
    });
    // The list proved that the cache was equal to the store; it no longer is, and the cache does not know.
    expect(linesOf(list)).toEqual([`a @${at.a}`, `b @${at.b}`, `c @${at.c}`]);
    const { list: next } = await startComparing(t);
    expect(linesOf(await next)).toEqual([`a @${at.a}`, `b @${later}`, `c @${at.c}`]);
    expect((await t.cache.get(keyOf('b'), mostRecent))!.revision).toBe(later);
  });

  test('A read that begins meanwhile waits for its own list', async () => {
    const { t, at } = await filled();
    await t.putElsewhere();
    let later = 0;
    let asked: Promise<ObjectList> | undefined;
    const first = await listedDuring(t, async () => {
      t.store.pauseWatches();
      later = await overwrite(t, 'b', at.b);
      asked = (await startComparing(t)).list;
    });
    expect(linesOf(first)[1]).toBe(`b @${at.b}`);
    expect(linesOf(await asked!)[1]).toBe(`b @${later}`);
  });

  test('A get that begins meanwhile does not get the older answer either', async () => {
    const { t, at } = await filled();
    await t.putElsewhere();
    const answered = new Latch();
    t.store.delay = (method) => (method === 'get' ? answered.wait() : undefined);
    const first = t.cache.get(keyOf('b'), mostRecent);
    await settle();
    t.store.pauseWatches();
    const later = await overwrite(t, 'b', at.b);
    const second = t.cache.get(keyOf('b'), mostRecent);
    await settle();
    t.store.delay = () => undefined;
    answered.open();
    expect([(await first)!.revision, (await second)!.revision]).toEqual([at.b, later]);
  });
});
