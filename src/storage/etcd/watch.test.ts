/**
 * What a watch makes of answers that no healthy etcd gives on demand. What a real one gives, the contract suite judges.
 */
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { FakeClock } from '../../base/testing/fake-clock.ts';
import { startGrpcPeer } from '../../etcd/testing/grpc-peer.ts';
import type { GrpcPeer, GrpcPeerOptions, PeerWatch } from '../../etcd/testing/grpc-peer.ts';
import type { WatchBatch } from '../interface.ts';
import { WatchLog } from '../testing/contract/support.ts';
import { EtcdStore } from './store.ts';
import type { EtcdStoreOptions } from './store.ts';

const sound = '3.5.16';
const old = '3.4.23';

interface Scene {
  readonly peer: GrpcPeer;
  readonly store: EtcdStore;
  /** The streams that were opened, in order. */
  readonly streams: PeerWatch[];
  watch(after: number, previous?: boolean): WatchLog;
  /** Waits for the nth stream and says that it was created, at this revision. */
  stream(n: number, createdAt: number): Promise<PeerWatch>;
}

async function scene(options: GrpcPeerOptions & { store?: Partial<EtcdStoreOptions> } = {}): Promise<Scene> {
  const streams: PeerWatch[] = [];
  const peer = await startGrpcPeer((call) => call.reply(100), {
    onWatch: (watch) => void streams.push(watch),
    ...options,
  });
  const store = new EtcdStore({ endpoints: [peer.url], ...options.store });
  onTestFinished(() => store[Symbol.asyncDispose]());
  return {
    peer,
    store,
    streams,
    watch(after, previous = false) {
      const log = new WatchLog(store, '/p/', { after, previous });
      onTestFinished(() => log.stop());
      return log;
    },
    async stream(n, createdAt) {
      await vi.waitFor(() => expect(streams.length).toBeGreaterThanOrEqual(n), { timeout: 4_000 });
      const stream = streams[n - 1]!;
      stream.send({ header: { revision: createdAt }, created: true });
      return stream;
    },
  };
}

const put = (modRevision: number, key = '/p/a', size = 1) => ({
  kv: {
    key: Buffer.from(key),
    mod_revision: modRevision,
    create_revision: modRevision,
    value: Buffer.alloc(size, 'v'),
  },
});
const answer = (revision: number, events: object[], fragment = false) => ({ header: { revision }, events, fragment });
const revisions = (batches: readonly WatchBatch[]) =>
  batches.map((batch) => [batch.revision, ...batch.events.map((event) => event.modRevision)]);

