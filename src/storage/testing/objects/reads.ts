import { describe, expect, test } from 'vitest';
import type { ReadVersion } from '../../objects.ts';
import { keyAfter } from '../../pages.ts';
import { encodeTestObject } from '../json-codec.ts';
import type { Fixture } from './support.ts';
import { labelled, namesOf } from './support.ts';

const mostRecent: ReadVersion = { match: 'mostRecent' };
const any: ReadVersion = { match: 'any' };

export function describeReads(fixture: { readonly current: Fixture }): void {
  describe('get', () => {
    test('finds what was written, as normalized bytes with the revision of the write', async () => {
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

    test('a missing object is undefined', async () => {
      const f = fixture.current;
      expect(await f.storage.get(f.key({ name: 'none' }), mostRecent)).toBeUndefined();
    });

    test('at most recent is never older than a write acknowledged before, also of another client', async () => {
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

    test('at most recent does not find what was deleted elsewhere', async () => {
      const f = fixture.current;
      const other = f.open();
      const { revision } = await f.create({ name: 'a' });
      await other.delete(f.key({ name: 'a' }), revision);
      expect(await f.storage.get(f.key({ name: 'a' }), mostRecent)).toBeUndefined();
    });

    test('not older than a revision waits for it', async () => {
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

    test('not older than a revision of something else is answered too', async () => {
      const f = fixture.current;
      const { revision: own } = await f.create({ name: 'a' });
      const { revision } = await f.store.create(`${f.prefix.slice(0, -1)}-elsewhere`, Buffer.from('x'));
      expect((await f.storage.get(f.key({ name: 'a' }), { match: 'notOlderThan', revision }))!.revision).toBe(own);
    });

    test('not older than a revision that does not come is a timeout that names both', async () => {
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

    test('exact finds the version of that revision', async () => {
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
    ])('$name', async ({ selection, names }) => {
      const f = fixture.current;
      await everything(f);
      expect(namesOf((await f.storage.list({ version: mostRecent, selection })).objects)).toEqual(names);
    });

    test('objects of resources without namespaces', async () => {
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

    test('keys are ordered by bytes, also beyond the basic plane', async () => {
      const f = fixture.current;
      const names = ['a', 'é', '\u{ffee}', '\u{1f600}'];
      for (const name of [...names].reverse()) await f.create({ name });
      expect(namesOf((await f.storage.list({ version: mostRecent })).objects)).toEqual(names);
      const page = await f.storage.list({ version: mostRecent, limit: 3 });
      expect(namesOf((await f.storage.list({ version: mostRecent, after: page.lastKey! })).objects)).toEqual([
        '\u{1f600}',
      ]);
    });

    test('is a snapshot at one revision: later writes do not show in it', async () => {
      const f = fixture.current;
      const created = await f.create({ name: 'a', data: '1' });
      const list = await f.storage.list({ version: mostRecent });
      await f.update({ name: 'a', data: '2' });
      await f.create({ name: 'b' });
      await f.storage.list({ version: mostRecent });
      expect(list.objects.map(({ revision }) => revision)).toEqual([created.revision]);
      expect(list.revision).toBeGreaterThanOrEqual(created.revision);
    });

    test('at most recent shows every write acknowledged before, also of other clients', async () => {
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

    test('has a revision that is at least that of anything the store has acknowledged', async () => {
      const f = fixture.current;
      const { revision } = await f.store.create(`${f.prefix.slice(0, -1)}-elsewhere`, Buffer.from('x'));
      expect((await f.storage.list({ version: mostRecent })).revision).toBeGreaterThanOrEqual(revision);
    });

    test('at any version shows what was written before long', async () => {
      const f = fixture.current;
      await f.create({ name: 'a' });
      await expect.poll(async () => namesOf((await f.storage.list({ version: any })).objects)).toEqual(['a']);
    });

    test('not older than a revision that does not come is a timeout', async () => {
      const f = fixture.current;
      const revision = (await f.store.currentRevision()) + 1_000_000;
      await expect(f.storage.list({ version: { match: 'notOlderThan', revision } })).rejects.toMatchObject({
        reason: 'Timeout',
        message: expect.stringContaining(`Too large resource version: ${revision}`) as string,
      });
    });

    test('exact shows the state of that revision, also of one where only others changed', async () => {
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

    test('exact at a revision still to come is refused with the current one', async () => {
      const f = fixture.current;
      const current = await f.store.currentRevision();
      await expect(
        f.storage.list({ version: { match: 'exact', revision: current + 1_000_000 } }),
      ).rejects.toMatchObject({ reason: 'FutureRevision' });
    });

    test('exact at a compacted revision is refused', async () => {
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

    test('counts the objects', async () => {
      const f = fixture.current;
      await everything(f);
      await expect.poll(() => f.storage.count()).toBe(4);
    });
  });

  describe('pages', () => {
    const fill = async (f: Fixture, count: number): Promise<void> => {
      for (let index = 0; index < count; index++)
        await f.create({ name: `o${String(index).padStart(4, '0')}`, labels: { app: index % 2 === 0 ? 'x' : 'y' } });
    };

    test('of one list are at one revision, whatever is written meanwhile', async () => {
      const f = fixture.current;
      await fill(f, 5);
      const first = await f.storage.list({ version: mostRecent, limit: 2 });
      expect(first).toMatchObject({ lastKey: f.key({ name: 'o0001' }), remaining: 3 });
      await f.remove('o0002');
      await f.create({ name: 'o0001a' });
      await f.update({ name: 'o0003', data: 'new' });
      const version: ReadVersion = { match: 'exact', revision: first.revision };
      const second = await f.storage.list({ version, after: first.lastKey!, limit: 2 });
      expect(second).toMatchObject({ revision: first.revision, lastKey: f.key({ name: 'o0003' }), remaining: 1 });
      const third = await f.storage.list({ version, after: second.lastKey!, limit: 2 });
      expect(third.lastKey).toBeUndefined();
      expect(third.remaining).toBeUndefined();
      expect(namesOf([...first.objects, ...second.objects, ...third.objects])).toEqual([
        'o0000',
        'o0001',
        'o0002',
        'o0003',
        'o0004',
      ]);
    });

    test.each([
      { limit: 4, lastKey: 'o0003', remaining: 1 },
      { limit: 5, lastKey: undefined, remaining: undefined },
      { limit: 6, lastKey: undefined, remaining: undefined },
    ])('of $limit out of 5', async ({ limit, lastKey, remaining }) => {
      const f = fixture.current;
      await fill(f, 5);
      const page = await f.storage.list({ version: mostRecent, limit });
      expect({ lastKey: page.lastKey, remaining: page.remaining }).toEqual({
        lastKey: lastKey && f.key({ name: lastKey }),
        remaining,
      });
    });

    test('with a selector hold what matches, and say nothing of the rest', async () => {
      const f = fixture.current;
      await fill(f, 5);
      const first = await f.storage.list({ version: mostRecent, selection: labelled('x'), limit: 2 });
      expect(namesOf(first.objects)).toEqual(['o0000', 'o0002']);
      expect(first).toMatchObject({ lastKey: f.key({ name: 'o0002' }) });
      expect(first.remaining).toBeUndefined();
      const second = await f.storage.list({
        version: { match: 'exact', revision: first.revision },
        selection: labelled('x'),
        after: first.lastKey!,
        limit: 2,
      });
      expect(namesOf(second.objects)).toEqual(['o0004']);
      expect(second.lastKey).toBeUndefined();
    });

    test('of a namespace end with it', async () => {
      const f = fixture.current;
      await fill(f, 3);
      await f.create({ namespace: 'zzz', name: 'a' });
      const page = await f.storage.list({ version: mostRecent, selection: { namespace: 'default' }, limit: 2 });
      expect(page.remaining).toBe(1);
      const rest = await f.storage.list({
        version: mostRecent,
        selection: { namespace: 'default' },
        after: page.lastKey!,
        limit: 2,
      });
      expect(namesOf(rest.objects)).toEqual(['o0002']);
      expect(rest.lastKey).toBeUndefined();
    });

    test('begin behind a key that is gone, and behind any string', async () => {
      const f = fixture.current;
      await fill(f, 3);
      await f.remove('o0001');
      expect(namesOf((await f.storage.list({ version: mostRecent, after: f.key({ name: 'o0001' }) })).objects)).toEqual(
        ['o0002'],
      );
      expect(
        namesOf((await f.storage.list({ version: mostRecent, after: keyAfter(f.key({ name: 'o0000' })) })).objects),
      ).toEqual(['o0002']);
    });

    test('of a namespace are empty behind it, and whole before it', async () => {
      const f = fixture.current;
      await fill(f, 2);
      await f.create({ namespace: 'a', name: 'x' });
      await f.create({ namespace: 'z', name: 'x' });
      const page = (after: string) =>
        f.storage.list({ version: mostRecent, selection: { namespace: 'default' }, after, limit: 1 });
      expect(await page(f.key({ namespace: 'z', name: 'x' }))).toMatchObject({ objects: [] });
      expect(await page(f.key({ namespace: 'a', name: 'x' }))).toMatchObject({
        lastKey: f.key({ name: 'o0000' }),
        remaining: 1,
      });
    });

    test('more objects than fit one read of the store are one list', async () => {
      const f = fixture.current;
      await Promise.all(
        Array.from({ length: 450 }, (_, index) =>
          f.create({ name: `m${String(index).padStart(4, '0')}`, labels: { app: index === 449 ? 'last' : 'x' } }),
        ),
      );
      const list = await f.open().list({ version: mostRecent });
      expect(namesOf(list.objects)).toEqual(
        Array.from({ length: 450 }, (_, index) => `m${String(index).padStart(4, '0')}`),
      );
      expect(
        namesOf((await f.storage.list({ version: mostRecent, selection: labelled('last'), limit: 1 })).objects),
      ).toEqual(['m0449']);
    });
  });

  describe('objects that cannot be read', () => {
    test('are an error for the request that asks for them, and for no other', async () => {
      const f = fixture.current;
      await f.create({ name: 'good' });
      const key = f.key({ namespace: 'other', name: 'bad' });
      await f.store.create(key, Buffer.from('no envelope'));
      const unreadable = { reason: 'Internal', key, message: expect.stringContaining(key) as string };
      for (const storage of [f.storage, f.open()]) {
        await expect(storage.get(key, mostRecent)).rejects.toMatchObject(unreadable);
        await expect(storage.list({ version: mostRecent })).rejects.toMatchObject(unreadable);
        await expect(storage.list({ version: mostRecent, selection: { namespace: 'other' } })).rejects.toMatchObject(
          unreadable,
        );
        expect(
          namesOf((await storage.list({ version: mostRecent, selection: { namespace: 'default' } })).objects),
        ).toEqual(['good']);
        expect((await storage.get(f.key({ name: 'good' }), mostRecent))!.attributes.name).toBe('good');
      }
    });

    test('keep a watch from beginning with a state that lacks them', async () => {
      const f = fixture.current;
      const key = f.key({ namespace: 'other', name: 'bad' });
      await f.store.create(key, Buffer.from('no envelope'));
      const outcome = await f.watch({ after: 'mostRecent' }).then(
        (watched) => watched.end(),
        (error: Error) => error,
      );
      expect(outcome).toMatchObject({ reason: 'Internal', key });
      const good = await f.create({ name: 'good' });
      const elsewhere = await f.watch({ after: 'mostRecent', selection: { namespace: 'default' } });
      expect(await elsewhere.lineCount(1)).toEqual([`ADDED good @${good.revision}`]);
    });

    test('can be replaced and deleted', async () => {
      const f = fixture.current;
      const key = f.key({ name: 'bad' });
      const { revision } = await f.store.create(key, Buffer.from('no envelope'));
      await expect(f.storage.list({ version: mostRecent })).rejects.toMatchObject({ reason: 'Internal' });
      await f.storage.update(key, encodeTestObject({ namespace: 'default', name: 'bad' }), revision);
      expect(namesOf((await f.storage.list({ version: mostRecent })).objects)).toEqual(['bad']);
      expect((await f.storage.get(key, mostRecent))!.attributes.name).toBe('bad');
    });
  });
}
