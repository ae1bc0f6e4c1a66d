import { describe, expect, test } from 'vitest';
import { bytes, change, createMany, outline, textOf } from './support.ts';
import type { ContractFixture } from './support.ts';
import { expectWhole } from './watches.ts';

export function describeCompaction(fixture: ContractFixture): void {
  describe('compaction', () => {
    test('Compaction keeps what is current and the revision it was called with', async () => {
      const prefix = fixture.prefix();
      await createMany(fixture.store, prefix, 3, 'old');
      const revision = await change(fixture.store, `${prefix}000001`, () => 'new');
      await change(fixture.store, `${prefix}000002`, () => 'newer');
      await fixture.store.compact(revision);
      expect((await fixture.store.list(prefix, { revision })).kvs.map(textOf)).toEqual(['old', 'new', 'old']);
      expect((await fixture.store.list(prefix)).kvs.map(textOf)).toEqual(['old', 'new', 'newer']);
    });

    test('Compaction makes get, list and watch below it fail', async () => {
      const prefix = fixture.prefix();
      const revisions = await createMany(fixture.store, prefix, 6);
      await fixture.store.compact(revisions[4]!);
      const old = { revision: revisions[3]! };
      await expect(fixture.store.get(`${prefix}000000`, old)).rejects.toMatchObject({
        name: 'StorageError',
        reason: 'Compacted',
      });
      await expect(fixture.store.list(prefix, old)).rejects.toMatchObject({ reason: 'Compacted' });
      await expect(fixture.store.list(prefix, { ...old, start: `${prefix}000002`, limit: 1 })).rejects.toMatchObject({
        reason: 'Compacted',
      });
      await expect(fixture.watch(prefix, { after: revisions[1]! }).ended).rejects.toMatchObject({
        reason: 'Compacted',
        revision: revisions[4]!,
      });
    });

    test('Compaction leaves a watch that starts at its revision what came after', async () => {
      const prefix = fixture.prefix();
      const revisions = await createMany(fixture.store, prefix, 6);
      await fixture.store.compact(revisions[3]!);
      const watch = fixture.watch(prefix, { after: revisions[3]! });
      expect((await watch.untilEvents(2)).map((event) => event.modRevision)).toEqual(revisions.slice(4));
    });

    test('Compaction at the revision of a deletion never hides that deletion from a watch', async () => {
      const prefix = fixture.prefix();
      const [created] = await createMany(fixture.store, prefix, 1);
      const deleted = await fixture.store.delete(`${prefix}000000`, created!);
      await fixture.store.compact(deleted.revision);
      const watch = fixture.watch(prefix, { after: created! });
      const later = await fixture.store.create(`${prefix}later`, bytes('x'));
      const error = await watch.untilEvents(2).then(
        () => undefined,
        (reason: unknown) => reason,
      );
      if (error !== undefined) expect(error).toMatchObject({ reason: 'Compacted' });
      else
        expect(watch.events.map(outline)).toEqual([
          `${deleted.revision} delete ${prefix}000000`,
          `${later.revision} put ${prefix}later`,
        ]);
    });

    test('Compaction does not disturb a running watch', { timeout: 60_000 }, async () => {
      const prefix = fixture.prefix();
      const watch = fixture.watch(prefix, { after: await fixture.store.currentRevision() });
      const revisions = [await change(fixture.store, `${prefix}0`, () => 'first')];
      // Until it has had an event it is only on its way, and may come too late for what is compacted.
      await watch.until((log) => log.revision >= revisions[0]!);
      for (let i = 0; i < 60; i++) {
        revisions.push(await change(fixture.store, `${prefix}${i % 7}`, (text) => `${text}x`));
        if (i % 5 === 0) await fixture.store.compact(revisions.at(-1)!);
      }
      await watch.until((log) => log.revision >= revisions.at(-1)!);
      expectWhole(watch.batches, revisions);
    });

    test('Compaction during the start of a watch makes it fail or leaves it whole', { timeout: 60_000 }, async () => {
      const prefix = fixture.prefix();
      for (let round = 0; round < 20; round++) {
        const after = await fixture.store.currentRevision();
        const revisions: number[] = [];
        for (let i = 0; i < 10; i++) revisions.push(await change(fixture.store, `${prefix}${i % 3}`, () => `${i}`));
        const watch = fixture.watch(prefix, { after });
        await fixture.store.compact(revisions[round % 10]!);
        revisions.push(await change(fixture.store, `${prefix}last`, (text) => `${text}x`));
        const error = await watch
          .until((log) => log.revision >= revisions.at(-1)!)
          .then(
            () => undefined,
            (reason: unknown) => reason,
          );
        if (error === undefined) expectWhole(watch.batches, revisions);
        else expect(error).toMatchObject({ reason: 'Compacted' });
      }
    });

    test('Compaction twice at one revision, or below an earlier one, is no error', async () => {
      const revisions = await createMany(fixture.store, fixture.prefix(), 4);
      await fixture.store.compact(revisions[2]!);
      await fixture.store.compact(revisions[2]!);
      await fixture.store.compact(revisions[0]!);
      await expect(fixture.store.list('/x/', { revision: revisions[1]! })).rejects.toMatchObject({
        reason: 'Compacted',
      });
    });

    test('Compaction of a revision that is yet to come is refused', async () => {
      const revision = (await fixture.store.currentRevision()) + 1_000;
      await expect(fixture.store.compact(revision)).rejects.toMatchObject({
        name: 'StorageError',
        reason: 'FutureRevision',
      });
    });
  });
}
