import { describe, expect, test } from 'vitest';
import type { Fixture } from './support.ts';

export function describeConsumers(fixture: { readonly current: Fixture }): void {
  describe('a consumer', () => {
    test('A consumer that does not take is ended; what waits can still be taken', async () => {
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

    test('A consumer is measured by bytes too', async () => {
      const f = fixture.current;
      const storage = f.open({ watchLimits: { maxBytes: 10_000 } });
      const { revision } = await f.create({ name: 'start' });
      const slow = await f.watch({ after: revision }, storage);
      await f.create({ name: 'first' });
      // What comes in one batch is taken whole, and while a watch catches up that is everything.
      await slow.lineCount(1);
      slow.pause();
      for (let round = 0; round < 50 && slow.ended === undefined; round++)
        await f.create({ name: `n${round}`, data: 'x'.repeat(4_000) });
      expect(await slow.end()).toMatchObject({ reason: 'SlowConsumer' });
    });

    test('A consumer of a closed storage is told so', async () => {
      const f = fixture.current;
      const storage = f.open();
      const { revision } = await f.create({ name: 'a' });
      const watched = await f.watch({ after: revision }, storage);
      await storage[Symbol.asyncDispose]();
      expect(await watched.end()).toMatchObject({ reason: 'Aborted' });
    });
  });
}
