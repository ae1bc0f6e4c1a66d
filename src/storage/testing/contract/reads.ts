import { describe, expect, test } from 'vitest';
import { bytes, createMany, textOf } from './support.ts';
import type { ContractFixture } from './support.ts';

export function describeReads(fixture: ContractFixture): void {
  describe('get', () => {
    test('A get answers a missing key with a revision and no value', async () => {
      const result = await fixture.store.get(`${fixture.prefix()}nothing`);
      expect(result.kv).toBeUndefined();
      expect(result.revision).toBeGreaterThan(0);
    });

    test('A get shows the value with the revisions that created and last changed it', async () => {
      const key = `${fixture.prefix()}a`;
      const created = await fixture.store.create(key, bytes('one'));
      const updated = await fixture.store.update(key, bytes('two'), created.revision);
      const { kv, revision } = await fixture.store.get(key);
      expect(kv).toEqual({ key, value: bytes('two'), modRevision: updated.revision, createRevision: created.revision });
      expect(revision).toBeGreaterThanOrEqual(updated.revision);
    });

    test('A get shows an earlier version, or none, at an earlier revision', async () => {
      const key = `${fixture.prefix()}a`;
      const before = await fixture.store.currentRevision();
      const created = await fixture.store.create(key, bytes('one'));
      const updated = await fixture.store.update(key, bytes('two'), created.revision);
      const deleted = await fixture.store.delete(key, updated.revision);
      const at = async (revision: number) => textOf((await fixture.store.get(key, { revision })).kv);
      expect([
        await at(before),
        await at(created.revision),
        await at(updated.revision),
        await at(deleted.revision),
      ]).toEqual([undefined, 'one', 'two', undefined]);
    });

    test('A get does not show a longer key that begins with the one asked for', async () => {
      const prefix = fixture.prefix();
      await fixture.store.create(`${prefix}ab`, bytes('x'));
      expect((await fixture.store.get(`${prefix}a`)).kv).toBeUndefined();
    });

    test('A get refuses a revision that is yet to come', async () => {
      const revision = (await fixture.store.currentRevision()) + 1_000_000;
      await expect(fixture.store.get('/x', { revision })).rejects.toMatchObject({
        name: 'StorageError',
        reason: 'FutureRevision',
      });
    });

    test('A get sees every write acknowledged before, also when many read and write at once', async () => {
      const prefix = fixture.prefix();
      await Promise.all(
        Array.from({ length: 16 }, async (_, i) => {
          const key = `${prefix}${i}`;
          let { revision } = await fixture.store.create(key, bytes('0'));
          for (let n = 1; n <= 20; n++) {
            ({ revision } = await fixture.store.update(key, bytes(String(n)), revision));
            const read = await fixture.store.get(key);
            expect(textOf(read.kv)).toBe(String(n));
            expect(read.revision).toBeGreaterThanOrEqual(revision);
            expect(await fixture.store.currentRevision()).toBeGreaterThanOrEqual(revision);
          }
        }),
      );
    });

    test('A get gives values that pin no larger buffer', async () => {
      const prefix = fixture.prefix();
      await createMany(fixture.store, prefix, 20, 'a value of some bytes');
      const { kv } = await fixture.store.get(`${prefix}000000`);
      const { kvs } = await fixture.store.list(prefix);
      for (const one of [kv, ...kvs]) expect(one?.value.buffer.byteLength).toBe(one?.value.length);
    });

    test('A get is aborted by its signal', async () => {
      await expect(fixture.store.get('/x', { signal: AbortSignal.abort() })).rejects.toMatchObject({
        reason: 'Aborted',
      });
      await expect(fixture.store.list('/x', { signal: AbortSignal.abort() })).rejects.toMatchObject({
        reason: 'Aborted',
      });
      await expect(fixture.store.currentRevision(AbortSignal.abort())).rejects.toMatchObject({ reason: 'Aborted' });
    });
  });

  describe('list', () => {
    test('A list returns the keys under the prefix and no others, in byte order', async () => {
      const prefix = fixture.prefix();
      // In UTF-16 the last two stand the other way round.
      const names = ['!', '-', '0', 'A', 'a', 'a!', 'a-b', 'a/b', 'ab', '~', 'é', '日', '\uff5e', '\u{1f600}'];
      for (const name of names.toReversed()) await fixture.store.create(`${prefix}${name}`, bytes(name));
      await fixture.store.create(`${prefix.slice(0, -1)}0`, bytes('beside'));
      const { kvs, count } = await fixture.store.list(prefix);
      expect(kvs.map(textOf)).toEqual(names);
      expect(kvs.map((kv) => kv.key)).toEqual(names.map((name) => prefix + name));
      expect(count).toBe(names.length);
    });

    test('A list is empty where nothing is, with a revision', async () => {
      const result = await fixture.store.list(fixture.prefix());
      expect(result).toMatchObject({ kvs: [], count: 0 });
      expect(result.revision).toBeGreaterThan(0);
    });

    test.each([
      'a"b',
      'a b',
      'a%2Fb',
      'a\\b',
      'a\nb',
      'a\u0000b',
      'a\u007fb',
      '\u0001',
      'ü',
      '\u{10ffff}',
      ':system:node',
    ])('A list keeps the key %j', async (name) => {
      const key = fixture.prefix() + name;
      await fixture.store.create(key, bytes('x'));
      expect((await fixture.store.get(key)).kv?.key).toBe(key);
      expect((await fixture.store.list(key)).kvs.map((kv) => kv.key)).toEqual([key]);
    });

    test('A list keeps every byte of a value', async () => {
      const key = `${fixture.prefix()}binary`;
      const value = Buffer.from(Array.from({ length: 1024 }, (_, i) => i & 0xff));
      await fixture.store.create(key, value);
      expect((await fixture.store.get(key)).kv?.value).toEqual(value);
    });

    test('A list keeps an empty value apart from a missing key', async () => {
      const prefix = fixture.prefix();
      await fixture.store.create(`${prefix}empty`, Buffer.alloc(0));
      expect((await fixture.store.list(prefix)).kvs).toMatchObject([{ value: Buffer.alloc(0) }]);
    });

    test('A list stores what was in the buffer when the write was called', async () => {
      const key = `${fixture.prefix()}mine`;
      const value = Buffer.from('before');
      const written = fixture.store.create(key, value);
      value.fill('x');
      await written;
      value.fill('y');
      expect(textOf((await fixture.store.get(key)).kv)).toBe('before');
    });

    test('A list limits the keys and counts those beyond', async () => {
      const prefix = fixture.prefix();
      await createMany(fixture.store, prefix, 5);
      const page = await fixture.store.list(prefix, { limit: 2 });
      expect(page.kvs.map((kv) => kv.key)).toEqual([`${prefix}000000`, `${prefix}000001`]);
      expect(page.count).toBe(5);
      const rest = await fixture.store.list(prefix, { start: `${prefix}000002`, limit: 0 });
      expect(rest.kvs.map((kv) => kv.key)).toEqual([2, 3, 4].map((i) => `${prefix}00000${i}`));
      expect(rest.count).toBe(3);
    });

    test('A list starts between two keys as well as on one', async () => {
      const prefix = fixture.prefix();
      await createMany(fixture.store, prefix, 3);
      expect((await fixture.store.list(prefix, { start: `${prefix}000001\u0000` })).kvs).toMatchObject([
        { key: `${prefix}000002` },
      ]);
      expect((await fixture.store.list(prefix, { start: `${prefix}zzz` })).kvs).toEqual([]);
    });

    test('A list leaves the values out when only keys are asked for', async () => {
      const prefix = fixture.prefix();
      const revisions = await createMany(fixture.store, prefix, 3, 'something');
      const { kvs } = await fixture.store.list(prefix, { keysOnly: true });
      expect(kvs.map((kv) => kv.value.length)).toEqual([0, 0, 0]);
      expect(kvs.map((kv) => kv.modRevision)).toEqual(revisions);
    });

    test('A list pages at one revision are one snapshot while others write', async () => {
      const prefix = fixture.prefix();
      await createMany(fixture.store, prefix, 40, 'old');
      const first = await fixture.store.list(prefix, { limit: 7 });
      const keys = first.kvs.map((kv) => kv.key);
      let writing = 0;
      while (keys.length < 40) {
        const { kv } = await fixture.store.get(`${prefix}${String(39 - writing).padStart(6, '0')}`);
        if (writing % 2 === 0) await fixture.store.update(kv!.key, bytes('new'), kv!.modRevision);
        else await fixture.store.delete(kv!.key, kv!.modRevision);
        await fixture.store.create(`${prefix}zz${writing++}`, bytes('new'));
        const page = await fixture.store.list(prefix, {
          start: `${keys.at(-1)}\u0000`,
          limit: 7,
          revision: first.revision,
        });
        expect(page.revision).toBe(first.revision);
        expect(page.count).toBe(40 - keys.length);
        expect(page.kvs.every((kv) => textOf(kv) === 'old')).toBe(true);
        keys.push(...page.kvs.map((kv) => kv.key));
      }
      expect(keys).toEqual(Array.from({ length: 40 }, (_, i) => `${prefix}${String(i).padStart(6, '0')}`));
    });

    test('A list without a limit is one snapshot too, however large the answer', { timeout: 60_000 }, async () => {
      const prefix = fixture.prefix();
      const value = Buffer.alloc(20_000, 'x');
      const total = 1_500; // 30 MB: more than any single message should carry
      for (let i = 0; i < total; i += 50) {
        await Promise.all(
          Array.from({ length: 50 }, (_, n) =>
            fixture.store.create(`${prefix}${String(i + n).padStart(6, '0')}`, value),
          ),
        );
      }
      const before = await fixture.store.currentRevision();
      let stop = false;
      const writer = (async () => {
        for (let i = 0; !stop; i++) await fixture.store.create(`${prefix}a-later-${i}`, bytes('late'));
      })();
      const now = await fixture.store.list(prefix);
      stop = true;
      await writer;
      const late = now.kvs.filter((kv) => kv.value.length !== value.length);
      expect(now.kvs.length - late.length).toBe(total);
      expect(now.count).toBe(now.kvs.length);
      expect(late.every((kv) => kv.modRevision <= now.revision)).toBe(true);
      expect(now.revision).toBe(before + late.length);
      const then = await fixture.store.list(prefix, { revision: before });
      expect(then).toMatchObject({ revision: before, count: total });
      expect(then.kvs.length).toBe(total);
    });

    test('A list refuses a revision that is yet to come', async () => {
      const revision = (await fixture.store.currentRevision()) + 1_000_000;
      await expect(fixture.store.list('/x/', { revision })).rejects.toMatchObject({
        name: 'StorageError',
        reason: 'FutureRevision',
      });
    });
  });
}
