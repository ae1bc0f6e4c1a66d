import { setImmediate as turn } from 'node:timers/promises';
import { describe, expect, onTestFinished, test } from 'vitest';
import { EmbeddedStore } from './embedded-store.ts';
import type { LogRecord } from './journal.ts';
import { openLmdbJournal } from './lmdb-journal.ts';
import { ControlledJournal } from './testing/controlled-journal.ts';
import { temporaryDirectory } from './testing/temporary-directory.ts';

const bytes = (text: string): Buffer => Buffer.from(text);
const maxSizeBytes = 1024 ** 3;

async function openControlled(directory: string): Promise<{ journal: ControlledJournal; store: EmbeddedStore }> {
  const journal = new ControlledJournal(await openLmdbJournal({ directory, maxSizeBytes }));
  const store = new EmbeddedStore(journal);
  onTestFinished(() => store[Symbol.asyncDispose]());
  return { journal, store };
}

async function swept(journal: ControlledJournal): Promise<void> {
  while (!journal.commits.flat().some((change) => change.kind === 'swept')) await turn();
  await turn();
}

/** What the log holds, seen from outside. */
async function recordsIn(directory: string): Promise<LogRecord[]> {
  const journal = await openLmdbJournal({ directory, maxSizeBytes });
  const records = [...journal.load().log];
  await journal.close();
  return records;
}

/** 30 keys written 10 times, every third deleted in the end. */
async function fill(store: EmbeddedStore): Promise<void> {
  for (let round = 0; round < 10; round++) {
    await Promise.all(
      Array.from({ length: 30 }, async (_, i) => {
        const { kv } = await store.get(`/k/${i}`);
        await store.update(`/k/${i}`, bytes(`${round}`), kv?.modRevision ?? 0);
      }),
    );
  }
  for (let i = 0; i < 30; i += 3) await store.delete(`/k/${i}`, (await store.get(`/k/${i}`)).kv!.modRevision);
}

describe('compaction', () => {
  test('Compaction drops from the log all that can no longer be read', async () => {
    const directory = temporaryDirectory();
    const { store, journal } = await openControlled(directory);
    await fill(store);
    const { revision } = await store.create('/last', bytes('x'));
    await store.compact(revision);
    await swept(journal);
    await store[Symbol.asyncDispose]();
    const records = await recordsIn(directory);
    expect(records.filter((record) => record.kind === 'delete')).toEqual([]);
    expect(records).toHaveLength(21);
  });

  test('Compaction drops a deletion at its own revision the next time', async () => {
    const directory = temporaryDirectory();
    const first = await openControlled(directory);
    const { revision } = await first.store.create('/k', bytes('x'));
    const deleted = await first.store.delete('/k', revision);
    await first.store.compact(deleted.revision);
    await swept(first.journal);
    await first.store[Symbol.asyncDispose]();
    expect(await recordsIn(directory)).toEqual([{ kind: 'delete', revision: deleted.revision, keys: ['/k'] }]);

    const second = await openControlled(directory);
    const later = await second.store.create('/later', bytes('x'));
    await second.store.compact(later.revision);
    await swept(second.journal);
    await second.store[Symbol.asyncDispose]();
    expect(await recordsIn(directory)).toMatchObject([{ kind: 'put', revision: later.revision }]);
  });

  test('Compaction forgets a lease end with many keys, and keeps those made anew', async () => {
    const directory = temporaryDirectory();
    const { store, journal } = await openControlled(directory);
    const lease = await store.grantLease(0.05);
    await Promise.all(Array.from({ length: 50 }, (_, i) => store.create(`/k/${i}`, bytes('x'), { lease })));
    await expect.poll(async () => (await store.list('/k/')).count).toBe(0);
    const anew = await store.create('/k/7', bytes('anew'));
    await store.compact(anew.revision);
    await swept(journal);
    expect((await store.list('/k/')).kvs).toMatchObject([{ key: '/k/7', createRevision: anew.revision }]);
    await store[Symbol.asyncDispose]();
    expect(await recordsIn(directory)).toMatchObject([{ kind: 'put', revision: anew.revision }]);
  });

  test.each(Array.from({ length: 8 }, (_, steps) => ({ steps })))(
    'Compaction cut off after $steps steps of its work is finished after the next opening',
    async ({ steps }) => {
      const directory = temporaryDirectory();
      const { store, journal } = await openControlled(directory);
      await fill(store);
      const lease = await store.grantLease(0.02);
      await Promise.all(Array.from({ length: 2_500 }, (_, i) => store.create(`/leased/${i}`, bytes('x'), { lease })));
      await expect.poll(async () => (await store.list('/leased/')).count, { timeout: 10_000 }).toBe(0);
      const { revision } = await store.create('/last', bytes('x'));
      const before = await store.list('/');
      let left = steps;
      journal.fail('NoSpace', (change) => (change.kind === 'dropped' || change.kind === 'swept') && left-- <= 0);
      await store.compact(revision);
      await store[Symbol.asyncDispose]();

      const again = await openControlled(directory);
      expect(await again.store.list('/')).toEqual(before);
      expect((await again.store.list('/', { revision })).kvs).toEqual(before.kvs);
      if (!journal.commits.flat().some((change) => change.kind === 'swept') || left < 0) await swept(again.journal);
      expect(await again.store.list('/')).toEqual(before);
      await again.store[Symbol.asyncDispose]();
      expect(await recordsIn(directory)).toHaveLength(21);
    },
  );

  test('Compaction that failed for want of space is finished by the next one', async () => {
    const directory = temporaryDirectory();
    const { store, journal } = await openControlled(directory);
    await fill(store);
    journal.fail(
      'NoSpace',
      (change) => change.kind === 'dropped' && change.versions.some((version) => version.createRevision === 0),
    );
    await store.compact(await store.currentRevision());
    while (journal.commits.flat().filter((change) => change.kind === 'dropped').length < 2) await turn();
    journal.fail(undefined);
    const { revision } = await store.create('/last', bytes('x'));
    await store.compact(revision);
    await swept(journal);
    await store[Symbol.asyncDispose]();
    expect(await recordsIn(directory)).toHaveLength(21);
  });

  test('Compaction of an older revision that comes while a newer one is under way changes nothing', async () => {
    const directory = temporaryDirectory();
    const { store } = await openControlled(directory);
    for (let i = 0; i < 5; i++) await store.create(`/k/${i}`, bytes('x'));
    await Promise.all([store.compact(5), store.compact(3)]);
    await store[Symbol.asyncDispose]();
    const again = await openControlled(directory);
    await expect(again.store.list('/', { revision: 4 })).rejects.toMatchObject({ reason: 'Compacted', revision: 5 });
  });
});
