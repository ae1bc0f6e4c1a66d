import { describe, expect, test } from 'vitest';
import type { ReadVersion } from '../../objects.ts';
import { encodeTestObject } from '../json-codec.ts';
import type { Fixture } from './support.ts';
import { labelled, namesOf } from './support.ts';

const mostRecent: ReadVersion = { match: 'mostRecent' };
const any: ReadVersion = { match: 'any' };

export function describeReads(fixture: { readonly current: Fixture }): void {
  describe('get', () => {
    test('A get finds what was written, as normalized bytes with the revision of the write', async () => {
      const f = fixture.current;
      const created = await f.create({ name: 'a', labels: { app: 'x' } });
      const found = await f.storage.get(f.key({ name: 'a' }), mostRecent);
      expect(found).toMatchObject({ key: f.key({ name: 'a' }), revision: created.revision });
      expect(found!.bytes.equals(encodeTestObject({ namespace: 'default', name: 'a', labels: { app: 'x' } }))).toBe(
        true,
      );
      expect(found!.attributes).toMatchObject({ namespace: 'default', name: 'a' });
      expect(found!.attributes.labels.get('app')).toBe('x');
    });

    test('A get of a missing object is undefined', async () => {
      const f = fixture.current;
      expect(await f.storage.get(f.key({ name: 'none' }), mostRecent)).toBeUndefined();
    });

    test('A get at most recent is never older than a write acknowledged before, also of another client', async () => {
      const f = fixture.current;
      const other = f.open();
      let { revision } = await f.create({ name: 'a', data: '0' });
      for (let round = 1; round <= 30; round++) {
        const written = await other.update(
          f.key({ name: 'a' }),
          encodeTestObject({ namespace: 'default', name: 'a', data: String(round) }),
          revision,
        );
        if (!written.applied) throw new Error('there is no other writer');
        revision = written.object.revision;
        const [read, again] = await Promise.all([
          f.storage.get(f.key({ name: 'a' }), mostRecent),
          f.storage.get(f.key({ name: 'a' }), mostRecent),
        ]);
        expect([read!.revision, again!.revision]).toEqual([revision, revision]);
      }
    });

    test('A get at most recent does not find what was deleted elsewhere', async () => {
      const f = fixture.current;
      const other = f.open();
      const { revision } = await f.create({ name: 'a' });
      await other.delete(f.key({ name: 'a' }), revision);
      expect(await f.storage.get(f.key({ name: 'a' }), mostRecent)).toBeUndefined();
    });

    test('A get not older than a revision waits for it', async () => {
      const f = fixture.current;
      const other = f.open();
      const first = await f.create({ name: 'a', data: '1' });
      const written = await other.update(
        f.key({ name: 'a' }),
        encodeTestObject({ namespace: 'default', name: 'a', data: '2' }),
        first.revision,
      );
      const { revision } = (written as { object: { revision: number } }).object;
      expect((await f.storage.get(f.key({ name: 'a' }), { match: 'notOlderThan', revision }))!.revision).toBe(revision);
    });

    test('A get not older than a revision of something else is answered too', async () => {
      const f = fixture.current;
      const { revision: own } = await f.create({ name: 'a' });
      const { revision } = await f.store.create(`${f.prefix.slice(0, -1)}-elsewhere`, Buffer.from('x'));
      expect((await f.storage.get(f.key({ name: 'a' }), { match: 'notOlderThan', revision }))!.revision).toBe(own);
    });

    test('A get not older than a revision that does not come is a timeout that names both', async () => {
      const f = fixture.current;
      await f.create({ name: 'a' });
      const revision = (await f.store.currentRevision()) + 1_000_000;
      await expect(f.storage.get(f.key({ name: 'a' }), { match: 'notOlderThan', revision })).rejects.toMatchObject({
        name: 'StorageError',
        reason: 'Timeout',
        message: expect.stringMatching(
          new RegExp(`^Too large resource version: ${revision}, current: \\d+$`),
        ) as string,
        revision: expect.any(Number) as number,
      });
    });

    test('An exact get finds the version of that revision', async () => {
      const f = fixture.current;
      const before = await f.create({ name: 'other' });
      const first = await f.create({ name: 'a', data: '1' });
      const second = await f.update({ name: 'a', data: '2' });
      const removed = await f.remove('a');
      const at = async (revision: number): Promise<number | undefined> =>
        (await f.storage.get(f.key({ name: 'a' }), { match: 'exact', revision }))?.revision;
      expect([
        await at(before.revision),
        await at(first.revision),
        await at(second.revision),
        await at(removed),
      ]).toEqual([undefined, first.revision, second.revision, undefined]);
    });
  });

  describe('list', () => {
    const everything = async (f: Fixture): Promise<void> => {
      await f.create({ name: 'b', labels: { app: 'x' }, fields: { 'spec.nodeName': 'n1' } });
      await f.create({ name: 'a', labels: { app: 'y' } });
      await f.create({ namespace: 'other', name: 'a', labels: { app: 'x' }, fields: { 'spec.nodeName': 'n1' } });
      await f.create({ namespace: 'default-2', name: 'c', labels: { app: 'x' } });
    };

    test.each([
      { name: 'everything, in key order', selection: {}, names: ['default-2/c', 'a', 'b', 'other/a'] },
      { name: 'one namespace, not those that begin like it', selection: { namespace: 'default' }, names: ['a', 'b'] },
      { name: 'one object', selection: { namespace: 'default', name: 'a' }, names: ['a'] },
      { name: 'one name in all namespaces', selection: { name: 'a' }, names: ['a', 'other/a'] },
      { name: 'an object that does not exist', selection: { namespace: 'default', name: 'none' }, names: [] },
      { name: 'a namespace without objects', selection: { namespace: 'none' }, names: [] },
      { name: 'by a field', selection: { fieldEquals: new Map([['spec.nodeName', 'n1']]) }, names: ['b', 'other/a'] },
      {
        name: 'by a field, in a namespace',
        selection: { namespace: 'default', fieldEquals: new Map([['spec.nodeName', 'n1']]) },
        names: ['b'],
      },
      {
        name: 'by a value that no object has',
        selection: { fieldEquals: new Map([['spec.nodeName', 'n9']]) },
        names: [],
      },
      {
        name: 'by a field they do not have',
        selection: { fieldEquals: new Map([['spec.nodeName', '']]) },
        names: ['default-2/c', 'a'],
      },
      {
        name: 'by a field without an index',
        selection: { fieldEquals: new Map([['status.phase', 'Running']]) },
        names: [],
      },
      { name: 'by labels', selection: labelled('x'), names: ['default-2/c', 'b', 'other/a'] },
      { name: 'by labels, in a namespace', selection: labelled('x', { namespace: 'default' }), names: ['b'] },
      {
        name: 'by labels and a field',
        selection: labelled('x', { fieldEquals: new Map([['spec.nodeName', 'n1']]) }),
        names: ['b', 'other/a'],
      },
    ])('A list: $name', async ({ selection, names }) => {
      const f = fixture.current;
      await everything(f);
      expect(namesOf((await f.storage.list({ version: mostRecent, selection })).objects)).toEqual(names);
    });

    test('A list has objects of resources without namespaces', async () => {
      const f = fixture.current;
      const storage = f.open({ namespaced: false });
      for (const name of ['b', 'a', 'aa']) await storage.create(f.prefix + name, encodeTestObject({ name }));
      expect(
        (await storage.list({ version: mostRecent })).objects.map(({ attributes: attributes }) => attributes.name),
      ).toEqual(['a', 'aa', 'b']);
      expect(
        (await storage.list({ version: mostRecent, selection: { name: 'a' } })).objects.map(
          ({ attributes: attributes }) => attributes.name,
        ),
      ).toEqual(['a']);
    });

    test('Keys of a list are ordered by bytes, also beyond the basic plane', async () => {
      const f = fixture.current;
      const names = ['a', 'é', '\u{ffee}', '\u{1f600}'];
      for (const name of [...names].reverse()) await f.create({ name });
      expect(namesOf((await f.storage.list({ version: mostRecent })).objects)).toEqual(names);
      const page = await f.storage.list({ version: mostRecent, limit: 3 });
      expect(namesOf((await f.storage.list({ version: mostRecent, after: page.lastKey! })).objects)).toEqual([
        '\u{1f600}',
      ]);
    });

    test('A list is a snapshot at one revision: later writes do not show in it', async () => {
      const f = fixture.current;
      const created = await f.create({ name: 'a', data: '1' });
      const list = await f.storage.list({ version: mostRecent });
      await f.update({ name: 'a', data: '2' });
      await f.create({ name: 'b' });
      await f.storage.list({ version: mostRecent });
      expect(list.objects.map(({ revision }) => revision)).toEqual([created.revision]);
      expect(list.revision).toBeGreaterThanOrEqual(created.revision);
    });

    test('A list at most recent shows every write acknowledged before, also of other clients', async () => {
      const f = fixture.current;
      const other = f.open();
      await f.storage.list({ version: mostRecent });
      for (let round = 1; round <= 20; round++) {
        const { revision } = await other.create(
          f.key({ name: `n${round}` }),
          encodeTestObject({ namespace: 'default', name: `n${round}` }),
        );
        const list = await f.storage.list({ version: mostRecent });
        expect(list.objects).toHaveLength(round);
        expect(list.revision).toBeGreaterThanOrEqual(revision);
      }
    });

    test('A list has a revision that is at least that of anything the store has acknowledged', async () => {
      const f = fixture.current;
      const { revision } = await f.store.create(`${f.prefix.slice(0, -1)}-elsewhere`, Buffer.from('x'));
      expect((await f.storage.list({ version: mostRecent })).revision).toBeGreaterThanOrEqual(revision);
    });

    test('A list at any version shows what was written before long', async () => {
      const f = fixture.current;
      await f.create({ name: 'a' });
      await expect.poll(async () => namesOf((await f.storage.list({ version: any })).objects)).toEqual(['a']);
    });

    test('A list not older than a revision that does not come is a timeout', async () => {
      const f = fixture.current;
      const revision = (await f.store.currentRevision()) + 1_000_000;
      await expect(f.storage.list({ version: { match: 'notOlderThan', revision } })).rejects.toMatchObject({
        reason: 'Timeout',
        message: expect.stringContaining(`Too large resource version: ${revision}`) as string,
      });
    });

    test('An exact list shows the state of that revision, also of one where only others changed', async () => {
      const f = fixture.current;
      const a = await f.create({ name: 'a', data: '1' });
      const b = await f.create({ name: 'b' });
      const { revision: elsewhere } = await f.store.create(`${f.prefix.slice(0, -1)}-elsewhere`, Buffer.from('x'));
      await f.update({ name: 'a', data: '2' });
      const removed = await f.remove('b');
      const at = async (revision: number): Promise<string[]> => {
        const list = await f.storage.list({ version: { match: 'exact', revision } });
        expect(list.revision).toBe(revision);
        return list.objects.map((object) => `${object.attributes.name} @${object.revision}`);
      };
      expect(await at(a.revision)).toEqual([`a @${a.revision}`]);
      expect(await at(b.revision)).toEqual([`a @${a.revision}`, `b @${b.revision}`]);
      expect(await at(elsewhere)).toEqual([`a @${a.revision}`, `b @${b.revision}`]);
      expect(await at(removed - 1)).toEqual([`a @${removed - 1}`, `b @${b.revision}`]);
      expect(await at(removed)).toEqual([`a @${removed - 1}`]);
    });

    test('An exact list at a revision still to come is refused with the current one', async () => {
      const f = fixture.current;
      const current = await f.store.currentRevision();
      await expect(
        f.storage.list({ version: { match: 'exact', revision: current + 1_000_000 } }),
      ).rejects.toMatchObject({ reason: 'FutureRevision' });
    });

    test('An exact list at a compacted revision is refused', async () => {
      const f = fixture.current;
      const { revision } = await f.create({ name: 'a', data: '1' });
      const later = await f.update({ name: 'a', data: '2' });
      await f.update({ name: 'a', data: '3' });
      await f.store.compact(later.revision);
      const fresh = f.open();
      await expect(fresh.list({ version: { match: 'exact', revision } })).rejects.toMatchObject({
        reason: 'Compacted',
      });
      expect(
        (await fresh.list({ version: { match: 'exact', revision: later.revision } })).objects.map(
          (object) => object.revision,
        ),
      ).toEqual([later.revision]);
    });

    test('count() is the number of stored objects', async () => {
      const f = fixture.current;
      await everything(f);
      await expect.poll(() => f.storage.count()).toBe(4);
    });
  });
}
