import { describe, expect, test } from 'vitest';
import { encodeTestObject } from '../json-codec.ts';
import type { ObjectWrite, StoredObject } from '../../objects.ts';
import type { Fixture } from './support.ts';

const guardOf = ({ prefix }: Fixture, unchangedSince: number): ObjectWrite => ({
  guards: [{ prefix: `${prefix}other/`, unchangedSince }],
});

export function describeWrites(fixture: { readonly current: Fixture }): void {
  describe('writes', () => {
    const bytes = (data: string): Buffer => encodeTestObject({ namespace: 'default', name: 'a', data });

    test('Creating what exists is refused', async () => {
      const f = fixture.current;
      await f.create({ name: 'a' });
      await expect(f.create({ name: 'a' })).rejects.toMatchObject({ reason: 'KeyExists' });
    });

    test('An update answers with the object as it now is', async () => {
      const f = fixture.current;
      const created = await f.create({ name: 'a', data: '1' });
      const result = await f.storage.update(created.key, bytes('2'), created.revision);
      if (!result.applied) throw new Error('there is no other writer');
      expect(result.object.revision).toBeGreaterThan(created.revision);
      expect(result.object.bytes.equals(bytes('2'))).toBe(true);
      expect((await f.storage.get(created.key, { match: 'mostRecent' }))!.revision).toBe(result.object.revision);
    });

    test('An update of an older version changes nothing and shows the current one', async () => {
      const f = fixture.current;
      const created = await f.create({ name: 'a', data: '1' });
      const current = await f.update({ name: 'a', data: '2' });
      const result = await f.storage.update(created.key, bytes('3'), created.revision);
      expect(result.applied).toBe(false);
      if (!result.applied)
        expect([result.current!.revision, result.current!.bytes.equals(bytes('2'))]).toEqual([current.revision, true]);
    });

    test('An update of what is gone shows nothing', async () => {
      const f = fixture.current;
      const created = await f.create({ name: 'a' });
      await f.remove('a');
      expect(await f.storage.update(created.key, bytes('2'), created.revision)).toEqual({
        applied: false,
        current: undefined,
      });
    });

    test.each([
      {
        name: 'a create',
        write: (f: Fixture, _revision: number, unchangedSince: number) =>
          f.storage
            .create(f.key({ name: 'b' }), bytes('2'), guardOf(f, unchangedSince))
            .catch((error: unknown) => error),
      },
      {
        name: 'an update',
        write: (f: Fixture, revision: number, unchangedSince: number) =>
          f.storage.update(f.key({ name: 'a' }), bytes('2'), revision, guardOf(f, unchangedSince)),
      },
    ])('A write rests on other keys as long as they are not put: $name', async ({ write }) => {
      const f = fixture.current;
      const created = await f.create({ name: 'a', data: '1' });
      const { revision } = await f.store.create(`${f.prefix}other/a`, bytes('x'));
      const [refused, applied] = [
        await write(f, created.revision, revision - 1),
        await write(f, created.revision, revision),
      ];
      expect(refused).toMatchObject(
        refused instanceof Error ? { reason: 'Conflict' } : { applied: false, current: { revision: created.revision } },
      );
      const object =
        'object' in (applied as object) ? (applied as { object: StoredObject }).object : (applied as StoredObject);
      expect((await f.storage.get(object.key, { match: 'mostRecent' }))!.bytes.equals(bytes('2'))).toBe(true);
    });

    test('A delete of an older version changes nothing and shows the current one', async () => {
      const f = fixture.current;
      const created = await f.create({ name: 'a', data: '1' });
      const current = await f.update({ name: 'a', data: '2' });
      const result = await f.storage.delete(created.key, created.revision);
      expect(result).toMatchObject({ applied: false, current: { revision: current.revision } });
      expect(await f.storage.delete(created.key, current.revision)).toMatchObject({ applied: true });
    });

    test('The bytes of the caller are not kept: what it does with them later changes nothing', async () => {
      const f = fixture.current;
      const mine = bytes('1');
      const created = await f.storage.create(f.key({ name: 'a' }), mine);
      mine.fill(0);
      expect(created.bytes.equals(bytes('1'))).toBe(true);
      expect((await f.storage.get(created.key, { match: 'mostRecent' }))!.bytes.equals(bytes('1'))).toBe(true);
    });

    test('Of two writers on one key none loses an update', async () => {
      const f = fixture.current;
      const writers = [f.storage, f.open()];
      const { key } = await f.create({ name: 'a', data: '0' });
      const increment = async (writer: (typeof writers)[number]): Promise<void> => {
        let current = await writer.get(key, { match: 'mostRecent' });
        for (;;) {
          const { data } = JSON.parse(current!.bytes.toString()) as { data: string };
          const result = await writer.update(key, bytes(String(Number(data) + 1)), current!.revision);
          if (result.applied) return;
          current = result.current;
        }
      };
      await Promise.all(writers.flatMap((writer) => Array.from({ length: 25 }, () => increment(writer))));
      const last = await f.storage.get(key, { match: 'mostRecent' });
      expect(JSON.parse(last!.bytes.toString())).toMatchObject({ data: '50' });
    });
  });
}
