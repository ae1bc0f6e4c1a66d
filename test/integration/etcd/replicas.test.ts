/** What several servers on one etcd agree on. */
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { FakeClock } from '../../../src/base/testing/fake-clock.ts';
import { compactRevisionKey, startCompactor } from '../../../src/storage/compactor.ts';
import { EtcdStore } from '../../../src/storage/etcd/store.ts';
import { createLeaseManager } from '../../../src/storage/lease-manager.ts';
import { WatchLog } from '../../../src/storage/testing/contract/support.ts';
import { EtcdServer, etcdVersions } from '../../support/etcd.ts';

const intervalMs = 300_000;

async function openTwo(version: (typeof etcdVersions)[number]): Promise<EtcdStore[]> {
  const etcd = await EtcdServer.start({ version });
  const stores = [new EtcdStore({ endpoints: [etcd.url] }), new EtcdStore({ endpoints: [etcd.url] })];
  onTestFinished(async () => {
    for (const store of stores) await store[Symbol.asyncDispose]();
    await etcd[Symbol.asyncDispose]();
  });
  return stores;
}

describe.each(etcdVersions)('two servers on etcd %s', (version) => {
  test('Two servers on etcd compact once an interval, and never what is younger', async () => {
    const stores = await openTwo(version);
    const clock = new FakeClock();
    const told: number[][] = [[], []];
    const compactors = stores.map((store, i) =>
      startCompactor({ store, clock, intervalMs, onCompacted: (revision) => told[i]!.push(revision) }),
    );
    onTestFinished(async () => void (await Promise.all(compactors.map((compactor) => compactor.stop()))));
    const store = stores[0]!;
    const ends: number[] = [];
    for (let round = 0; round < 5; round++) {
      const before = (await store.get(compactRevisionKey)).kv?.modRevision;
      await store.create(`/r/${round}`, Buffer.from('x'));
      await clock.advance(intervalMs);
      await vi.waitFor(async () => expect((await store.get(compactRevisionKey)).kv?.modRevision).not.toBe(before));
      ends.push(await store.currentRevision());
    }
    // The one that did not compact has heard of it.
    await vi.waitFor(() => expect(told.map((revisions) => revisions.length > 0)).toEqual([true, true]));
    const compacted = Number((await store.get(compactRevisionKey)).kv?.value.toString());
    expect(compacted).toBeGreaterThan(0);
    expect(compacted).toBeLessThanOrEqual(ends.at(-2)!);
    await expect(store.list('/r/', { revision: Math.max(...told.flat()) - 1 })).rejects.toMatchObject({
      reason: 'Compacted',
    });
    expect((await store.list('/r/', { revision: ends.at(-2)! })).count).toBe(4);
  });

  test('Two servers on etcd attach objects to shared leases, which end together', { timeout: 60_000 }, async () => {
    const [store] = await openTwo(version);
    const leases = createLeaseManager({ maxObjects: 3 });
    const log = new WatchLog(store!, '/e/', { after: await store!.currentRevision() });
    onTestFinished(() => log.stop());
    // 40 s to live may be shared for 2 s; waiting for their end would take too long.
    const shared = await Promise.all(Array.from({ length: 4 }, () => leases.lease(store!, 40)));
    expect([shared[0] === shared[1], shared[1] === shared[2], shared[2] === shared[3]]).toEqual([true, true, false]);
    const short = createLeaseManager();
    for (const name of ['a', 'b'])
      await store!.create(`/e/${name}`, Buffer.from('x'), { lease: await short.lease(store!, 2) });
    await log.until((one) => one.events.filter((event) => event.type === 'delete').length === 2);
  });
});
