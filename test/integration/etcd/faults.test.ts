import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { EtcdStore } from '../../../src/storage/etcd/store.ts';
import type { EtcdStoreOptions } from '../../../src/storage/etcd/store.ts';
import type { Store } from '../../../src/storage/interface.ts';
import { isStorageError } from '../../../src/storage/storage-error.ts';
import { WatchLog, createMany } from '../../../src/storage/testing/contract/support.ts';
import { expectWhole } from '../../../src/storage/testing/contract/watches.ts';
import { EtcdServer, etcdVersions } from '../../support/etcd.ts';
import type { EtcdOptions } from '../../support/etcd.ts';
import { TcpProxy } from '../../support/tcp-proxy.ts';

async function startEtcd(options: EtcdOptions): Promise<EtcdServer> {
  const etcd = await EtcdServer.start(options);
  onTestFinished(() => etcd[Symbol.asyncDispose]());
  return etcd;
}

function open(endpoints: readonly string[], options: Partial<EtcdStoreOptions> = {}): EtcdStore {
  const store = new EtcdStore({ endpoints, ...options });
  onTestFinished(() => store[Symbol.asyncDispose]());
  return store;
}

function watch(store: Store, prefix: string, after: number): WatchLog {
  const log = new WatchLog(store, prefix, { after });
  onTestFinished(() => log.stop());
  return log;
}

/**
 * Writes until it is told to stop, whatever happens to the store; answers with every revision that was acknowledged.
 */
function keepWriting(store: Store, prefix: string): { stop(): Promise<number[]>; readonly acknowledged: number } {
  let stopped = false;
  const acknowledged: number[] = [];
  const writer = async (id: number): Promise<void> => {
    for (let i = 0; !stopped; i++) {
      const result = await store.update(`${prefix}${id}-${i}`, Buffer.alloc(500, 'x'), 0).catch(() => undefined);
      if (result?.applied) acknowledged.push(result.revision);
      else await new Promise((resolve) => setTimeout(resolve, 5));
    }
  };
  const writers = Array.from({ length: 4 }, (_, id) => writer(id));
  return {
    get acknowledged() {
      return acknowledged.length;
    },
    async stop() {
      stopped = true;
      await Promise.all(writers);
      return acknowledged.toSorted((a, b) => a - b);
    },
  };
}

/** The watch has told exactly what the store now holds, each acknowledged write among it. */
async function expectNothingLost(
  store: Store,
  prefix: string,
  log: WatchLog,
  acknowledged: readonly number[],
): Promise<void> {
  const { kvs } = await store.list(prefix);
  const revisions = kvs.map((kv) => kv.modRevision).toSorted((a, b) => a - b);
  const held = new Set(revisions);
  expect(acknowledged.filter((revision) => !held.has(revision))).toEqual([]);
  await log.until((one) => one.revision >= revisions.at(-1)!);
  expectWhole(log.batches, revisions);
}

const untilAnswered = (store: Store): Promise<void> =>
  vi.waitFor(async () => void (await store.currentRevision()), { timeout: 20_000, interval: 50 });

