/** How writes become durable together, and what happens when they do not. */
import { setImmediate as turn } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { FakeClock } from '../../base/testing/fake-clock.ts';
import type { WatchBatch } from '../interface.ts';
import { EmbeddedStore } from './embedded-store.ts';
import { MemoryJournal } from './memory-journal.ts';
import { ControlledJournal } from './testing/controlled-journal.ts';

const bytes = (text: string): Buffer => Buffer.from(text);

let clock: FakeClock;
let journal: ControlledJournal;
let store: EmbeddedStore;

beforeEach(() => {
  journal = new ControlledJournal(new MemoryJournal({ maxSizeBytes: 1024 ** 3 }));
  clock = new FakeClock();
  store = new EmbeddedStore(journal, { clock });
});

afterEach(async () => {
  journal.hold()();
  await store[Symbol.asyncDispose]();
});

/** Whether a promise has come to an end, given some turns of the event loop. */
async function isPending(promise: Promise<unknown>): Promise<boolean> {
  let pending = true;
  const done = (): void => void (pending = false);
  promise.then(done, done);
  for (let i = 0; i < 5; i++) await turn();
  return pending;
}

describe('group commit', () => {
  test('Group commit makes concurrent writers share a commit', async () => {
    await Promise.all(Array.from({ length: 100 }, (_, i) => store.create(`/k/${i}`, bytes('x'))));
    expect(journal.commits.map((changes) => changes.length)).toEqual([100]);
  });

  test('Group commit gathers what comes while a commit is under way', async () => {
    const release = journal.hold();
    const first = store.create('/k/first', bytes('x'));
    await turn();
    const others = Array.from({ length: 20 }, (_, i) => store.create(`/k/${i}`, bytes('x')));
    await turn();
    expect(journal.commits).toHaveLength(1);
    release();
    await Promise.all([first, ...others]);
    expect(journal.commits.map((changes) => changes.length)).toEqual([1, 20]);
  });

  test('Group commit gives revisions in the order of the calls', async () => {
    const results = await Promise.all(Array.from({ length: 10 }, (_, i) => store.create(`/k/${i}`, bytes('x'))));
    expect(results.map(({ revision }) => revision)).toEqual(Array.from({ length: 10 }, (_, i) => 2 + i));
  });

  test('Group commit lets a guard see what was written before it in the same batch', async () => {
    const created = store.create('/k', bytes('1'));
    const updated = store.update('/k', bytes('2'), 2);
    const refused = store.update('/k', bytes('3'), 2);
    const deleted = store.delete('/k', 3);
    const again = store.create('/k', bytes('4'));
    expect(await Promise.all([created, updated, deleted, again])).toMatchObject([
      { revision: 2 },
      { applied: true, revision: 3 },
      { applied: true, revision: 4 },
      { revision: 5 },
    ]);
    expect(await refused).toMatchObject({
      applied: false,
      revision: 3,
      current: { value: bytes('2'), modRevision: 3, createRevision: 2 },
    });
    expect((await store.get('/k')).kv).toEqual({ key: '/k', value: bytes('4'), modRevision: 5, createRevision: 5 });
  });
});