describe('a watch on etcd', () => {
  test('A watch on etcd asks for changes after the revision, in fragments, with sound progress', async () => {
    const one = await scene({ version: sound });
    one.watch(41, true);
    expect((await one.stream(1, 41)).request).toEqual({
      key: '/p/',
      range_end: Buffer.from('/p0'),
      start_revision: 42,
      progress_notify: true,
      prev_kv: true,
      fragment: true,
    });
    const other = await scene({ version: old });
    other.watch(41);
    expect((await other.stream(1, 41)).request).toMatchObject({
      start_revision: 42,
      progress_notify: false,
      prev_kv: false,
    });
  });

  test('A watch on etcd from now on begins after the last revision that was seen', async () => {
    const { store, watch, stream } = await scene();
    watch(0);
    // The greeting said 7.
    expect((await stream(1, 7)).request.start_revision).toBe(8);
    await store.currentRevision();
    watch(0);
    expect((await stream(2, 100)).request.start_revision).toBe(101);
  });

  test('A watch on etcd from now on does not insist on history that is gone', async () => {
    const { watch, stream } = await scene();
    const log = watch(0);
    (await stream(1, 80)).send({ header: { revision: 80 }, canceled: true, compact_revision: 60 });
    const second = await stream(2, 80);
    expect(second.request.start_revision).toBe(61);
    second.send(answer(81, [put(81)]));
    expect(revisions((await log.until((one) => one.events.length > 0)).batches)).toEqual([[81, 81]]);
  });

  test('A watch on etcd from now on does insist on what came since', async () => {
    const { watch, stream } = await scene();
    const log = watch(0);
    const first = await stream(1, 7);
    first.stream.close(8);
    (await stream(2, 80)).send({ header: { revision: 80 }, canceled: true, compact_revision: 60 });
    await expect(log.ended).rejects.toMatchObject({ reason: 'Compacted', revision: 60 });
  });

  test('A watch on etcd passes a revision on when all of its fragments are here', async () => {
    const { watch, stream } = await scene();
    const log = watch(10);
    const first = await stream(1, 10);
    first.send(answer(12, [put(11), put(12, '/p/a')], true));
    await log.until((one) => one.batches.length === 1);
    first.send(answer(12, [put(12, '/p/b')], true));
    first.send(answer(12, []));
    first.send(answer(12, [put(12, '/p/c'), put(13)]));
    expect(revisions((await log.until((one) => one.revision === 13)).batches)).toEqual([
      [11, 11],
      [13, 12, 12, 12, 13],
    ]);
  });

  test('A watch on etcd cut off within a revision begins again with that revision', async () => {
    const { watch, stream } = await scene();
    const log = watch(10);
    const first = await stream(1, 10);
    first.send(answer(12, [put(11), put(12, '/p/a')], true));
    await log.until((one) => one.batches.length === 1);
    first.stream.session!.destroy();
    const second = await stream(2, 12);
    expect(second.request.start_revision).toBe(12);
    second.send(answer(12, [put(12, '/p/a'), put(12, '/p/b')]));
    await log.until((one) => one.revision === 12);
    expect(revisions(log.batches)).toEqual([
      [11, 11],
      [12, 12, 12],
    ]);
  });

  test('A watch on etcd begins after the last progress, if that is where it was', async () => {
    const { watch, stream } = await scene();
    const log = watch(10);
    const first = await stream(1, 10);
    first.send(answer(50, []));
    await log.until((one) => one.revision === 50);
    first.stream.close(8);
    expect((await stream(2, 60)).request.start_revision).toBe(51);
  });

  test('A watch on etcd drops what it has delivered before', async () => {
    const { watch, stream } = await scene();
    const log = watch(10);
    const first = await stream(1, 10);
    first.send(answer(12, [put(11), put(12)]));
    first.send(answer(12, [put(11), put(12)]));
    first.send(answer(13, [put(12), put(13)]));
    await log.until((one) => one.revision === 13);
    expect(revisions(log.batches)).toEqual([
      [12, 11, 12],
      [13, 13],
    ]);
  });

  test.each([
    { name: 'no leader', reason: 'etcdserver: no leader' },
    { name: 'no reason', reason: '' },
  ])('A watch on etcd canceled by etcd with $name is opened again', async ({ reason }) => {
    const { watch, stream } = await scene();
    const log = watch(10);
    const first = await stream(1, 10);
    first.send(answer(11, [put(11)]));
    first.send({ header: { revision: 11 }, canceled: true, cancel_reason: reason });
    const second = await stream(2, 12);
    expect(second.request.start_revision).toBe(12);
    second.send(answer(12, [put(12)]));
    await log.until((one) => one.revision === 12);
    expect(revisions(log.batches)).toEqual([
      [11, 11],
      [12, 12],
    ]);
  });

  test('A watch on etcd whose history is compacted ends, and says from where there is some', async () => {
    const { watch, stream } = await scene();
    const log = watch(10);
    const first = await stream(1, 90);
    first.send(answer(90, [put(11)]));
    first.send({ header: { revision: 90 }, canceled: true, compact_revision: 70 });
    await expect(log.ended).rejects.toMatchObject({ name: 'StorageError', reason: 'Compacted', revision: 70 });
    expect(revisions(log.batches)).toEqual([[11, 11]]);
  });

  test('A watch on etcd that may not be made ends at once', async () => {
    const peer = await startGrpcPeer((call) => call.reply(1), { onWatch: ({ stream }) => void stream.close(0) });
    const store = new EtcdStore({ endpoints: [peer.url], watchGiveUpMs: 0 });
    onTestFinished(() => store[Symbol.asyncDispose]());
    const log = new WatchLog(store, '/p/', { after: 1 });
    await expect(log.ended).rejects.toMatchObject({ reason: 'Unavailable' });
  });

  test('A watch on etcd gives up when etcd stays away, counted from when it was lost', async () => {
    const clock = new FakeClock();
    const { peer, watch, stream, streams } = await scene({ store: { clock, watchGiveUpMs: 15_000 } });
    const log = watch(10);
    const first = await stream(1, 10);
    first.send(answer(11, [put(11)]));
    await log.until((one) => one.revision === 11);
    await clock.advance(60_000);
    for (const session of peer.sessions) session.close();
    first.stream.close(7);
    let ended: unknown;
    log.ended.catch((error: unknown) => (ended = error));
    const lost = clock.now();
    while (ended === undefined) {
      const opened = streams.length;
      await clock.advance(100);
      await new Promise((resolve) => setTimeout(resolve, 2));
      // Whatever it opens again is refused.
      for (const { stream: again } of streams.slice(opened - 1)) again.close(7);
    }
    expect(ended).toMatchObject({ name: 'StorageError', reason: 'Unavailable' });
    expect(clock.now() - lost).toBeGreaterThan(15_000);
    expect(clock.now() - lost).toBeLessThan(20_000);
  });

  test('A watch on etcd does not let etcd send without bound while the consumer takes nothing', async () => {
    const { store, stream } = await scene();
    const abort = new AbortController();
    const iterator = store.watch('/p/', { after: 10, signal: abort.signal })[Symbol.asyncIterator]();
    const taken = iterator.next();
    const first = await stream(1, 10);
    const total = 400;
    for (let revision = 11; revision < 11 + total; revision++)
      first.send(answer(revision, [put(revision, '/p/a', 50_000)]));
    expect((await taken).value?.revision).toBe(11);
    await new Promise((resolve) => setTimeout(resolve, 200));
    const held = first.stream.writableLength;
    // 20 MB were sent: all but the queue, the window and what lies in the socket is still with the peer.
    expect(held).toBeGreaterThan(15_000_000);
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect(first.stream.writableLength).toBe(held);
    for (let revision = 12; revision < 11 + total; revision++)
      expect((await iterator.next()).value?.revision).toBe(revision);
    abort.abort();
  });
});

