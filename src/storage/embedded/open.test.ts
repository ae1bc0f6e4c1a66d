import { chmodSync, mkdirSync, readdirSync, statSync, writeFileSync, symlinkSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, onTestFinished, test } from 'vitest';
import { silentLogger } from '../../base/logger.ts';
import type { KeyEvent, Store } from '../interface.ts';
import { openEmbeddedStore } from './open.ts';
import type { EmbeddedStoreOptions } from './open.ts';
import { temporaryDirectory } from './testing/temporary-directory.ts';

const bytes = (text: string): Buffer => Buffer.from(text);

async function open(options: EmbeddedStoreOptions): Promise<Store> {
  const store = await openEmbeddedStore(options);
  onTestFinished(() => store[Symbol.asyncDispose]());
  return store;
}

async function reopen(store: Store, directory: string): Promise<Store> {
  await store[Symbol.asyncDispose]();
  return open({ directory });
}

async function eventsAfter(store: Store, after: number, count: number): Promise<KeyEvent[]> {
  const events: KeyEvent[] = [];
  for await (const batch of store.watch('/', { after, previous: true, signal: new AbortController().signal })) {
    events.push(...batch.events);
    if (events.length >= count) break;
  }
  return events;
}

/** How LMDB's file begins, in that version of its format. */
function lmdbHead(version: number): Buffer {
  const head = Buffer.alloc(16_384);
  head.writeUInt16LE(8, 20);
  head.writeUInt32LE(0xbeef_c0de, 24);
  head.writeUInt16LE(version, 28);
  return head;
}

describe('a store on disk, opened again', () => {
  test('A store on disk that is opened again has the same keys, revisions, history and events', async () => {
    const directory = temporaryDirectory();
    const first = await open({ directory });
    const created = await first.create('/a', bytes('1'));
    await first.update('/a', bytes('2'), created.revision);
    await first.create('/gone', bytes('x'));
    await first.delete('/gone', created.revision + 2);
    await first.create('/empty', Buffer.alloc(0));
    const revision = await first.currentRevision();
    const events = await eventsAfter(first, 1, 5);

    const second = await reopen(first, directory);
    expect(await second.currentRevision()).toBe(revision);
    expect(await second.list('/')).toEqual({
      revision,
      count: 2,
      kvs: [
        { key: '/a', value: bytes('2'), modRevision: created.revision + 1, createRevision: created.revision },
        { key: '/empty', value: Buffer.alloc(0), modRevision: revision, createRevision: revision },
      ],
    });
    expect((await second.get('/a', { revision: created.revision })).kv?.value).toEqual(bytes('1'));
    expect((await second.get('/gone', { revision: created.revision + 2 })).kv?.value).toEqual(bytes('x'));
    expect(await eventsAfter(second, 1, 5)).toEqual(events);
    expect(await second.create('/next', bytes('x'))).toEqual({ revision: revision + 1 });
  });

  test('A store on disk that is opened again keeps keys longer than LMDB allows, and those beyond ASCII', async () => {
    const directory = temporaryDirectory();
    const first = await open({ directory });
    const names = ['/long/'.padEnd(100_000, 'k'), '/日本/é\u{1f600}'];
    for (const name of names) await first.create(name, bytes('x'));
    const second = await reopen(first, directory);
    expect((await second.list('/')).kvs.map((kv) => kv.key)).toEqual(names);
    for (const name of names) expect((await second.get(name)).kv?.key).toBe(name);
  });

  test('A store on disk that is opened again still refuses what was compacted', async () => {
    const directory = temporaryDirectory();
    const first = await open({ directory });
    const created = await first.create('/a', bytes('1'));
    await first.update('/a', bytes('2'), created.revision);
    await first.compact(created.revision + 1);
    const second = await reopen(first, directory);
    await expect(second.get('/a', { revision: created.revision })).rejects.toMatchObject({
      reason: 'Compacted',
      revision: created.revision + 1,
    });
  });

  test('A store on disk that is opened again starts at revision 1 and writes nothing before it has to', async () => {
    const directory = temporaryDirectory();
    const first = await open({ directory });
    expect(await first.currentRevision()).toBe(1);
    const second = await reopen(first, directory);
    expect(await second.currentRevision()).toBe(1);
  });

  test('A store on disk that is opened again goes on with its leases', async () => {
    const directory = temporaryDirectory();
    const first = await open({ directory });
    const [short, long] = [await first.grantLease(0.3), await first.grantLease(3600)];
    for (const name of ['/s/1', '/s/2', '/s/left']) await first.create(name, bytes('x'), { lease: short });
    await first.update('/s/left', bytes('y'), await first.currentRevision());
    await first.create('/l', bytes('x'), { lease: long });

    const second = await reopen(first, directory);
    await second.create('/l2', bytes('x'), { lease: long });
    await expect.poll(async () => (await second.list('/')).kvs.map((kv) => kv.key)).toEqual(['/l', '/l2', '/s/left']);
    const revision = await second.currentRevision();
    const events = await eventsAfter(second, revision - 1, 2);
    expect(events.map((event) => `${event.modRevision} ${event.type} ${event.key}`).toSorted()).toEqual([
      `${revision} delete /s/1`,
      `${revision} delete /s/2`,
    ]);
  });

  test('A store on disk that is opened again ends a lease that ran out meanwhile', async () => {
    const directory = temporaryDirectory();
    const first = await open({ directory });
    const lease = await first.grantLease(0.05);
    await first.create('/a', bytes('x'), { lease });
    await first[Symbol.asyncDispose]();
    await delay(100);
    const second = await open({ directory });
    await expect.poll(async () => (await second.get('/a')).kv).toBeUndefined();
    await expect(second.create('/b', bytes('x'), { lease })).rejects.toMatchObject({ reason: 'LeaseNotFound' });
  });
});