describe('a write that is not durable yet', () => {
  test('A write that is not durable yet is not acknowledged, read, listed, counted or watched', async () => {
    const batches: WatchBatch[] = [];
    const abort = new AbortController();
    const watching = (async () => {
      for await (const batch of store.watch('/k/', { after: 0, signal: abort.signal })) batches.push(batch);
    })();
    const { revision } = await store.create('/k/old', bytes('old'));
    const release = journal.hold();
    const writes = [store.create('/k/new', bytes('new')), store.update('/k/old', bytes('newer'), revision)];
    expect(await isPending(Promise.race(writes))).toBe(true);
    expect((await store.get('/k/new')).kv).toBeUndefined();
    expect(await store.list('/k/')).toMatchObject({ revision, count: 1, kvs: [{ value: bytes('old') }] });
    expect(await store.currentRevision()).toBe(revision);
    await expect(store.get('/k/new', { revision: revision + 1 })).rejects.toMatchObject({
      reason: 'FutureRevision',
      revision,
    });
    await expect(store.compact(revision + 1)).rejects.toMatchObject({ reason: 'FutureRevision' });
    expect(batches).toMatchObject([{ revision }]);
    release();
    await Promise.all(writes);
    expect((await store.list('/k/')).count).toBe(2);
    await turn();
    expect(batches.map((batch) => batch.revision)).toEqual([revision, revision + 2]);
    abort.abort();
    await watching;
  });

  test.each([
    {
      name: 'a create that finds the key',
      call: () => store.create('/k', bytes('2')).catch((error: unknown) => error),
      outcome: { reason: 'KeyExists' },
    },
    {
      name: 'an update that finds another version',
      call: () => store.update('/k', bytes('2'), 1),
      outcome: { applied: false, revision: 2, current: { modRevision: 2 } },
    },
    {
      name: 'a deletion that finds another version',
      call: () => store.delete('/k', 1),
      outcome: { applied: false, revision: 2, current: { modRevision: 2 } },
    },
    {
      name: 'a create whose guard fails',
      call: () =>
        store
          .create('/other', bytes('2'), { guards: [{ prefix: '/k', unchangedSince: 1 }] })
          .catch((error: unknown) => error),
      outcome: { reason: 'Conflict' },
    },
    {
      name: 'an update whose guard fails',
      call: () => store.update('/other', bytes('2'), 0, { guards: [{ prefix: '/k', unchangedSince: 1 }] }),
      outcome: { applied: false, revision: 2, current: undefined },
    },
    {
      name: 'an update whose companion has another version',
      call: () => store.update('/other', bytes('2'), 0, { companion: { key: '/k', value: bytes('2'), expected: 1 } }),
      outcome: { applied: false, revision: 2, current: undefined },
    },
  ])('A write that is not durable yet holds up $name', async ({ call, outcome }) => {
    const release = journal.hold();
    const created = store.create('/k', bytes('1'));
    const refused = call();
    expect(await isPending(refused)).toBe(true);
    release();
    await created;
    expect(await refused).toMatchObject(outcome);
  });

  test('A write that is not durable yet is applied also when the signal of its caller aborts', async () => {
    const release = journal.hold();
    const abort = new AbortController();
    const created = store.create('/k', bytes('1'), { signal: abort.signal });
    await turn();
    abort.abort();
    await expect(created).rejects.toMatchObject({ reason: 'Aborted' });
    release();
    await store.create('/other', bytes('x'));
    expect((await store.get('/k')).kv?.value).toEqual(bytes('1'));
  });

  test('A write that is not durable yet is waited for when the store is disposed', async () => {
    const created = store.create('/k', bytes('1'));
    await store[Symbol.asyncDispose]();
    expect(await created).toEqual({ revision: 2 });
    expect(journal.commits).toHaveLength(1);
  });
});

test('A write that does not fit together with its companion leaves both as they are', async () => {
  const small = new EmbeddedStore(new MemoryJournal({ maxSizeBytes: 2_000 }), { clock });
  const write = small.create('/own', bytes('x'.repeat(1_500)), {
    companion: { key: '/companion', value: bytes('x'.repeat(1_500)), expected: 0 },
  });
  await expect(write).rejects.toMatchObject({ reason: 'NoSpace' });
  expect(await small.list('/')).toMatchObject({ count: 0 });
  expect(await small.create('/own', bytes('x'.repeat(1_500)))).toEqual({ revision: 2 });
  await small[Symbol.asyncDispose]();
});