describe.each(etcdVersions)('etcd %s', (version) => {
  test.each(['SIGKILL', 'SIGTERM'] as const)(
    'Ended by %s and started again loses no acknowledged write, and the watch goes on without a gap',
    async (signal) => {
      const etcd = await startEtcd({ version });
      const store = open([etcd.url]);
      const log = watch(store, '/w/', await store.currentRevision());
      const writing = keepWriting(store, '/w/');
      for (let round = 0; round < 3; round++) {
        const before = writing.acknowledged;
        await vi.waitFor(() => expect(writing.acknowledged).toBeGreaterThan(before + 50), { timeout: 20_000 });
        await etcd.stop(signal);
        await etcd.restart();
      }
      await vi.waitFor(async () => expect((await store.get('/w/0-0')).kv).toBeDefined(), { timeout: 20_000 });
      await expectNothingLost(store, '/w/', log, await writing.stop());
    },
  );

  test('etcd unreachable at start is told clearly, and found when it comes', async () => {
    const etcd = await startEtcd({ version });
    await etcd.stop();
    const store = open([etcd.url]);
    const message = `no etcd endpoint answers: ${etcd.url}: connect ECONNREFUSED 127.0.0.1:${etcd.port}`;
    await expect(store.currentRevision()).rejects.toMatchObject({
      name: 'StorageError',
      reason: 'Unavailable',
      message,
    });
    await expect(store.create('/a', Buffer.from('x'))).rejects.toMatchObject({
      reason: 'Unavailable',
      message,
      key: '/a',
    });
    await expect(store.status()).rejects.toMatchObject({ reason: 'Unavailable', message });
    await etcd.restart();
    await untilAnswered(store);
    await store.create('/a', Buffer.from('x'));
  });

  test('etcd lost later fails calls, ends watches in time, and is found again', async () => {
    const etcd = await startEtcd({ version });
    const store = open([etcd.url], { watchGiveUpMs: 500 });
    const { revision } = await store.create('/a', Buffer.from('x'));
    const log = watch(store, '/', revision);
    await store.requestProgress();
    await etcd.stop('SIGKILL');
    await expect(store.get('/a')).rejects.toMatchObject({ reason: 'Unavailable' });
    await expect(log.ended).rejects.toMatchObject({ name: 'StorageError', reason: 'Unavailable' });
    await etcd.restart();
    await untilAnswered(store);
    const again = watch(store, '/', revision);
    const later = await store.create('/b', Buffer.from('x'));
    expect((await again.untilEvents(1)).map((event) => event.modRevision)).toEqual([later.revision]);
  });

  test('etcd that stops answering makes calls time out, and serves again when it goes on', async () => {
    const etcd = await startEtcd({ version });
    const store = open([etcd.url], {
      callTimeoutMs: 700,
      dialTimeoutMs: 500,
      keepaliveMs: 5_000,
      keepaliveTimeoutMs: 400,
    });
    await store.create('/a', Buffer.from('x'));
    const log = watch(store, '/w/', await store.currentRevision());
    await createMany(store, '/w/before-', 3);
    await etcd.freeze();
    const write = store.create('/w/unknown', Buffer.from('x')).then(
      () => undefined,
      (error: unknown) => error,
    );
    await expect(store.get('/a')).rejects.toMatchObject({
      name: 'StorageError',
      reason: 'Timeout',
      message: 'etcd did not answer within 700 ms',
    });
    expect(await write).toMatchObject({ reason: 'Timeout', key: '/w/unknown' });
    // The connection is given up, and no other can be made.
    await vi.waitFor(
      async () =>
        expect(await store.get('/a').catch((error: Error) => error.message)).toMatch(
          /^no etcd endpoint answers: .*: no answer within 500 ms$/,
        ),
      { timeout: 10_000 },
    );
    etcd.thaw();
    await untilAnswered(store);
    const after = await createMany(store, '/w/z-after-', 3);
    await log.until((one) => one.revision >= after.at(-1)!);
    expectWhole(
      log.batches,
      (await store.list('/w/')).kvs.map((kv) => kv.modRevision).toSorted((a, b) => a - b),
    );
  });

  test('A signal with a time limit ends a check earlier than the call would', async () => {
    const etcd = await startEtcd({ version });
    const store = open([etcd.url]);
    await store.currentRevision();
    await etcd.freeze();
    await expect(store.currentRevision(AbortSignal.timeout(200))).rejects.toMatchObject({
      reason: 'Timeout',
      message: 'etcd did not answer in the time given',
    });
    etcd.thaw();
    expect(await store.currentRevision()).toBeGreaterThan(0);
  });

  test('etcd without space refuses writes, and goes on to be read and to delete', async () => {
    const etcd = await startEtcd({ version, flags: ['--quota-backend-bytes=20000000'] });
    const store = open([etcd.url]);
    const value = Buffer.alloc(1_000_000, 'x');
    const written: number[] = [];
    let refused: unknown;
    // etcd looks at the size of what it has committed, which lags behind by up to 100 ms.
    for (let i = 0; i < 300 && refused === undefined; i++) {
      await store.create(`/full/${i}`, value).then(
        ({ revision }) => written.push(revision),
        (error: unknown) => (refused = error),
      );
    }
    expect(refused).toMatchObject({ name: 'StorageError', reason: 'NoSpace' });
    await expect(store.update('/full/0', value, written[0]!)).rejects.toMatchObject({ reason: 'NoSpace' });
    // Of two looks at the space, before a write is agreed on and while it is applied, the second lets the write be and
    // refuses it all the same.
    expect([written.length, written.length + 1]).toContain((await store.list('/full/', { keysOnly: true })).count);
    expect(await store.delete('/full/0', written[0]!)).toMatchObject({ applied: true });
  });
});

