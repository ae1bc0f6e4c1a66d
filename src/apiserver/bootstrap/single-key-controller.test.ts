import { expect, test } from 'vitest';
import { silentLogger } from '../../base/logger.ts';
import { FakeClock } from '../../base/testing/fake-clock.ts';
import type { SourceStore } from '../../registry/store-source.ts';
import { objectEvent } from '../../storage/object-events.ts';
import type { ObjectEvent, ObjectWatch, ObjectWatchOptions, StoredObject } from '../../storage/objects.ts';
import { runSingleKeyController } from './single-key-controller.ts';

let revision = 0;
const change = (): ObjectEvent =>
  objectEvent('MODIFIED', ++revision, { key: 'a', revision } as Partial<StoredObject> as StoredObject);

/** A resource whose changes the test makes. */
class Source {
  readonly watches: { events: ObjectEvent[]; ended: Error | undefined; onReady: () => void; closed: boolean }[] = [];
  readonly store: SourceStore = {
    resourceName: 'things',
    groupResource: { group: '', resource: 'things' },
    key: (_, name) => name,
    list: () => Promise.resolve({ objects: [], revision: 1 }),
    watch: ({ onReady }: ObjectWatchOptions): Promise<ObjectWatch> => {
      const state = { events: [] as ObjectEvent[], ended: undefined as Error | undefined, onReady, closed: false };
      this.watches.push(state);
      return Promise.resolve({
        take: () => state.events.splice(0),
        revision: 0,
        get ended() {
          return state.ended;
        },
        close: () => void (state.closed = true),
      });
    },
  };

  emit(): void {
    const watch = this.watches.at(-1)!;
    watch.events.push(change());
    watch.onReady();
  }
}

/** Rounds that wait to be let go, in order. */
class Rounds {
  readonly #arrived: (() => void)[] = [];
  readonly #waiting: { finish: () => void; fail: (error: Error) => void }[] = [];
  count = 0;

  readonly round = (): Promise<void> =>
    new Promise((resolve, reject) => {
      this.count++;
      this.#waiting.push({ finish: resolve, fail: reject });
      this.#arrived.shift()?.();
    });

  async next(): Promise<{ finish: () => void; fail: (error: Error) => void }> {
    if (this.#waiting.length === 0) await new Promise<void>((resolve) => this.#arrived.push(resolve));
    return this.#waiting.shift()!;
  }
}

function start() {
  const source = new Source();
  const rounds = new Rounds();
  const clock = new FakeClock();
  const controller = new AbortController();
  const ended = runSingleKeyController(
    { stores: [source.store], sync: rounds.round, log: silentLogger, clock },
    controller.signal,
  );
  return { source, rounds, clock, stop: () => (controller.abort(), ended) };
}

test('there is a round at first, and one more for all that changed meanwhile', async () => {
  const { source, rounds, stop } = start();
  const first = await rounds.next();
  source.emit();
  source.emit();
  first.finish();
  (await rounds.next()).finish();
  source.emit();
  (await rounds.next()).finish();
  await stop();
  expect(rounds.count).toBe(3);
  expect(source.watches.map(({ closed }) => closed)).toEqual([true]);
});

test('a round that failed is made again a second later', async () => {
  const { rounds, clock, stop } = start();
  (await rounds.next()).fail(new Error('store is away'));
  await clock.advance(0);
  await clock.advance(999);
  expect(rounds.count).toBe(1);
  await clock.advance(1);
  (await rounds.next()).finish();
  await stop();
});

test('rounds end with the signal, after the one that is under way', async () => {
  const { rounds, stop } = start();
  const round = await rounds.next();
  const ended = stop();
  round.finish();
  await ended;
  expect(rounds.count).toBe(1);
});

test('a watch that ended is opened again, and what changes then leads to a round', async () => {
  const { source, rounds, clock, stop } = start();
  (await rounds.next()).finish();
  source.watches[0]!.ended = new Error('slow consumer');
  source.watches[0]!.onReady();
  await clock.advance(0);
  await clock.advance(1000);
  source.emit();
  (await rounds.next()).finish();
  await stop();
  expect(source.watches).toHaveLength(2);
});
