import { describe, expect, test } from 'vitest';
import type { KeyEvent, WatchBatch } from '../../interface.ts';
import { bytes, change, createMany, outline } from './support.ts';
import type { ContractFixture } from './support.ts';

export function describeWatches(fixture: ContractFixture): void {
  describe('watch', () => {
    test('A watch tells creation, change and deletion apart', async () => {
      const key = `${fixture.prefix()}a`;
      const watch = fixture.watch(key, { after: await fixture.store.currentRevision() });
      const created = await fixture.store.create(key, bytes('one'));
      const updated = await fixture.store.update(key, bytes('two'), created.revision);
      const deleted = await fixture.store.delete(key, updated.revision);
      expect(await watch.untilEvents(3)).toEqual([
        { type: 'put', key, value: bytes('one'), modRevision: created.revision, createRevision: created.revision },
        { type: 'put', key, value: bytes('two'), modRevision: updated.revision, createRevision: created.revision },
        { type: 'delete', key, value: Buffer.alloc(0), modRevision: deleted.revision, createRevision: 0 },
      ]);
    });

    test('A watch brings the previous version when asked for', async () => {
      const key = `${fixture.prefix()}a`;
      const watch = fixture.watch(key, { after: await fixture.store.currentRevision(), previous: true });
      const created = await fixture.store.create(key, bytes('one'));
      const updated = await fixture.store.update(key, bytes('two'), created.revision);
      await fixture.store.delete(key, updated.revision);
      const events = await watch.untilEvents(3);
      const first = { key, value: bytes('one'), modRevision: created.revision, createRevision: created.revision };
      const second = { key, value: bytes('two'), modRevision: updated.revision, createRevision: created.revision };
      expect(events.map((event) => event.previous)).toEqual([undefined, first, second]);
    });

    test('A watch gives values that pin no larger buffer', async () => {
      const prefix = fixture.prefix();
      const watch = fixture.watch(prefix, { after: await fixture.store.currentRevision(), previous: true });
      const revisions = await createMany(fixture.store, prefix, 10, 'some bytes');
      await fixture.store.update(`${prefix}000000`, bytes('others'), revisions[0]!);
      for (const { value, previous } of await watch.untilEvents(11)) {
        expect(value.buffer.byteLength).toBe(value.length);
        expect(previous?.value.buffer.byteLength).toBe(previous?.value.length);
      }
    });

    test('A watch hears of keys under its prefix only', async () => {
      const prefix = fixture.prefix();
      const watch = fixture.watch(`${prefix}in/`, { after: await fixture.store.currentRevision() });
      for (const name of ['in', 'in0', 'in/a', 'out/in/', 'in/b'])
        await fixture.store.create(prefix + name, bytes('x'));
      expect((await watch.untilEvents(2)).map((event) => event.key)).toEqual([`${prefix}in/a`, `${prefix}in/b`]);
    });

    test('A watch starts with the change after the revision given', async () => {
      const prefix = fixture.prefix();
      const revisions = await createMany(fixture.store, prefix, 6);
      const watch = fixture.watch(prefix, { after: revisions[2]! });
      expect((await watch.untilEvents(3)).map((event) => event.modRevision)).toEqual(revisions.slice(3));
    });

    test('A watch started at 0 delivers what is written from then on', async () => {
      const prefix = fixture.prefix();
      for (let i = 0; i < 20; i++) {
        const watch = fixture.watch(prefix, { after: 0 });
        const { revision } = await fixture.store.create(`${prefix}${i}`, bytes('x'));
        await watch.until((log) => log.revision >= revision);
        expect(watch.events.map(outline)).toContain(`${revision} put ${prefix}${i}`);
      }
    });

    test('A watch started in the future waits for it', async () => {
      const prefix = fixture.prefix();
      const now = await fixture.store.currentRevision();
      const watch = fixture.watch(prefix, { after: now + 2 });
      const revisions = await createMany(fixture.store, prefix, 4);
      expect((await watch.untilEvents(2)).map((event) => event.modRevision)).toEqual(revisions.slice(2));
    });

    test('A watch ends without an error when its signal aborts', async () => {
      const watch = fixture.watch(fixture.prefix(), { after: 0 });
      await fixture.store.currentRevision();
      await watch.stop();
      await expect(watch.ended).resolves.toBeUndefined();
      const early = fixture.store.watch('/x/', { after: 0, signal: AbortSignal.abort() });
      expect(await early[Symbol.asyncIterator]().next()).toEqual({ done: true, value: undefined });
    });

    test('A watch ends with its loop', async () => {
      const prefix = fixture.prefix();
      const after = await fixture.store.currentRevision();
      await createMany(fixture.store, prefix, 5);
      const seen: WatchBatch[] = [];
      for await (const batch of fixture.store.watch(prefix, { after, signal: new AbortController().signal })) {
        seen.push(batch);
        break;
      }
      expect(seen[0]?.events[0]?.key).toBe(`${prefix}000000`);
    });

    test('A watch delivers the same events to all watchers', async () => {
      const prefix = fixture.prefix();
      const after = await fixture.store.currentRevision();
      const watches = Array.from({ length: 40 }, () => fixture.watch(prefix, { after }));
      const revisions = await createMany(fixture.store, prefix, 50);
      for (const watch of watches)
        expect((await watch.untilEvents(50)).map((event) => event.modRevision)).toEqual(revisions);
    });

    test('A watch misses no event of a burst, also when the consumer takes none for a while', {
      timeout: 60_000,
    }, async () => {
      const prefix = fixture.prefix();
      const after = await fixture.store.currentRevision();
      const abort = new AbortController();
      const iterator = fixture.store.watch(prefix, { after, signal: abort.signal })[Symbol.asyncIterator]();
      await fixture.store.create(`${prefix}first`, bytes('x'));
      const events: KeyEvent[] = [...(await iterator.next()).value!.events];
      const value = Buffer.alloc(10_000, 'x'); // 30 MB wait in the end
      for (let i = 0; i < 3_000; i += 50) {
        await Promise.all(Array.from({ length: 50 }, (_, n) => fixture.store.create(`${prefix}${i + n}`, value)));
      }
      while (events.length < 3_001) events.push(...(await iterator.next()).value!.events);
      abort.abort();
      expect(await iterator.next()).toMatchObject({ done: true });
      const first = events[0]!.modRevision;
      expect(events.map((event) => event.modRevision)).toEqual(Array.from({ length: 3_001 }, (_, i) => first + i));
    });

    test('A watch delivers every change once, in order, while many write', { timeout: 60_000 }, async () => {
      const prefix = fixture.prefix();
      const before = await fixture.store.currentRevision();
      const watches = [fixture.watch(prefix, { after: before })];
      const revisions = await writeMuch(fixture, prefix, async (round) => {
        if (round % 10 === 0) watches.push(fixture.watch(prefix, { after: before }));
      });
      for (const watch of watches) {
        await watch.until((log) => log.revision >= revisions.at(-1)!);
        expectWhole(watch.batches, revisions);
      }
    });

    test('A watch delivers every change once across cut connections', { timeout: 120_000 }, async (context) => {
      const cut = fixture.under.cutConnections;
      if (cut === undefined) return context.skip('this store has no connections');
      const prefix = fixture.prefix();
      const before = await fixture.store.currentRevision();
      const watches = Array.from({ length: 3 }, () => fixture.watch(prefix, { after: before, previous: true }));
      const written = new Set<number>();
      for (let round = 0; round < 8; round++) {
        const writes = Array.from({ length: 30 }, async (_, i) => {
          const outcome = await fixture.store
            .update(`${prefix}${round}-${i}`, Buffer.alloc(2_000, 'x'), 0)
            .catch(() => undefined);
          if (outcome?.applied) written.add(outcome.revision);
        });
        await cut();
        await Promise.all(writes);
      }
      // What became of a write whose answer was cut off is for the store to say.
      const { kvs } = await retried(() => fixture.store.list(prefix));
      const revisions = kvs.map((kv) => kv.modRevision).toSorted((a, b) => a - b);
      for (const revision of written) expect(revisions).toContain(revision);
      for (const watch of watches) {
        await watch.until((log) => log.revision >= revisions.at(-1)!);
        expectWhole(watch.batches, revisions);
      }
    });
  });

  describe('progress', () => {
    test('Progress tells a quiet watch how far it has got, where it is sound', async (context) => {
      const { soundProgress, version } = await fixture.store.status();
      if (!soundProgress) return context.skip(`progress of ${version} can run ahead of events`);
      const prefix = fixture.prefix();
      const watch = fixture.watch(`${prefix}quiet/`, { after: await fixture.store.currentRevision() });
      const { revision } = await fixture.store.create(`${prefix}elsewhere`, bytes('x'));
      const ask = setInterval(() => void fixture.store.requestProgress(), 20);
      await watch.until((log) => log.revision >= revision).finally(() => clearInterval(ask));
      expect(watch.events).toEqual([]);
    });

    test('Progress asked for by prefix reaches the watches under it', async (context) => {
      const { soundProgress, version } = await fixture.store.status();
      if (!soundProgress) return context.skip(`progress of ${version} can run ahead of events`);
      const prefix = fixture.prefix();
      const after = await fixture.store.currentRevision();
      const watches = [fixture.watch(`${prefix}a/`, { after }), fixture.watch(`${prefix}a/b/`, { after })];
      const { revision } = await fixture.store.create(`${prefix}elsewhere`, bytes('x'));
      const ask = setInterval(() => void fixture.store.requestProgress(`${prefix}a/`), 20);
      await Promise.all(watches.map((watch) => watch.until((log) => log.revision >= revision))).finally(() =>
        clearInterval(ask),
      );
    });

    test('Progress is never ahead of events', { timeout: 60_000 }, async () => {
      const prefix = fixture.prefix();
      const watch = fixture.watch(prefix, { after: await fixture.store.currentRevision() });
      const revisions = await writeMuch(fixture, prefix, () => fixture.store.requestProgress());
      await watch.until((log) => log.revision >= revisions.at(-1)!);
      expectWhole(watch.batches, revisions);
    });

    test('Progress may be asked for when there is no watch', async () => {
      await fixture.store.requestProgress();
    });
  });
}

