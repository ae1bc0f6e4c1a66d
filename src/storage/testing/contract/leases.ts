import { describe, expect, test } from 'vitest';
import { bytes, createMany, textOf } from './support.ts';
import type { ContractFixture } from './support.ts';

/** The shortest that etcd grants: it rounds up to one and a half election timeouts. */
const ttlSeconds = 2;
const timeout = 60_000;

export function describeLeases(fixture: ContractFixture): void {
  const elapse = async (seconds: number) => fixture.under.elapse?.(seconds);

  describe('lease', () => {
    test('A lease ends several keys at one revision, told in one batch', { timeout }, async () => {
      const prefix = fixture.prefix();
      const lease = await fixture.store.grantLease(ttlSeconds);
      const watch = fixture.watch(prefix, { after: await fixture.store.currentRevision(), previous: true });
      const names = ['a', 'b', 'c', 'd', 'e'];
      for (const name of names) await fixture.store.create(prefix + name, bytes(name), { lease });
      await fixture.store.create(`${prefix}stays`, bytes('stays'));
      await elapse(ttlSeconds * 2);
      await watch.untilEvents(names.length * 2 + 1);
      const end = watch.batches.find((batch) => batch.events.some((event) => event.type === 'delete'))!;
      const deletions = end.events.filter((event) => event.type === 'delete');
      expect(deletions.map((event) => event.key).toSorted()).toEqual(names.map((name) => prefix + name));
      expect(new Set(deletions.map((event) => event.modRevision))).toEqual(new Set([end.revision]));
      expect(deletions.map((event) => textOf(event.previous)).toSorted()).toEqual(names);
      expect((await fixture.store.list(prefix)).kvs.map(textOf)).toEqual(['stays']);
    });

    test('A lease ends large keys at one revision too, told in one batch', { timeout }, async () => {
      const prefix = fixture.prefix();
      const lease = await fixture.store.grantLease(ttlSeconds);
      const watch = fixture.watch(prefix, { after: await fixture.store.currentRevision(), previous: true });
      // Together far more than one message may carry.
      const value = Buffer.alloc(1_000_000, 'x');
      await Promise.all(Array.from({ length: 8 }, (_, i) => fixture.store.create(`${prefix}${i}`, value, { lease })));
      await elapse(ttlSeconds * 2);
      await watch.untilEvents(16);
      const [end] = watch.batches.filter((batch) => batch.events.some((event) => event.type === 'delete'));
      expect(
        end?.events.filter((event) => event.type === 'delete' && event.previous?.value.length === value.length),
      ).toHaveLength(8);
    });

    test('A lease lets go of a key that is updated without it', { timeout }, async () => {
      const prefix = fixture.prefix();
      const lease = await fixture.store.grantLease(ttlSeconds);
      const watch = fixture.watch(prefix, { after: await fixture.store.currentRevision() });
      const { revision } = await fixture.store.create(`${prefix}kept`, bytes('kept'), { lease });
      await fixture.store.create(`${prefix}ends`, bytes('ends'), { lease });
      await fixture.store.update(`${prefix}kept`, bytes('kept'), revision);
      await elapse(ttlSeconds * 2);
      await watch.until((log) => log.events.some((event) => event.type === 'delete'));
      expect((await fixture.store.list(prefix)).kvs.map((kv) => kv.key)).toEqual([`${prefix}kept`]);
    });

    test('A lease takes over a key that is updated with it', { timeout }, async () => {
      const prefix = fixture.prefix();
      const long = await fixture.store.grantLease(3600);
      const short = await fixture.store.grantLease(ttlSeconds);
      const watch = fixture.watch(prefix, { after: await fixture.store.currentRevision() });
      const { revision } = await fixture.store.create(`${prefix}a`, bytes('1'), { lease: long });
      await fixture.store.update(`${prefix}a`, bytes('2'), revision, { lease: short });
      await elapse(ttlSeconds * 2);
      expect((await watch.untilEvents(3))[2]).toMatchObject({ type: 'delete', key: `${prefix}a` });
    });

    test('A lease leaves a key alone that was deleted and made anew', { timeout }, async () => {
      const prefix = fixture.prefix();
      const lease = await fixture.store.grantLease(ttlSeconds);
      const watch = fixture.watch(prefix, { after: await fixture.store.currentRevision() });
      const { revision } = await fixture.store.create(`${prefix}a`, bytes('1'), { lease });
      await fixture.store.delete(`${prefix}a`, revision);
      await fixture.store.create(`${prefix}a`, bytes('2'));
      await fixture.store.create(`${prefix}b`, bytes('3'), { lease });
      await elapse(ttlSeconds * 2);
      await watch.until((log) => log.events.some((event) => event.type === 'delete' && event.key === `${prefix}b`));
      expect((await fixture.store.list(prefix)).kvs.map(textOf)).toEqual(['2']);
    });

    test('A lease that lives on keeps its keys', async () => {
      const prefix = fixture.prefix();
      const lease = await fixture.store.grantLease(3600);
      await createMany(fixture.store, prefix, 2);
      await fixture.store.create(`${prefix}leased`, bytes('x'), { lease });
      expect((await fixture.store.list(prefix)).count).toBe(3);
    });

    test('A lease that was not granted is refused', async () => {
      const prefix = fixture.prefix();
      const created = await fixture.store.create(`${prefix}a`, bytes('x'));
      const unknown = { lease: '4611686018427387904' };
      await expect(fixture.store.create(`${prefix}b`, bytes('x'), unknown)).rejects.toMatchObject({
        name: 'StorageError',
        reason: 'LeaseNotFound',
      });
      await expect(fixture.store.update(`${prefix}a`, bytes('y'), created.revision, unknown)).rejects.toMatchObject({
        reason: 'LeaseNotFound',
      });
      expect((await fixture.store.list(prefix)).kvs.map(textOf)).toEqual(['x']);
    });
  });
}
