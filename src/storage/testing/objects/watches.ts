import { describe, expect, test, vi } from 'vitest';
import type { ObjectStorage } from '../../objects.ts';
import { encodeTestObject } from '../json-codec.ts';
import { lineOf } from './support.ts';
import type { Fixture, Watched } from './support.ts';
import { labelled } from './support.ts';

export function describeWatches(fixture: { readonly current: Fixture }): void {
  describe('a watch after a revision', () => {
    test('sees every later change once, in order, and nothing earlier', async () => {
      const f = fixture.current;
      const a = await f.create({ name: 'a', data: '1' });
      const b = await f.create({ name: 'b' });
      const changed = await f.update({ name: 'a', data: '2' });
      const watched = await f.watch({ after: a.revision });
      const removed = await f.remove('a');
      const c = await f.create({ name: 'c' });
      expect(await watched.lineCount(4)).toEqual([`ADDED b @${b.revision}`, `MODIFIED a @${changed.revision}`, `DELETED a @${removed}`, `ADDED c @${c.revision}`]);
    });

    test('sees the content each change made, and of a deletion what was deleted', async () => {
      const f = fixture.current;
      const created = await f.create({ name: 'a', data: '1' });
      const changed = await f.update({ name: 'a', data: '2' });
      const removed = await f.remove('a');
      const watched = await f.watch({ after: created.revision - 1 });
      await watched.lineCount(3);
      expect(watched.events.map(({ type, revision, object }) => [type, revision, object!.revision, JSON.parse(object!.bytes.toString()) as object])).toEqual([
        ['ADDED', created.revision, created.revision, { namespace: 'default', name: 'a', data: '1' }],
        ['MODIFIED', changed.revision, changed.revision, { namespace: 'default', name: 'a', data: '2' }],
        ['DELETED', removed, changed.revision, { namespace: 'default', name: 'a', data: '2' }],
      ]);
    });

    test('from a revision that is still to come is silent until then', async () => {
      const f = fixture.current;
      const a = await f.create({ name: 'a', data: '1' });
      const watched = await f.watch({ after: a.revision + 2 });
      await f.update({ name: 'a', data: '2' });
      await f.update({ name: 'a', data: '3' });
      const fourth = await f.update({ name: 'a', data: '4' });
      expect(await watched.lineCount(1)).toEqual([`MODIFIED a @${fourth.revision}`]);
    });

    test('sees nothing of what is closed', async () => {
      const f = fixture.current;
      const { revision } = await f.create({ name: 'a' });
      const closed = await f.watch({ after: revision });
      const open = await f.watch({ after: revision });
      closed.close();
      await f.create({ name: 'b' });
      await open.lineCount(1);
      expect(closed.events).toEqual([]);
    });

    test('after a revision from before the storage was opened is served from history', async () => {
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
      expect(await all.lineCount(5)).toEqual([`ADDED b @${b.revision}`, `MODIFIED a @${moved.revision}`, `DELETED b @${removed}`, `ADDED c @${last.revision}`, `MODIFIED c @${again.revision}`]);
      expect(await selected.lineCount(6)).toEqual([
        `ADDED a @${a.revision}`, `ADDED b @${b.revision}`, `DELETED a @${moved.revision}`, `DELETED b @${removed}`, `ADDED c @${last.revision}`, `MODIFIED c @${again.revision}`,
      ]);
    });

    test('after a compacted revision is refused or ends so', async () => {
      const f = fixture.current;
      const { revision } = await f.create({ name: 'a', data: '1' });
      for (const data of ['2', '3', '4']) await f.update({ name: 'a', data });
      const last = await f.update({ name: 'a', data: '5' });
      await f.store.compact(last.revision);
      const replica = f.open();
      const outcome = await f.watch({ after: revision }, replica).then((watched) => watched.end(), (error: Error) => error);
      expect(outcome).toMatchObject({ name: 'StorageError', reason: 'Compacted' });
    });
  });

  describe('a selection', () => {
    test('by labels: what enters it is added, what leaves it is deleted with what it was', async () => {
      const f = fixture.current;
      const start = await f.create({ name: 'start' });
      const watched = await f.watch({ after: start.revision, selection: labelled('x') });
      const entered = await f.create({ name: 'a', labels: { app: 'x' }, data: '1' });
      const changed = await f.update({ name: 'a', labels: { app: 'x' }, data: '2' });
      const left = await f.update({ name: 'a', labels: { app: 'y' }, data: '3' });
      await f.update({ name: 'a', labels: { app: 'y' }, data: '4' });
      const back = await f.update({ name: 'a', labels: { app: 'x' }, data: '5' });
      const removed = await f.remove('a');
      expect(await watched.lineCount(5)).toEqual([
        `ADDED a @${entered.revision}`, `MODIFIED a @${changed.revision}`, `DELETED a @${left.revision}`, `ADDED a @${back.revision}`, `DELETED a @${removed}`,
      ]);
      expect(watched.events.map(({ object }) => (JSON.parse(object!.bytes.toString()) as { data: string }).data)).toEqual(['1', '2', '2', '5', '5']);
    });

    test('by a field: an object is seen to leave one value and to enter the other', async () => {
      const f = fixture.current;
      const start = await f.create({ name: 'start' });
      const on = (node: string): { after: number; selection: { fieldEquals: Map<string, string> } } => ({ after: start.revision, selection: { fieldEquals: new Map([['spec.nodeName', node]]) } });
      const [one, two] = [await f.watch(on('n1')), await f.watch(on('n2'))];
      await f.create({ name: 'a' });
      const bound = await f.update({ name: 'a', fields: { 'spec.nodeName': 'n1' } });
      const moved = await f.update({ name: 'a', fields: { 'spec.nodeName': 'n2' } });
      const removed = await f.remove('a');
      expect(await one.lineCount(2)).toEqual([`ADDED a @${bound.revision}`, `DELETED a @${moved.revision}`]);
      expect(await two.lineCount(2)).toEqual([`ADDED a @${moved.revision}`, `DELETED a @${removed}`]);
    });

    test('by a field in a namespace: the other namespaces are not seen', async () => {
      const f = fixture.current;
      const { revision } = await f.create({ name: 'start' });
      const selection = { namespace: 'default', fieldEquals: new Map([['spec.nodeName', 'n1']]) };
      const watched = await f.watch({ after: revision, selection });
      await f.create({ namespace: 'other', name: 'a', fields: { 'spec.nodeName': 'n1' } });
      const seen = await f.create({ name: 'b', fields: { 'spec.nodeName': 'n1' } });
      expect(await watched.lineCount(1)).toEqual([`ADDED b @${seen.revision}`]);
    });

    test('by namespace and name: only those are seen', async () => {
      const f = fixture.current;
      const { revision } = await f.create({ name: 'start' });
      const watches: Watched[] = [];
      for (const selection of [{}, { namespace: 'default' }, { namespace: 'default', name: 'a' }, { name: 'a' }, { namespace: 'none' }]) watches.push(await f.watch({ after: revision, selection }));
      await f.create({ name: 'a' });
      await f.create({ name: 'ab' });
      await f.create({ namespace: 'other', name: 'a' });
      const last = await f.create({ name: 'z' });
      await watches[1]!.reach(last.revision);
      await watches[3]!.lineCount(2);
      const seen = watches.map(({ events }) => events.map(({ object }) => `${object!.card.namespace}/${object!.card.name}`));
      expect(seen).toEqual([
        ['default/a', 'default/ab', 'other/a', 'default/z'], ['default/a', 'default/ab', 'default/z'], ['default/a'], ['default/a', 'other/a'], [],
      ]);
    });
  });

  describe('the state first', () => {
    test.each([{ after: 'any' as const }, { after: 'mostRecent' as const }, { after: 0 }])('a watch from $after begins with what is there, in key order', async ({ after }) => {
      const f = fixture.current;
      const b = await f.create({ name: 'b' });
      const a = await f.create({ name: 'a' });
      // What is there at any version can lag behind: a read at the most recent one need not bring it along.
      await vi.waitFor(async () => expect((await f.storage.list({ version: { match: 'any' } })).objects).toHaveLength(2));
      const watched = await f.watch({ after });
      const c = await f.create({ name: 'c' });
      expect(await watched.lineCount(3)).toEqual([`ADDED a @${a.revision}`, `ADDED b @${b.revision}`, `ADDED c @${c.revision}`]);
    });

    test('a watch from the most recent version begins with what others have written', async () => {
      const f = fixture.current;
      const other = f.open();
      await f.storage.list({ version: { match: 'mostRecent' } });
      const { revision } = await other.create(f.key({ name: 'a' }), encodeTestObject({ namespace: 'default', name: 'a' }));
      expect(await (await f.watch({ after: 'mostRecent' })).lineCount(1)).toEqual([`ADDED a @${revision}`]);
    });

    test('initial events end with a bookmark for those that take bookmarks', async () => {
      const f = fixture.current;
      const a = await f.create({ name: 'a', labels: { app: 'x' } });
      const b = await f.create({ name: 'b' });
      const watched = await f.watch({ after: 'mostRecent', initialEvents: true, bookmarks: true, selection: labelled('x') });
      await watched.lineCount(2);
      const [added, bookmark] = watched.events;
      expect(lineOf(added!)).toBe(`ADDED a @${a.revision}`);
      expect(bookmark).toMatchObject({ type: 'BOOKMARK', initialEventsEnd: true });
      expect(bookmark!.revision).toBeGreaterThanOrEqual(b.revision);
      const c = await f.create({ name: 'c', labels: { app: 'x' } });
      expect((await watched.lineCount(3))[2]).toBe(`ADDED c @${c.revision}`);
    });

    test('initial events of nothing are the bookmark alone', async () => {
      const f = fixture.current;
      const watched = await f.watch({ after: 'mostRecent', initialEvents: true, bookmarks: true });
      await watched.lineCount(1);
      expect(watched.events[0]).toMatchObject({ type: 'BOOKMARK', initialEventsEnd: true, object: undefined });
    });

    test('no bookmark for those that did not ask, nor where no initial events were', async () => {
      const f = fixture.current;
      await f.create({ name: 'a' });
      const unasked = await f.watch({ after: 'mostRecent', initialEvents: true });
      const plain = await f.watch({ after: 'mostRecent', bookmarks: true });
      const b = await f.create({ name: 'b' });
      await unasked.reach(b.revision);
      await plain.reach(b.revision);
      expect([unasked, plain].map(({ events }) => events.map(({ type }) => type))).toEqual([['ADDED', 'ADDED'], ['ADDED', 'ADDED']]);
    });

    test('initial events not older than a revision', async () => {
      const f = fixture.current;
      const a = await f.create({ name: 'a' });
      const watched = await f.watch({ after: a.revision, initialEvents: true, bookmarks: true });
      await watched.lineCount(2);
      expect(watched.lines[0]).toBe(`ADDED a @${a.revision}`);
      expect(watched.events[1]!.revision).toBeGreaterThanOrEqual(a.revision);
    });

    test('initial events not older than a revision that does not come are a timeout', async () => {
      const f = fixture.current;
      const revision = (await f.store.currentRevision()) + 1_000_000;
      await expect(f.watch({ after: revision, initialEvents: true })).rejects.toMatchObject({ reason: 'Timeout', message: expect.stringContaining(`Too large resource version: ${revision}`) as string });
    });

    test('without initial events only what comes is seen', async () => {
      const f = fixture.current;
      await f.create({ name: 'a' });
      const watched = await f.watch({ after: 'mostRecent', initialEvents: false });
      const b = await f.create({ name: 'b' });
      expect(await watched.lineCount(1)).toEqual([`ADDED b @${b.revision}`]);
    });

    test('a large state is taken in parts while changes go on', async () => {
      const f = fixture.current;
      const names = Array.from({ length: 1_200 }, (_, index) => `o${String(index).padStart(4, '0')}`);
      await Promise.all(names.map((name) => f.create({ name })));
      const watched = await f.watch({ after: 'mostRecent' });
      const last = await f.create({ name: 'z' });
      const lines = await watched.reach(last.revision);
      expect(watched.events.map(({ object }) => object!.card.name)).toEqual([...names, 'z']);
      expect(lines).toHaveLength(1_201);
    });
  });

  describe('revisions', () => {
    test('are delivered whole: what a lease ends is taken together', async () => {
      const f = fixture.current;
      const lease = await f.store.grantLease(1);
      const { revision } = await f.create({ name: 'start' });
      const watched = await f.watch({ after: revision });
      for (const name of ['a', 'b', 'c']) await f.create({ name }, { lease });
      await watched.lineCount(6);
      const deleted = watched.batches.filter((batch) => batch.some(({ type }) => type === 'DELETED'));
      expect(deleted).toHaveLength(1);
      const types = deleted[0]!.filter(({ type }) => type === 'DELETED');
      expect(types.map(({ object }) => object!.card.name).sort()).toEqual(['a', 'b', 'c']);
      expect(new Set(types.map((event) => event.revision)).size).toBe(1);
    }, 15_000);

    test('taken so far are what the watch says is safe to bookmark', async () => {
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
    test('come from time to time to those that asked, and never run ahead of events', async () => {
      const f = fixture.current;
      const storage = f.open({ bookmarkIntervalMs: 20 });
      const { revision } = await f.create({ name: 'a' });
      const asked = await f.watch({ after: revision, bookmarks: true }, storage);
      const silent = await f.watch({ after: revision }, storage);
      for (let round = 0; round < 20; round++) await f.create({ name: `n${round}` });
      const last = await f.create({ name: 'last' });
      await asked.until(() => asked.events.some(({ type, revision: at }) => type === 'BOOKMARK' && at >= last.revision));
      await silent.reach(last.revision);
      expect(silent.events.every(({ type }) => type === 'ADDED')).toBe(true);
      const revisions = asked.events.map((event) => event.revision);
      expect(revisions).toEqual([...revisions].sort((x, y) => x - y));
      for (const [index, event] of asked.events.entries()) {
        if (event.type === 'BOOKMARK') expect(asked.events.slice(index + 1).every((later) => later.revision > event.revision)).toBe(true);
      }
    });
  });

  describe('a consumer', () => {
    test('that does not take is ended; what waits can still be taken', async () => {
      const f = fixture.current;
      const storage = f.open({ watchLimits: { maxEvents: 10 } });
      const { revision } = await f.create({ name: 'start' });
      const slow = await f.watch({ after: revision }, storage);
      const quick = await f.watch({ after: revision }, storage);
      await f.create({ name: 'first' });
      await slow.lineCount(1);
      await quick.lineCount(1);
      slow.pause();
      for (let round = 0; round < 200 && slow.ended === undefined; round++) await f.create({ name: `n${round}` });
      expect(await slow.end()).toMatchObject({ name: 'StorageError', reason: 'SlowConsumer' });
      const last = await f.create({ name: 'last' });
      await quick.reach(last.revision);
      slow.resume();
      expect(slow.lines.length).toBeLessThan(quick.lines.length);
      expect(slow.lines).toEqual(quick.lines.slice(0, slow.lines.length));
    });

    test('is measured by bytes too', async () => {
      const f = fixture.current;
      const storage = f.open({ watchLimits: { maxBytes: 10_000 } });
      const { revision } = await f.create({ name: 'start' });
      const slow = await f.watch({ after: revision }, storage);
      await f.create({ name: 'first' });
      // What comes in one batch is taken whole, and while a watch catches up that is everything.
      await slow.lineCount(1);
      slow.pause();
      for (let round = 0; round < 50 && slow.ended === undefined; round++) await f.create({ name: `n${round}`, data: 'x'.repeat(4_000) });
      expect(await slow.end()).toMatchObject({ reason: 'SlowConsumer' });
    });

    test('of a closed storage is told so', async () => {
      const f = fixture.current;
      const storage = f.open();
      const { revision } = await f.create({ name: 'a' });
      const watched = await f.watch({ after: revision }, storage);
      await storage[Symbol.asyncDispose]();
      expect(await watched.end()).toMatchObject({ reason: 'Aborted' });
    });
  });

  describe('races', () => {
    test('watches that begin at any time during many writes have neither gap nor duplicate', async () => {
      const f = fixture.current;
      const other = f.open();
      const start = await f.create({ name: 'start' });
      const complete = await f.watch({ after: start.revision });
      const begun: { after: number; watched: Watched }[] = [];
      let highest = start.revision;
      const write = async (storage: ObjectStorage, name: string): Promise<void> => {
        const key = f.key({ name });
        let { revision } = await storage.create(key, encodeTestObject({ namespace: 'default', name }));
        for (let round = 0; round < 15; round++) {
          const result = await storage.update(key, encodeTestObject({ namespace: 'default', name, data: String(round) }), revision);
          if (result.applied) revision = result.object.revision;
          highest = Math.max(highest, revision);
          if (round % 5 === 0) begun.push({ after: revision, watched: await f.watch({ after: revision }, round % 2 === 0 ? f.storage : other) });
        }
      };
      await Promise.all(['a', 'b', 'c', 'd', 'e', 'f'].map((name, index) => write(index % 2 === 0 ? f.storage : other, name)));
      const all = (await complete.reach(highest)).slice();
      expect(all).toHaveLength(6 * 16);
      for (const { after, watched } of begun) {
        await watched.until(() => after >= highest || watched.events.some((event) => event.revision >= highest));
        expect(watched.lines).toEqual(all.filter((_line, index) => complete.events[index]!.revision > after));
      }
    });

    test('a watch begun during compaction sees everything or says that it cannot', async () => {
      const f = fixture.current;
      const { revision: start } = await f.create({ name: 'a', data: '0' });
      let last = start;
      const outcomes: Promise<string[] | Error>[] = [];
      for (let round = 1; round <= 20; round++) {
        const { revision } = await f.update({ name: 'a', data: String(round) });
        const after = last;
        outcomes.push(Promise.all([f.watch({ after }), f.store.compact(revision)]).then(([watched]) => Promise.race([watched.reach(revision), watched.end()]), (error: Error) => error));
        last = revision;
        const outcome = await outcomes.at(-1)!;
        if (outcome instanceof Error) expect(outcome).toMatchObject({ reason: 'Compacted' });
        else expect(outcome[0]).toBe(`MODIFIED a @${revision}`);
      }
    });

    test('the store goes away and comes back: who resumes where it ended misses nothing', async () => {
      const f = fixture.current;
      const writer = f.open();
      const { revision: start } = await f.create({ name: 'start' });
      let position = start;
      const seen: string[] = [];
      const expected: string[] = [];
      for (let round = 0; round < 4; round++) {
        let watched = await f.watch({ after: position });
        const before = await writer.create(f.key({ name: `b${round}` }), encodeTestObject({ namespace: 'default', name: `b${round}` }));
        f.store.disconnect();
        await expect(f.storage.list({ version: { match: 'mostRecent' }, signal: AbortSignal.timeout(2_000) })).rejects.toMatchObject({ name: 'StorageError' });
        f.store.reconnect();
        const after = await writer.create(f.key({ name: `a${round}` }), encodeTestObject({ namespace: 'default', name: `a${round}` }));
        expected.push(`ADDED b${round} @${before.revision}`, `ADDED a${round} @${after.revision}`);
        const taken: string[] = [];
        for (;;) {
          await watched.until(() => watched.ended !== undefined || watched.events.some((event) => event.revision >= after.revision));
          taken.push(...watched.lines);
          position = watched.events.at(-1)?.revision ?? position;
          if (watched.ended === undefined) break;
          expect(watched.ended).toMatchObject({ reason: 'Unavailable' });
          watched = await f.watch({ after: position });
        }
        watched.close();
        seen.push(...taken);
      }
      expect(seen).toEqual(expected);
    });
  });
}