describe('progress', () => {
  test('Progress is asked for and passed on where it is sound, once for each revision', async () => {
    const { store, watch, stream } = await scene({ version: sound });
    const log = watch(10);
    const first = await stream(1, 10);
    first.send(answer(10, []));
    first.send(answer(20, []));
    first.send(answer(20, []));
    first.send(answer(21, []));
    await log.until((one) => one.revision === 21);
    expect(revisions(log.batches)).toEqual([[20], [21]]);
    await store.requestProgress();
    await vi.waitFor(() => expect(first.progressRequests()).toBe(1));
  });

  test('Progress is neither asked for nor believed where it is not', async () => {
    const { store, watch, stream } = await scene({ version: old });
    const log = watch(10);
    const first = await stream(1, 10);
    await store.requestProgress();
    first.send(answer(20, []));
    first.send(answer(21, [put(15)]));
    await log.until((one) => one.events.length === 1);
    expect(revisions(log.batches)).toEqual([[15, 15]]);
    expect(first.progressRequests()).toBe(0);
  });

  test('Progress waits for a revision that is only half here', async () => {
    const { watch, stream } = await scene({ version: sound });
    const log = watch(10);
    const first = await stream(1, 10);
    first.send(answer(11, [put(11)], true));
    first.send(answer(30, []));
    first.send(answer(11, [put(11, '/p/b')]));
    await log.until((one) => one.events.length === 2);
    expect(revisions(log.batches)).toEqual([[11, 11, 11]]);
  });
});

describe('an etcd that can lose a deletion to compaction', () => {
  test('An etcd that can lose a deletion is asked for one revision more when a watch catches up', async () => {
    const { watch, stream } = await scene({ version: old });
    const log = watch(10);
    const first = await stream(1, 14);
    expect(first.request.start_revision).toBe(11);
    const second = await stream(2, 14);
    expect(second.request.start_revision).toBe(10);
    second.send(answer(14, [put(10), put(11), put(14)]));
    await log.until((one) => one.revision === 14);
    expect(revisions(log.batches)).toEqual([[14, 11, 14]]);
  });

  test('An etcd that can lose a deletion is asked for no more when the watch starts at the present', async () => {
    const { watch, stream, streams } = await scene({ version: old });
    const log = watch(10);
    const first = await stream(1, 10);
    first.send(answer(11, [put(11)]));
    await log.until((one) => one.revision === 11);
    expect(streams).toHaveLength(1);
  });
});