describe('several endpoints', () => {
  test('A member that refuses connections is passed by', async () => {
    const dead = await startEtcd({});
    const alive = await startEtcd({});
    await dead.stop();
    const store = open([dead.url, alive.url]);
    await store.create('/a', Buffer.from('x'));
    const log = watch(store, '/', 1);
    expect(await log.untilEvents(1)).toMatchObject([{ key: '/a' }]);
    expect(await store.status()).toMatchObject({ version: expect.stringMatching(/^etcd 3\.5\./), soundProgress: true });
  });

  test('A member that takes connections and says nothing is passed by', async () => {
    const etcd = await startEtcd({});
    const mute = await TcpProxy.start(etcd.port);
    onTestFinished(() => mute[Symbol.asyncDispose]());
    mute.blocked = true;
    const store = open([`http://127.0.0.1:${mute.port}`, etcd.url]);
    expect(await store.currentRevision()).toBeGreaterThan(0);
  });

  test('Progress of several endpoints of etcd is sound when it is at every member', async () => {
    const [old, current] = [await startEtcd({ version: '3.4' }), await startEtcd({ version: '3.5' })];
    expect(await open([current.url]).status()).toMatchObject({ soundProgress: true });
    expect(await open([current.url, old.url]).status()).toMatchObject({
      version: expect.stringMatching(/^etcd 3\.5\./),
      soundProgress: false,
    });
  });

  test('A cluster of three serves on when members fail, one after the other, and the watch has no gap', {
    timeout: 120_000,
  }, async () => {
    const members = await EtcdServer.startCluster(3);
    onTestFinished(async () => void (await Promise.all(members.map((member) => member[Symbol.asyncDispose]()))));
    const store = open(members.map((member) => member.url));
    await untilAnswered(store);
    const log = watch(store, '/w/', await store.currentRevision());
    const writing = keepWriting(store, '/w/');
    for (const member of members) {
      const before = writing.acknowledged;
      await vi.waitFor(() => expect(writing.acknowledged).toBeGreaterThan(before + 50), { timeout: 30_000 });
      await member.stop('SIGKILL');
      const lost = writing.acknowledged;
      await vi.waitFor(() => expect(writing.acknowledged).toBeGreaterThan(lost + 50), { timeout: 30_000 });
      await member.restart();
    }
    await expectNothingLost(store, '/w/', log, await writing.stop());
  });

  test('A cluster without a majority refuses, and recovers with it', { timeout: 120_000 }, async () => {
    const members = await EtcdServer.startCluster(3);
    onTestFinished(async () => void (await Promise.all(members.map((member) => member[Symbol.asyncDispose]()))));
    const store = open(
      members.map((member) => member.url),
      { callTimeoutMs: 3_000 },
    );
    await untilAnswered(store);
    await store.create('/a', Buffer.from('x'));
    await Promise.all([members[1]!.stop('SIGKILL'), members[2]!.stop('SIGKILL')]);
    const errors: unknown[] = [];
    await vi.waitFor(
      async () => {
        const error: unknown = await store.get('/a').then(
          () => undefined,
          (reason: unknown) => reason,
        );
        errors.push(error);
        expect(error).toMatchObject({ message: expect.stringContaining('no leader') });
      },
      { timeout: 30_000 },
    );
    for (const error of errors)
      if (error !== undefined)
        expect(isStorageError(error, 'Unavailable') || isStorageError(error, 'Timeout')).toBe(true);
    await Promise.all([members[1]!.restart(), members[2]!.restart()]);
    await untilAnswered(store);
    expect((await store.get('/a')).kv?.value.toString()).toBe('x');
  });
});
