import { describe, expect, test } from 'vitest';
import { encodeTestObject } from '../json-codec.ts';
import { labelled, lineOf } from './support.ts';
import type { Fixture } from './support.ts';

export function describeWatches(fixture: { readonly current: Fixture }): void {
  describe('a watch after a revision', () => {
    test('A watch after a revision sees every later change once, in order, and nothing earlier', async () => {
      const f = fixture.current;
      const a = await f.create({ name: 'a', data: '1' });
      const b = await f.create({ name: 'b' });
      const changed = await f.update({ name: 'a', data: '2' });
      const watched = await f.watch({ after: a.revision });
      const removed = await f.remove('a');
      const c = await f.create({ name: 'c' });
      expect(await watched.lineCount(4)).toEqual([
        `ADDED b @${b.revision}`,
        `MODIFIED a @${changed.revision}`,
        `DELETED a @${removed}`,
        `ADDED c @${c.revision}`,
      ]);
    });

    test('A watch after a revision sees the content each change made, and of a deletion what was deleted', async () => {
      const f = fixture.current;
      const created = await f.create({ name: 'a', data: '1' });
      const changed = await f.update({ name: 'a', data: '2' });
      const removed = await f.remove('a');
      const watched = await f.watch({ after: created.revision - 1 });
      await watched.lineCount(3);
      expect(
        watched.events.map(({ type, revision, object }) => [
          type,
          revision,
          object!.revision,
          JSON.parse(object!.bytes.toString()) as object,
        ]),
      ).toEqual([
        ['ADDED', created.revision, created.revision, { namespace: 'default', name: 'a', data: '1' }],
        ['MODIFIED', changed.revision, changed.revision, { namespace: 'default', name: 'a', data: '2' }],
        ['DELETED', removed, changed.revision, { namespace: 'default', name: 'a', data: '2' }],
      ]);
    });

    test('A watch from a revision that is still to come is silent until then', async () => {
      const f = fixture.current;
      const a = await f.create({ name: 'a', data: '1' });
      const watched = await f.watch({ after: a.revision + 2 });
      await f.update({ name: 'a', data: '2' });
      await f.update({ name: 'a', data: '3' });
      const fourth = await f.update({ name: 'a', data: '4' });
      expect(await watched.lineCount(1)).toEqual([`MODIFIED a @${fourth.revision}`]);
    });

    test('A watch after a revision sees nothing of what is closed', async () => {
      const f = fixture.current;
      const { revision } = await f.create({ name: 'a' });
      const closed = await f.watch({ after: revision });
      const open = await f.watch({ after: revision });
      closed.close();
      await f.create({ name: 'b' });
      await open.lineCount(1);
      expect(closed.events).toEqual([]);
    });

    test('A watch after a revision from before the storage was opened is served from history', async () => {
      const f = fixture.current;
      const a = await f.create({ name: 'a', labels: { app: 'x' } });
      const b = await f.create({ name: 'b', labels: { app: 'x' } });
      const moved = await f.update({ name: 'a', labels: { app: 'y' } });
      const removed = await f.remove('b');
      const replica = f.open();
      await replica.list({ version: { match: 'mostRecent' } });
      const all = await f.watch({ after: a.revision }, replica);
      const selected = await f.watch({ after: a.revision - 1, selection: labelled('x') }, replica);
      const last = await f.create({ name: 'c', labels: { app: 'x' } });
      const again = await f.update({ name: 'c', labels: { app: 'x' }, data: '2' });
      expect(await all.lineCount(5)).toEqual([
        `ADDED b @${b.revision}`,
        `MODIFIED a @${moved.revision}`,
        `DELETED b @${removed}`,
        `ADDED c @${last.revision}`,
        `MODIFIED c @${again.revision}`,
      ]);
      expect(await selected.lineCount(6)).toEqual([
        `ADDED a @${a.revision}`,
        `ADDED b @${b.revision}`,
        `DELETED a @${moved.revision}`,
        `DELETED b @${removed}`,
        `ADDED c @${last.revision}`,
        `MODIFIED c @${again.revision}`,
      ]);
    });

    test('A watch after a compacted revision is refused or ends so', async () => {
      const f = fixture.current;
      const { revision } = await f.create({ name: 'a', data: '1' });
      for (const data of ['2', '3', '4']) await f.update({ name: 'a', data });
      const last = await f.update({ name: 'a', data: '5' });
      await f.store.compact(last.revision);
      const replica = f.open();
      const outcome = await f.watch({ after: revision }, replica).then(
        (watched) => watched.end(),
        (error: Error) => error,
      );
      expect(outcome).toMatchObject({ name: 'StorageError', reason: 'Compacted' });
    });
  });

  describe('the state first', () => {
    test.each([{ after: 'any' as const }, { after: 'mostRecent' as const }, { after: 0 }])(
      'A watch from $after begins with what is there, in key order',
      async ({ after }) => {
        const f = fixture.current;
        const b = await f.create({ name: 'b' });
        const a = await f.create({ name: 'a' });
        // 'any' may be older than what a verified list has shown: what a watch has delivered is in the state.
        await (await f.watch({ after: b.revision })).lineCount(1);
        const watched = await f.watch({ after });
        const c = await f.create({ name: 'c' });
        expect(await watched.lineCount(3)).toEqual([
          `ADDED a @${a.revision}`,
          `ADDED b @${b.revision}`,
          `ADDED c @${c.revision}`,
        ]);
      },
    );

    test('A watch from the most recent version begins with what others have written', async () => {
      const f = fixture.current;
      const other = f.open();
      await f.storage.list({ version: { match: 'mostRecent' } });
      const { revision } = await other.create(
        f.key({ name: 'a' }),
        encodeTestObject({ namespace: 'default', name: 'a' }),
      );
      expect(await (await f.watch({ after: 'mostRecent' })).lineCount(1)).toEqual([`ADDED a @${revision}`]);
    });

    test('Initial events end with a bookmark for those that take bookmarks', async () => {
      const f = fixture.current;
      const a = await f.create({ name: 'a', labels: { app: 'x' } });
      const b = await f.create({ name: 'b' });
      const watched = await f.watch({
        after: 'mostRecent',
        initialEvents: true,
        bookmarks: true,
        selection: labelled('x'),
      });
      await watched.lineCount(2);
      const [added, bookmark] = watched.events;
      expect(lineOf(added!)).toBe(`ADDED a @${a.revision}`);
      expect(bookmark).toMatchObject({ type: 'BOOKMARK', initialEventsEnd: true });
      expect(bookmark!.revision).toBeGreaterThanOrEqual(b.revision);
      const c = await f.create({ name: 'c', labels: { app: 'x' } });
      expect((await watched.lineCount(3))[2]).toBe(`ADDED c @${c.revision}`);
    });

    test('Initial events of nothing are the bookmark alone', async () => {
      const f = fixture.current;
      const watched = await f.watch({ after: 'mostRecent', initialEvents: true, bookmarks: true });
      await watched.lineCount(1);
      expect(watched.events[0]).toMatchObject({ type: 'BOOKMARK', initialEventsEnd: true, object: undefined });
    });

    test('No bookmark for those that did not ask, nor where no initial events were', async () => {
      const f = fixture.current;
      await f.create({ name: 'a' });
      const unasked = await f.watch({ after: 'mostRecent', initialEvents: true });
      const plain = await f.watch({ after: 'mostRecent', bookmarks: true });
      const b = await f.create({ name: 'b' });
      await unasked.reach(b.revision);
      await plain.reach(b.revision);
      expect([unasked, plain].map(({ events }) => events.map(({ type }) => type))).toEqual([
        ['ADDED', 'ADDED'],
        ['ADDED', 'ADDED'],
      ]);
    });

    test('Initial events are not older than the revision that is asked for', async () => {
      const f = fixture.current;
      const a = await f.create({ name: 'a' });
      const watched = await f.watch({ after: a.revision, initialEvents: true, bookmarks: true });
      await watched.lineCount(2);
      expect(watched.lines[0]).toBe(`ADDED a @${a.revision}`);
      expect(watched.events[1]!.revision).toBeGreaterThanOrEqual(a.revision);
    });

    test('Initial events not older than a revision that does not come are a timeout', async () => {
      const f = fixture.current;
      const revision = (await f.store.currentRevision()) + 1_000_000;
      await expect(f.watch({ after: revision, initialEvents: true })).rejects.toMatchObject({
        reason: 'Timeout',
        message: expect.stringContaining(`Too large resource version: ${revision}`) as string,
      });
    });

    test('Without initial events only what comes is seen', async () => {
      const f = fixture.current;
      await f.create({ name: 'a' });
      const watched = await f.watch({ after: 'mostRecent', initialEvents: false });
      const b = await f.create({ name: 'b' });
      expect(await watched.lineCount(1)).toEqual([`ADDED b @${b.revision}`]);
    });

    test('A large state is taken in parts while changes go on', async () => {
      const f = fixture.current;
      const names = Array.from({ length: 1_200 }, (_, index) => `o${String(index).padStart(4, '0')}`);
      await Promise.all(names.map((name) => f.create({ name })));
      const watched = await f.watch({ after: 'mostRecent' });
      const last = await f.create({ name: 'z' });
      const lines = await watched.reach(last.revision);
      expect(watched.events.map(({ object }) => object!.attributes.name)).toEqual([...names, 'z']);
      expect(lines).toHaveLength(1_201);
    });
  });

  describe('revisions', () => {
    test('Revisions are delivered whole: what a lease ends is taken together', async () => {
      const f = fixture.current;
      const lease = await f.store.grantLease(1);
      const { revision } = await f.create({ name: 'start' });
      const watched = await f.watch({ after: revision });
      for (const name of ['a', 'b', 'c']) await f.create({ name }, { lease });
      await watched.lineCount(6);
      const deleted = watched.batches.filter((batch) => batch.some(({ type }) => type === 'DELETED'));
      expect(deleted).toHaveLength(1);
      const types = deleted[0]!.filter(({ type }) => type === 'DELETED');
      expect(types.map(({ object }) => object!.attributes.name).sort()).toEqual(['a', 'b', 'c']);
      expect(new Set(types.map((event) => event.revision)).size).toBe(1);
    }, 15_000);

    test('Revisions taken so far are what the watch says is safe to bookmark', async () => {
      const f = fixture.current;
      const a = await f.create({ name: 'a' });
      const watched = await f.watch({ after: a.revision });
      const b = await f.create({ name: 'b' });
      await watched.lineCount(1);
      await expect.poll(() => watched.revision).toBeGreaterThanOrEqual(b.revision);
      watched.pause();
      const safe = watched.revision;
      const c = await f.create({ name: 'c' });
      await expect.poll(() => watched.revision).toBeLessThan(c.revision);
      expect(watched.revision).toBeGreaterThanOrEqual(safe);
    });
  });

  describe('bookmarks', () => {
    test('Bookmarks come from time to time to those that asked, and never run ahead of events', async () => {
      const f = fixture.current;
      const storage = f.open({ bookmarkIntervalMs: 20 });
      const { revision } = await f.create({ name: 'a' });
      const asked = await f.watch({ after: revision, bookmarks: true }, storage);
      const silent = await f.watch({ after: revision }, storage);
      for (let round = 0; round < 20; round++) await f.create({ name: `n${round}` });
      const last = await f.create({ name: 'last' });
      await asked.until(() =>
        asked.events.some(({ type, revision: at }) => type === 'BOOKMARK' && at >= last.revision),
      );
      await silent.reach(last.revision);
      expect(silent.events.every(({ type }) => type === 'ADDED')).toBe(true);
      const revisions = asked.events.map((event) => event.revision);
      expect(revisions).toEqual([...revisions].sort((x, y) => x - y));
      for (const [index, event] of asked.events.entries()) {
        if (event.type === 'BOOKMARK')
          expect(asked.events.slice(index + 1).every((later) => later.revision > event.revision)).toBe(true);
      }
    });
  });
}
