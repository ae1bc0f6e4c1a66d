import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { FakeClock } from '../base/testing/fake-clock.ts';
import { compactRevisionKey, startCompactor } from './compactor.ts';
import type { Compactor, CompactorOptions } from './compactor.ts';
import { openEmbeddedStore } from './embedded/open.ts';
import { StorageError } from './storage-error.ts';
import type { Store } from './interface.ts';

const intervalMs = 300_000;

/** A server with a compactor, which sees the store through a counting window. */
class Replica {
  readonly compacted: number[] = [];
  readonly told: number[] = [];
  rounds = 0;
  failNext: Error | undefined;
  readonly compactor: Compactor;

  constructor(store: Store, clock: FakeClock, options: Partial<CompactorOptions> = {}) {
    this.compactor = startCompactor({
      clock,
      intervalMs,
      onCompacted: (revision) => this.told.push(revision),
      store: {
        update: async (...args) => {
          const failure = this.failNext;
          this.failNext = undefined;
          if (failure !== undefined) throw failure;
          const result = await store.update(...args);
          this.rounds++;
          return result;
        },
        compact: async (revision) => {
          await store.compact(revision);
          this.compacted.push(revision);
        },
      },
      ...options,
    });
    onTestFinished(() => this.compactor.stop());
  }
}

async function openStore(): Promise<Store> {
  const store = await openEmbeddedStore();
  onTestFinished(() => store[Symbol.asyncDispose]());
  return store;
}

let keys = 0;
const write = async (store: Store): Promise<number> => (await store.create(`/k${++keys}`, Buffer.from('x'))).revision;

/** One interval passes, and each of these replicas runs once. */
async function interval(clock: FakeClock, replicas: readonly Replica[]): Promise<void> {
  const before = replicas.map((replica) => replica.rounds);
  await clock.advance(intervalMs);
  await vi.waitFor(() => expect(replicas.every((replica, i) => replica.rounds > before[i]!)).toBe(true));
  await clock.advance(0);
}

describe('compactor', () => {
  test('The compactor drops what is an interval old, and not before', async () => {
    const store = await openStore();
    const clock = new FakeClock();
    const replica = new Replica(store, clock);
    await write(store);
    await interval(clock, [replica]);
    expect((await store.get(compactRevisionKey)).kv?.value.toString()).toBe('0');
    const first = await store.currentRevision();
    expect(replica.compacted).toEqual([]);
    const young = await write(store);
    await interval(clock, [replica]);
    expect(replica.compacted).toEqual([first]);
    expect(replica.told).toEqual([first]);
    expect((await store.get(compactRevisionKey)).kv?.value.toString()).toBe(String(first));
    await expect(store.list('/k', { revision: first - 1 })).rejects.toMatchObject({ reason: 'Compacted' });
    expect((await store.list('/k', { revision: young })).revision).toBe(young);
  });

  test('Of several replicas one compacts, the others hear of it', async () => {
    const store = await openStore();
    const clock = new FakeClock();
    const replicas = [new Replica(store, clock), new Replica(store, clock), new Replica(store, clock)];
    const revisions: number[] = [];
    for (let i = 0; i < 6; i++) {
      await interval(clock, replicas);
      revisions.push(await store.currentRevision());
      await write(store);
    }
    const all = replicas.flatMap((replica) => replica.compacted);
    expect(new Set(all).size).toBe(all.length);
    expect(all.length).toBeGreaterThanOrEqual(4);
    // No server dropped what was younger than an interval.
    expect(Math.max(...all)).toBeLessThanOrEqual(revisions.at(-2)!);
    for (const replica of replicas) expect(replica.told.length).toBeGreaterThan(0);
  });

  test('Another replica takes over from one that has gone', async () => {
    const store = await openStore();
    const clock = new FakeClock();
    const gone = new Replica(store, clock);
    for (let i = 0; i < 3; i++) await interval(clock, [gone]);
    await gone.compactor.stop();
    const heir = new Replica(store, clock);
    await interval(clock, [heir]);
    expect(heir.compacted).toEqual([]);
    expect(heir.told).toEqual([gone.compacted.at(-1)]);
    const agreed = await store.currentRevision();
    await write(store);
    await interval(clock, [heir]);
    expect(heir.compacted).toEqual([agreed]);
  });

  test('The compactor goes on after a failure, also one that leaves open whether the write was made', async () => {
    const store = await openStore();
    const clock = new FakeClock();
    const warnings: string[] = [];
    const log = {
      debug: () => {},
      info: () => {},
      error: () => {},
      warn: (_: object, message: string) => void warnings.push(message),
    };
    const replica = new Replica(store, clock, { log });
    await interval(clock, [replica]);
    replica.failNext = new StorageError('Unavailable', 'gone');
    await clock.advance(intervalMs);
    expect(warnings).toHaveLength(1);
    // As if the failed write had been made after all.
    const { kv } = await store.get(compactRevisionKey);
    await store.update(compactRevisionKey, Buffer.from('0'), kv!.modRevision);
    await interval(clock, [replica]);
    expect(replica.compacted).toEqual([]);
    await interval(clock, [replica]);
    expect(replica.compacted).toHaveLength(1);
  });

  test('The compactor starts again when the key has vanished', async () => {
    const store = await openStore();
    const clock = new FakeClock();
    const replica = new Replica(store, clock);
    for (let i = 0; i < 2; i++) await interval(clock, [replica]);
    const { kv } = await store.get(compactRevisionKey);
    await store.delete(compactRevisionKey, kv!.modRevision);
    for (let i = 0; i < 2; i++) await interval(clock, [replica]);
    expect(replica.compacted).toHaveLength(2);
  });

  test('An interval of 0 disables it', async () => {
    const clock = new FakeClock();
    const store = await openStore();
    new Replica(store, clock, { intervalMs: 0 });
    expect(clock.pending).toBe(0);
  });

  test('The compactor does nothing any more once it is stopped', async () => {
    const store = await openStore();
    const clock = new FakeClock();
    const replica = new Replica(store, clock);
    await replica.compactor.stop();
    await clock.advance(10 * intervalMs);
    expect(replica.rounds).toBe(0);
  });
});
