import { describe, expect, test } from 'vitest';
import type { ReadVersion } from '../../objects.ts';
import { keyAfter } from '../../read-pages.ts';
import { encodeTestObject } from '../json-codec.ts';
import type { Fixture } from './support.ts';
import { labelled, namesOf } from './support.ts';

const mostRecent: ReadVersion = { match: 'mostRecent' };

export function describePages(fixture: { readonly current: Fixture }): void {
  describe('pages', () => {
    const fill = async (f: Fixture, count: number): Promise<void> => {
      for (let index = 0; index < count; index++)
        await f.create({ name: `o${String(index).padStart(4, '0')}`, labels: { app: index % 2 === 0 ? 'x' : 'y' } });
    };

    test('Pages of one list are at one revision, whatever is written meanwhile', async () => {
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
    ])('Pages of a list: $limit out of 5', async ({ limit, lastKey, remaining }) => {
      const f = fixture.current;
      await fill(f, 5);
      const page = await f.storage.list({ version: mostRecent, limit });
      expect({ lastKey: page.lastKey, remaining: page.remaining }).toEqual({
        lastKey: lastKey && f.key({ name: lastKey }),
        remaining,
      });
    });

    test('Pages with a selector hold what matches, and say nothing of the rest', async () => {
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

    test('Pages of a namespace end with it', async () => {
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

    test('Pages begin behind a key that is gone, and behind any string', async () => {
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

    test('Pages of a namespace are empty behind it, and whole before it', async () => {
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

    test('More objects than fit one read of the store are one list', async () => {
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
    test('Objects that cannot be read are an error for the request that asks for them, and for no other', async () => {
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

    test('Objects that cannot be read keep a watch from beginning with a state that lacks them', async () => {
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

    test('Objects that cannot be read can be replaced and deleted', async () => {
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
