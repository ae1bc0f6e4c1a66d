import { describe, expect, test } from 'vitest';
import { bytes, change, textOf } from './support.ts';
import type { ContractFixture } from './support.ts';

/** etcd's limit for a request; both stores keep it. */
const limitBytes = 1.5 * 1024 * 1024;

export function describeWrites(fixture: ContractFixture): void {
  describe('create', () => {
    test('A create takes the next revision', async () => {
      const before = await fixture.store.currentRevision();
      const { revision } = await fixture.store.create(`${fixture.prefix()}a`, bytes('x'));
      expect(revision).toBe(before + 1);
      expect(await fixture.store.currentRevision()).toBe(revision);
    });

    test('A create refuses an existing key and changes nothing', async () => {
      const key = `${fixture.prefix()}a`;
      const { revision } = await fixture.store.create(key, bytes('first'));
      await expect(fixture.store.create(key, bytes('second'))).rejects.toMatchObject({
        name: 'StorageError',
        reason: 'KeyExists',
        key,
      });
      expect(await fixture.store.get(key)).toMatchObject({ revision, kv: { value: bytes('first') } });
    });

    test('A create lets one of many win', async () => {
      const key = `${fixture.prefix()}contended`;
      const results = await Promise.allSettled(
        Array.from({ length: 20 }, (_, i) => fixture.store.create(key, bytes(String(i)))),
      );
      const winners = results.flatMap((result, i) => (result.status === 'fulfilled' ? [String(i)] : []));
      expect(winners).toHaveLength(1);
      expect(textOf((await fixture.store.get(key)).kv)).toBe(winners[0]);
      for (const result of results)
        if (result.status === 'rejected') expect(result.reason).toMatchObject({ reason: 'KeyExists' });
    });

    test('A create makes a deleted key anew', async () => {
      const key = `${fixture.prefix()}again`;
      const first = await fixture.store.create(key, bytes('1'));
      await fixture.store.delete(key, first.revision);
      const second = await fixture.store.create(key, bytes('2'));
      expect((await fixture.store.get(key)).kv).toMatchObject({
        createRevision: second.revision,
        modRevision: second.revision,
      });
    });

    test('A create sends nothing when the signal has aborted before', async () => {
      const key = `${fixture.prefix()}a`;
      await expect(fixture.store.create(key, bytes('x'), { signal: AbortSignal.abort() })).rejects.toMatchObject({
        reason: 'Aborted',
      });
      expect((await fixture.store.get(key)).kv).toBeUndefined();
    });
  });

  describe('update', () => {
    test('An update replaces the version it expects', async () => {
      const key = `${fixture.prefix()}a`;
      const created = await fixture.store.create(key, bytes('one'));
      const result = await fixture.store.update(key, bytes('two'), created.revision);
      expect(result).toEqual({ applied: true, revision: created.revision + 1 });
    });

    test('An update refuses another version and hands over the current one', async () => {
      const key = `${fixture.prefix()}a`;
      const created = await fixture.store.create(key, bytes('one'));
      const updated = await fixture.store.update(key, bytes('two'), created.revision);
      const result = await fixture.store.update(key, bytes('three'), created.revision);
      expect(result).toEqual({
        applied: false,
        revision: updated.revision,
        current: { key, value: bytes('two'), modRevision: updated.revision, createRevision: created.revision },
      });
      expect(await fixture.store.currentRevision()).toBe(updated.revision);
    });

    test('An update finds a deleted key gone', async () => {
      const key = `${fixture.prefix()}a`;
      const created = await fixture.store.create(key, bytes('one'));
      const deleted = await fixture.store.delete(key, created.revision);
      expect(await fixture.store.update(key, bytes('two'), created.revision)).toEqual({
        applied: false,
        revision: deleted.revision,
        current: undefined,
      });
    });

    test('An update creates a key that is expected not to exist, and only then', async () => {
      const key = `${fixture.prefix()}a`;
      const first = await fixture.store.update(key, bytes('one'), 0);
      expect(first.applied).toBe(true);
      expect((await fixture.store.get(key)).kv).toMatchObject({
        createRevision: first.revision,
        modRevision: first.revision,
      });
      expect(await fixture.store.update(key, bytes('two'), 0)).toMatchObject({
        applied: false,
        current: { value: bytes('one') },
      });
    });

    test('An update loses no increment of many writers', async () => {
      const key = `${fixture.prefix()}counter`;
      const stores = [fixture.store, (await fixture.under.openAnother?.()) ?? fixture.store];
      await Promise.all(
        Array.from({ length: 12 }, async (_, i) => {
          for (let n = 0; n < 15; n++) await change(stores[i % 2]!, key, (text) => String(Number(text) + 1));
        }),
      );
      expect(textOf((await fixture.store.get(key)).kv)).toBe('180');
      if (stores[1] !== fixture.store) await stores[1]![Symbol.asyncDispose]();
    });
  });

  describe('delete', () => {
    test('A delete deletes the version it expects', async () => {
      const key = `${fixture.prefix()}a`;
      const created = await fixture.store.create(key, bytes('one'));
      expect(await fixture.store.delete(key, created.revision)).toEqual({
        applied: true,
        revision: created.revision + 1,
      });
      expect((await fixture.store.get(key)).kv).toBeUndefined();
    });

    test('A delete refuses another version and hands over the current one', async () => {
      const key = `${fixture.prefix()}a`;
      const created = await fixture.store.create(key, bytes('one'));
      const updated = await fixture.store.update(key, bytes('two'), created.revision);
      expect(await fixture.store.delete(key, created.revision)).toMatchObject({
        applied: false,
        revision: updated.revision,
        current: { key, value: bytes('two'), modRevision: updated.revision },
      });
      expect(textOf((await fixture.store.get(key)).kv)).toBe('two');
    });

    test('A delete finds a missing key gone', async () => {
      const key = `${fixture.prefix()}a`;
      const revision = await fixture.store.currentRevision();
      expect(await fixture.store.delete(key, revision)).toEqual({ applied: false, revision, current: undefined });
    });
  });

  describe('size', () => {
    test('A store takes a value that is just within the limit', async () => {
      const key = `${fixture.prefix()}big`;
      const value = Buffer.alloc(limitBytes - 4096, 'x');
      const { revision } = await fixture.store.create(key, value);
      expect((await fixture.store.get(key)).kv?.value.equals(value)).toBe(true);
      expect((await fixture.store.delete(key, revision)).applied).toBe(true);
    });

    test.each([
      { name: 'a little', size: limitBytes + 1024 },
      { name: 'far', size: 4 * limitBytes },
    ])('A store refuses a value $name over the limit, and lives on', async ({ size }) => {
      const prefix = fixture.prefix();
      const small = await fixture.store.create(`${prefix}small`, bytes('x'));
      const value = Buffer.alloc(size, 'x');
      await expect(fixture.store.create(`${prefix}big`, value)).rejects.toMatchObject({
        name: 'StorageError',
        reason: 'TooLarge',
      });
      await expect(fixture.store.update(`${prefix}small`, value, small.revision)).rejects.toMatchObject({
        reason: 'TooLarge',
      });
      expect((await fixture.store.list(prefix)).kvs).toMatchObject([{ value: bytes('x') }]);
      await fixture.store.create(`${prefix}another`, bytes('y'));
    });
  });
}