describe('a commit that fails for want of space', () => {
  test('A commit that fails for want of space takes back everything written since, and nothing else', async () => {
    const kept = await store.create('/kept', bytes('1'));
    const gone = await store.create('/deleted', bytes('1'));
    const before = await store.list('/');
    const release = journal.hold();
    journal.fail('NoSpace');
    const inFlight = [store.create('/new', bytes('x')), store.update('/kept', bytes('2'), kept.revision)];
    await turn();
    const behind = [
      store.update('/kept', bytes('3'), kept.revision + 3),
      store.delete('/deleted', gone.revision),
      store.update('/new', bytes('y'), gone.revision + 1),
    ];
    release();
    for (const result of await Promise.allSettled([...inFlight, ...behind]))
      expect(result).toMatchObject({ status: 'rejected', reason: { reason: 'NoSpace' } });
    expect(await store.list('/')).toEqual(before);
  });

  test('A commit that fails for want of space gives its error to the writers that waited for it', async () => {
    const release = journal.hold();
    journal.fail('NoSpace');
    const created = store.create('/k', bytes('1'));
    const refused = store.update('/k', bytes('2'), 0);
    const exists = store.create('/k', bytes('3'));
    release();
    for (const result of await Promise.allSettled([created, refused, exists]))
      expect(result).toMatchObject({ status: 'rejected', reason: { reason: 'NoSpace' } });
  });

  test('A commit that fails for want of space is forgotten later: the same revisions are given', async () => {
    const first = await store.create('/a', bytes('1'));
    journal.fail('NoSpace');
    await expect(store.create('/b', bytes('1'))).rejects.toMatchObject({ reason: 'NoSpace' });
    journal.fail(undefined);
    expect(await store.create('/b', bytes('2'))).toEqual({ revision: first.revision + 1 });
    expect((await store.get('/b')).kv).toMatchObject({ value: bytes('2'), createRevision: first.revision + 1 });
  });

  test('A commit that fails for want of space keeps a lease and its keys for another attempt', async () => {
    const lease = await store.grantLease(60);
    await store.create('/leased', bytes('x'), { lease });
    journal.fail('NoSpace', (change) => change.kind === 'leaseEnded');
    await clock.advance(60_000);
    expect(journal.commits.at(-1)).toMatchObject([{ kind: 'leaseEnded' }]);
    expect((await store.get('/leased')).kv).toMatchObject({ value: bytes('x') });
    expect(await store.create('/later', bytes('x'), { lease })).toEqual({ revision: 3 });
    journal.fail(undefined);
    await clock.advance(5_000);
    expect(await store.list('/')).toMatchObject({ revision: 4, count: 0 });
    await expect(store.create('/late', bytes('x'), { lease })).rejects.toMatchObject({ reason: 'LeaseNotFound' });
  });

  test('A commit that fails for want of space fails a grant of a lease', async () => {
    journal.fail('NoSpace');
    await expect(store.grantLease(10)).rejects.toMatchObject({ reason: 'NoSpace' });
  });
});

describe('a journal that broke', () => {
  test('A journal that broke is not written to again, while reads go on', async () => {
    await store.create('/a', bytes('1'));
    journal.fail('Unavailable');
    await expect(store.create('/b', bytes('1'))).rejects.toMatchObject({ reason: 'Unavailable' });
    journal.fail(undefined);
    const attempts = journal.commits.length;
    await expect(store.create('/b', bytes('1'))).rejects.toMatchObject({ reason: 'Unavailable' });
    await expect(store.update('/a', bytes('2'), 2)).rejects.toMatchObject({ reason: 'Unavailable' });
    await expect(store.delete('/a', 2)).rejects.toMatchObject({ reason: 'Unavailable' });
    await expect(store.grantLease(1)).rejects.toMatchObject({ reason: 'Unavailable' });
    await expect(store.compact(2)).rejects.toMatchObject({ reason: 'Unavailable' });
    expect(journal.commits).toHaveLength(attempts);
    expect((await store.get('/a')).kv?.value).toEqual(bytes('1'));
  });
});

describe('the maximum size', () => {
  test('The maximum size refuses puts, not deletions, and is left by compaction', async () => {
    await using small = new EmbeddedStore(new MemoryJournal({ maxSizeBytes: 20_000 }));
    const value = Buffer.alloc(4_000, 'x');
    const revisions: number[] = [];
    for (let i = 0; i < 4; i++) revisions.push((await small.create(`/k/${i}`, value)).revision);
    await expect(small.create('/k/more', value)).rejects.toMatchObject({ name: 'StorageError', reason: 'NoSpace' });
    await expect(small.update('/k/0', value, revisions[0]!)).rejects.toMatchObject({ reason: 'NoSpace' });
    expect((await small.list('/k/')).count).toBe(4);
    const { revision } = await small.delete('/k/0', revisions[0]!);
    await expect(small.create('/k/more', value)).rejects.toMatchObject({ reason: 'NoSpace' });
    await small.compact(revision);
    await expect
      .poll(() =>
        small.create('/k/more', value).then(
          () => 'created',
          () => 'refused',
        ),
      )
      .toBe('created');
  });

  test('The maximum size counts what is on its way', async () => {
    await using small = new EmbeddedStore(new MemoryJournal({ maxSizeBytes: 20_000 }));
    const results = await Promise.allSettled(
      Array.from({ length: 20 }, (_, i) => small.create(`/k/${i}`, Buffer.alloc(4_000))),
    );
    expect(results.filter((result) => result.status === 'fulfilled').length).toBeLessThan(6);
  });
});
