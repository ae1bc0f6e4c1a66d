import { describe, expect, test } from 'vitest';
import { FakeClock } from '../base/testing/fake-clock.ts';
import type { LeaseStore } from './lease-manager.ts';
import { createLeaseManager } from './lease-manager.ts';

/** Grants "1", "2", … and remembers for how long. */
function grantingStore(): LeaseStore & { readonly ttls: number[] } {
  const ttls: number[] = [];
  return { ttls, grantLease: async (ttlSeconds) => String(ttls.push(ttlSeconds)) };
}

describe('shared leases', () => {
  test.each([
    { name: 'events of an hour share a minute', ttlSeconds: 3600, reuseSeconds: 60, granted: 3660 },
    { name: 'a short time to live is extended by 5 %', ttlSeconds: 600, reuseSeconds: 60, granted: 630 },
    { name: 'a very short one is not extended', ttlSeconds: 15, reuseSeconds: 60, granted: 15 },
    { name: 'the option limits the extension', ttlSeconds: 3600, reuseSeconds: 5, granted: 3605 },
    { name: 'parts of a second count as a whole one', ttlSeconds: 0.5, reuseSeconds: 60, granted: 1 },
  ])('Shared leases: $name', async ({ ttlSeconds, reuseSeconds, granted }) => {
    const store = grantingStore();
    await createLeaseManager({ clock: new FakeClock(), reuseSeconds }).lease(store, ttlSeconds);
    expect(store.ttls).toEqual([granted]);
  });

  test('The lease is shared until it would end too early for the next object', async () => {
    const store = grantingStore();
    const clock = new FakeClock();
    const manager = createLeaseManager({ clock });
    const leases: string[] = [];
    for (let i = 0; i < 8; i++) {
      leases.push(await manager.lease(store, 3600));
      await clock.advance(20_000);
    }
    expect(leases).toEqual(['1', '1', '1', '2', '2', '2', '3', '3']);
  });

  test('A lease takes so many objects and no more', async () => {
    const store = grantingStore();
    const manager = createLeaseManager({ clock: new FakeClock(), maxObjects: 3 });
    const leases = await Promise.all(Array.from({ length: 8 }, () => manager.lease(store, 3600)));
    expect(leases).toEqual(['1', '1', '1', '2', '2', '2', '3', '3']);
  });

  test('Callers of shared leases at the same time wait for one grant', async () => {
    const store = grantingStore();
    const manager = createLeaseManager({ clock: new FakeClock() });
    expect(await Promise.all([manager.lease(store, 60), manager.lease(store, 60), manager.lease(store, 60)])).toEqual([
      '1',
      '1',
      '1',
    ]);
    expect(store.ttls).toEqual([63]);
  });

  test('Each time to live, and each store, has its own', async () => {
    const manager = createLeaseManager({ clock: new FakeClock() });
    const stores = [grantingStore(), grantingStore()];
    for (const store of stores) for (const ttlSeconds of [3600, 60, 3600, 60]) await manager.lease(store, ttlSeconds);
    expect(stores.map((store) => store.ttls)).toEqual([
      [3660, 63],
      [3660, 63],
    ]);
  });

  test('A grant that failed is not remembered', async () => {
    let fail = true;
    const store: LeaseStore = {
      grantLease: async () => {
        if (fail) throw new Error('no');
        return '7';
      },
    };
    const manager = createLeaseManager({ clock: new FakeClock() });
    await expect(manager.lease(store, 60)).rejects.toThrow('no');
    fail = false;
    expect(await manager.lease(store, 60)).toBe('7');
  });
});
