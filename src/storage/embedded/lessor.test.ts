import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { FakeClock } from '../../base/testing/fake-clock.ts';
import { EmbeddedStore } from './embedded-store.ts';
import { Lessor } from './lessor.ts';
import { MemoryJournal } from './memory-journal.ts';

const bytes = (text: string): Buffer => Buffer.from(text);

describe('leases of a store', () => {
  let clock: FakeClock;
  let store: EmbeddedStore;
  beforeEach(() => {
    clock = new FakeClock();
    store = new EmbeddedStore(new MemoryJournal({ maxSizeBytes: 1024 ** 3 }), { clock });
  });
  afterEach(() => store[Symbol.asyncDispose]());

  test('Leases of a store end at their time, each at a revision of its own', async () => {
    const [first, second] = [await store.grantLease(10), await store.grantLease(20)];
    for (const name of ['/a', '/b']) await store.create(name, bytes('x'), { lease: first });
    await store.create('/c', bytes('x'), { lease: second });
    await clock.advance(9_999);
    expect(await store.list('/')).toMatchObject({ revision: 4, count: 3 });
    await clock.advance(1);
    expect(await store.list('/')).toMatchObject({ revision: 5, count: 1 });
    await clock.advance(10_000);
    expect(await store.list('/')).toMatchObject({ revision: 6, count: 0 });
    expect(clock.pending).toBe(0);
  });

  test('Leases of a store without keys end without a revision', async () => {
    const lease = await store.grantLease(10);
    await clock.advance(10_000);
    expect(await store.currentRevision()).toBe(1);
    await expect(store.create('/a', bytes('x'), { lease })).rejects.toMatchObject({ reason: 'LeaseNotFound' });
  });

  test('Leases of a store of years have a timer that fits', async () => {
    const year = 365 * 24 * 3600;
    const lease = await store.grantLease(year);
    await store.create('/a', bytes('x'), { lease });
    await clock.advance((year - 1) * 1000);
    expect((await store.list('/')).count).toBe(1);
    await clock.advance(1000);
    expect((await store.list('/')).count).toBe(0);
  });

  test.each([0, -1, NaN, Infinity])('Leases of a store cannot be granted for %d seconds', async (ttlSeconds) => {
    await expect(store.grantLease(ttlSeconds)).rejects.toThrow(`a lease cannot live for ${ttlSeconds} seconds`);
  });

  test('Leases of a store are found by their exact id only', async () => {
    const lease = await store.grantLease(10);
    for (const name of ['', '0', `0${lease}`, ` ${lease}`, `${lease}.0`, 'x']) {
      await expect(store.create('/a', bytes('x'), { lease: name })).rejects.toMatchObject({ reason: 'LeaseNotFound' });
    }
  });

  test('Leases of a store do not matter to a write whose guard fails', async () => {
    await store.create('/a', bytes('x'));
    await expect(store.create('/a', bytes('y'), { lease: '1' })).rejects.toMatchObject({ reason: 'KeyExists' });
    expect(await store.update('/a', bytes('y'), 9, { lease: '1' })).toMatchObject({ applied: false });
  });
});

describe('a stored lease', () => {
  beforeEach(() => {
    vi.useFakeTimers({ now: 1_000_000, toFake: ['Date'] });
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  test.each([
    { name: 'has the time left that is left', expiresAtMs: 1_030_000, leftMs: 30_000 },
    { name: 'ends at once when it ran out meanwhile', expiresAtMs: 900_000, leftMs: 0 },
    { name: 'lives no longer than granted when the wall clock was set back', expiresAtMs: 9_000_000, leftMs: 60_000 },
  ])('A stored lease: $name', async ({ expiresAtMs, leftMs }) => {
    const clock = new FakeClock();
    const ended: number[] = [];
    const book = new Lessor({ clock, end: async ({ id }) => ended.push(id) });
    book.restore({ id: 7, ttlMs: 60_000, expiresAtMs });
    book.schedule();
    if (leftMs > 0) await clock.advance(leftMs - 1);
    expect(ended).toEqual([]);
    await clock.advance(1);
    expect(ended).toEqual([7]);
  });
});