describe('a data directory', () => {
  test('A data directory is made with the folders above it', async () => {
    const directory = path.join(temporaryDirectory(), 'deep', 'er');
    await open({ directory });
    expect(readdirSync(directory).toSorted()).toEqual(['data.mdb', 'lock.mdb']);
  });

  test('A data directory serves one store at a time', async () => {
    const directory = temporaryDirectory();
    const first = await open({ directory });
    await expect(openEmbeddedStore({ directory })).rejects.toMatchObject({
      name: 'StorageError',
      reason: 'Unavailable',
      message: `the data directory ${directory} is in use by another store of this process`,
    });
    await first.create('/a', bytes('x'));
    const second = await reopen(first, directory);
    expect((await second.get('/a')).kv?.value).toEqual(bytes('x'));
  });

  test('A data directory is never given to two processes that open it at once', async () => {
    const directory = temporaryDirectory();
    const results = await Promise.allSettled(Array.from({ length: 5 }, () => open({ directory })));
    expect(results.filter((result) => result.status === 'fulfilled').length).toBe(1);
  });

  test.each([
    {
      name: 'something else',
      file: 'data.mdb',
      content: Buffer.from('not a database, but long enough to be read as one'.repeat(1_000)),
      reason: 'data.mdb is not an LMDB database',
    },
    {
      name: 'a database cut short',
      file: 'data.mdb',
      content: lmdbHead(2).subarray(0, 100),
      reason: 'data.mdb is not an LMDB database',
    },
    {
      name: 'a database of older LMDB',
      file: 'data.mdb',
      content: lmdbHead(1),
      reason: "data.mdb has version 1 of LMDB's file format, not 2",
    },
  ])('A data directory that holds $name is refused', async ({ file, content, reason }) => {
    const directory = temporaryDirectory();
    writeFileSync(path.join(directory, file), content);
    await expect(openEmbeddedStore({ directory })).rejects.toMatchObject({
      name: 'StorageError',
      reason: 'Unavailable',
      message: `the data directory ${directory} cannot be opened: ${reason}`,
    });
  });

  test.each(['data.mdb', 'lock.mdb'])('A data directory whose %s cannot be looked at is refused', async (file) => {
    const directory = temporaryDirectory();
    symlinkSync(path.join(directory, file), path.join(directory, file));
    await expect(openEmbeddedStore({ directory })).rejects.toMatchObject({
      name: 'StorageError',
      reason: 'Unavailable',
      message: expect.stringContaining(`the data directory ${directory} cannot be opened`) as string,
    });
    expect(readdirSync(directory)).toEqual([file]);
  });

  test('A data directory whose lock cannot be used is refused', async () => {
    const directory = temporaryDirectory();
    mkdirSync(path.join(directory, 'lock.mdb'));
    await expect(openEmbeddedStore({ directory })).rejects.toMatchObject({
      reason: 'Unavailable',
      message: expect.stringContaining('lock.mdb is not a file'),
    });
  });

  test('A data directory that cannot be made is refused', async () => {
    const file = path.join(temporaryDirectory(), 'file');
    writeFileSync(file, '');
    await expect(openEmbeddedStore({ directory: path.join(file, 'data') })).rejects.toMatchObject({
      name: 'StorageError',
      reason: 'Unavailable',
    });
  });

  test('A data directory of a later format is refused', async () => {
    const directory = temporaryDirectory();
    const { open: openLmdb } = await import('lmdb');
    const root = openLmdb<Buffer, number>(directory, { encoding: 'binary' });
    const meta = root.openDB<Buffer, Buffer>('meta', { encoding: 'binary', keyEncoding: 'binary' });
    await meta.put(Buffer.from('format'), Buffer.from([0, 0, 0, 0, 0, 0, 0, 9]));
    await root.close();
    await expect(openEmbeddedStore({ directory })).rejects.toMatchObject({
      reason: 'Unavailable',
      message: `${directory} has format 9; this version reads format 1`,
    });
  });

  test('A data directory whose log is damaged is refused, and let go', async () => {
    const directory = temporaryDirectory();
    const store = await open({ directory });
    await store.create('/a', bytes('x'));
    await store[Symbol.asyncDispose]();
    const { open: openLmdb } = await import('lmdb');
    const root = openLmdb<Buffer, number>(directory, { encoding: 'binary', overlappingSync: false });
    const log = root.openDB<Buffer, Buffer>('log', { encoding: 'binary', keyEncoding: 'binary' });
    await log.put(Buffer.from([0, 0, 0, 0, 0, 0, 0, 2]), Buffer.from([77]));
    await root.close();
    const refusal = {
      name: 'StorageError',
      reason: 'Unavailable',
      message: `the data directory ${directory} is damaged: the log record of revision 2 cannot be read`,
    };
    await expect(openEmbeddedStore({ directory })).rejects.toMatchObject(refusal);
    await expect(openEmbeddedStore({ directory })).rejects.toMatchObject(refusal);
  });

  test('A data directory reports its size, and takes no more than the maximum', async () => {
    const directory = temporaryDirectory();
    const store = await open({ directory, maxSizeBytes: 1024 * 1024 });
    const value = Buffer.alloc(3_000, 'x');
    let written = 0;
    const full = await (async () => {
      for (;;) await store.create(`/k/${String(written).padStart(4, '0')}`, value).then(() => written++);
    })().catch((error: unknown) => error);
    expect(full).toMatchObject({ name: 'StorageError', reason: 'NoSpace' });
    expect(written).toBeGreaterThan(100);
    const { sizeBytes } = await store.status();
    expect(sizeBytes).toBeGreaterThan(written * 3_000);
    expect(sizeBytes).toBeLessThan(1.2 * 1024 * 1024);

    for (let i = 0; i < written; i += 2) await store.delete(`/k/${String(i).padStart(4, '0')}`, i + 2);
    await store.compact(await store.currentRevision());
    await expect
      .poll(() =>
        store.create(`/new`, value).then(
          () => 'created',
          () => 'refused',
        ),
      )
      .toBe('created');
  });

  test('A data directory uses the space of what was compacted again', async () => {
    const store = await open({ directory: temporaryDirectory() });
    const value = Buffer.alloc(3_000, 'x');
    const sizes: number[] = [];
    for (let round = 0; round < 12; round++) {
      const revisions = await Promise.all(Array.from({ length: 300 }, (_, i) => store.create(`/k/${i}`, value)));
      await Promise.all(revisions.map(({ revision }, i) => store.delete(`/k/${i}`, revision)));
      await store.compact(await store.currentRevision());
      sizes.push((await store.status()).sizeBytes);
    }
    expect(sizes.at(-1)).toBeLessThan(sizes[1]! * 3);
  });
});

