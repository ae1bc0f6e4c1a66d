import { describe, expect, test } from 'vitest';
import type { ObjectStorage } from '../../objects.ts';
import { encodeTestObject } from '../json-codec.ts';
import type { Fixture, Watched } from './support.ts';

export function describeRaces(fixture: { readonly current: Fixture }): void {
  describe('races', () => {
    test('Watches that begin at any time during many writes have neither gap nor duplicate', async () => {
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
          const result = await storage.update(
            key,
            encodeTestObject({ namespace: 'default', name, data: String(round) }),
            revision,
          );
          if (result.applied) revision = result.object.revision;
          highest = Math.max(highest, revision);
          if (round % 5 === 0)
            begun.push({
              after: revision,
              watched: await f.watch({ after: revision }, round % 2 === 0 ? f.storage : other),
            });
        }
      };
      await Promise.all(
        ['a', 'b', 'c', 'd', 'e', 'f'].map((name, index) => write(index % 2 === 0 ? f.storage : other, name)),
      );
      const all = (await complete.reach(highest)).slice();
      expect(all).toHaveLength(6 * 16);
      for (const { after, watched } of begun) {
        await watched.until(() => after >= highest || watched.events.some((event) => event.revision >= highest));
        expect(watched.lines).toEqual(all.filter((_line, index) => complete.events[index]!.revision > after));
      }
    });

    test('A watch begun during compaction sees everything or says that it cannot', async () => {
      const f = fixture.current;
      const { revision: start } = await f.create({ name: 'a', data: '0' });
      let last = start;
      const outcomes: Promise<string[] | Error>[] = [];
      for (let round = 1; round <= 20; round++) {
        const { revision } = await f.update({ name: 'a', data: String(round) });
        const after = last;
        outcomes.push(
          Promise.all([f.watch({ after }), f.store.compact(revision)]).then(
            ([watched]) => Promise.race([watched.reach(revision), watched.end()]),
            (error: Error) => error,
          ),
        );
        last = revision;
        const outcome = await outcomes.at(-1)!;
        if (outcome instanceof Error) expect(outcome).toMatchObject({ reason: 'Compacted' });
        else expect(outcome[0]).toBe(`MODIFIED a @${revision}`);
      }
    });

    test('The store goes away and comes back: a watch that is resumed where it ended misses nothing', async () => {
      const f = fixture.current;
      const writer = f.open();
      const { revision: start } = await f.create({ name: 'start' });
      let position = start;
      const seen: string[] = [];
      const expected: string[] = [];
      for (let round = 0; round < 4; round++) {
        let watched = await f.watch({ after: position });
        const before = await writer.create(
          f.key({ name: `b${round}` }),
          encodeTestObject({ namespace: 'default', name: `b${round}` }),
        );
        f.store.disconnect();
        await expect(
          f.storage.list({ version: { match: 'mostRecent' }, signal: AbortSignal.timeout(2_000) }),
        ).rejects.toMatchObject({ name: 'StorageError' });
        f.store.reconnect();
        const after = await writer.create(
          f.key({ name: `a${round}` }),
          encodeTestObject({ namespace: 'default', name: `a${round}` }),
        );
        expected.push(`ADDED b${round} @${before.revision}`, `ADDED a${round} @${after.revision}`);
        const taken: string[] = [];
        for (;;) {
          await watched.until(
            () => watched.ended !== undefined || watched.events.some((event) => event.revision >= after.revision),
          );
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