/** 8 writers create, change and delete under one prefix; returns every revision they made, in order. */
async function writeMuch(
  fixture: ContractFixture,
  prefix: string,
  onRound: (round: number) => Promise<void>,
): Promise<number[]> {
  const revisions: number[] = [];
  await Promise.all(
    Array.from({ length: 8 }, async (_, writer) => {
      for (let round = 0; round < 30; round++) {
        const key = `${prefix}${writer}`;
        revisions.push(await change(fixture.store, key, () => `${round}`));
        revisions.push(await change(fixture.store, `${prefix}shared`, (text) => `${text.length}`));
        const { kv } = await fixture.store.get(key);
        const deleted = await fixture.store.delete(key, kv!.modRevision);
        expect(deleted.applied).toBe(true);
        revisions.push(deleted.revision);
        await onRound(round);
      }
    }),
  );
  return revisions.toSorted((a, b) => a - b);
}

/** Exactly these revisions, in order, each whole, and nothing after a batch that promised there would not be. */
export function expectWhole(batches: readonly WatchBatch[], revisions: readonly number[]): void {
  const seen = batches.flatMap((batch) => batch.events.map((event) => event.modRevision));
  expect(seen.filter((revision) => revision <= revisions.at(-1)!)).toEqual(revisions);
  let reached = 0;
  for (const { revision, events } of batches) {
    expect(revision).toBeGreaterThan(reached);
    for (const event of events) {
      expect(event.modRevision).toBeGreaterThan(reached);
      expect(event.modRevision).toBeLessThanOrEqual(revision);
    }
    reached = revision;
  }
}

async function retried<T>(call: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await call();
    } catch (error) {
      if (attempt === 20) throw error;
    }
  }
}