describe('a store without a directory', () => {
  test('A store without a directory shares nothing with another', async () => {
    const [one, other] = [await open({}), await open({})];
    await one.create('/a', bytes('x'));
    expect((await other.get('/a')).kv).toBeUndefined();
    expect(await other.currentRevision()).toBe(1);
  });
});

describe('the files of a store are for their owner only', () => {
  const modesOf = (directory: string): Record<string, string> =>
    Object.fromEntries(
      ['.', ...readdirSync(directory)].map((name) => [
        name,
        (statSync(path.join(directory, name)).mode & 0o777).toString(8),
      ]),
    );
  const own = { '.': '700', 'data.mdb': '600', 'lock.mdb': '600' };

  test.each([0o000, 0o022, 0o777])(
    'The files of a store are for their owner only at umask %o, in a directory that is made',
    async (mask) => {
      const directory = path.join(temporaryDirectory(), 'store');
      const before = process.umask(mask);
      onTestFinished(() => void process.umask(before));
      await open({ directory });
      expect(modesOf(directory)).toEqual(own);
    },
  );

  test('The files of a store in a directory that others may enter are for their owner, which is told', async () => {
    const directory = temporaryDirectory();
    chmodSync(directory, 0o755);
    const told: object[] = [];
    await open({ directory, log: { ...silentLogger, warn: (details) => void told.push(details) } });
    expect(modesOf(directory)).toEqual(own);
    expect(told).toEqual([{ path: directory, before: '0755', now: '0700' }]);
  });

  test('The files of a store of a version that left them open are made private, which is told', async () => {
    const directory = temporaryDirectory();
    const first = await open({ directory });
    const { revision } = await first.create('/a', bytes('1'));
    await first[Symbol.asyncDispose]();
    for (const name of Object.keys(own)) chmodSync(path.join(directory, name), name === '.' ? 0o775 : 0o664);
    const told: object[] = [];
    const second = await open({ directory, log: { ...silentLogger, warn: (details) => void told.push(details) } });
    expect(modesOf(directory)).toEqual(own);
    expect(told).toEqual(
      Object.keys(own).map((name) => ({
        path: path.join(directory, name),
        before: name === '.' ? '0775' : '0664',
        now: `0${own[name as keyof typeof own]}`,
      })),
    );
    expect(await second.currentRevision()).toBe(revision);
  });
});
