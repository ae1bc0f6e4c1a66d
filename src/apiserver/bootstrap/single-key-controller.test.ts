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

/** Calls of the sync, which wait until the test ends them, in order. */
class SyncCalls {
  readonly #arrived: (() => void)[] = [];
  readonly #waiting: { finish: () => void; fail: (error: Error) => void }[] = [];
  count = 0;

  readonly sync = (): Promise<void> =>
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
  const syncs = new SyncCalls();
  const clock = new FakeClock();
  const controller = new AbortController();
  const ended = runSingleKeyController(
    { stores: [source.store], sync: syncs.sync, log: silentLogger, clock },
    controller.signal,
  );
  return { source, syncs, clock, stop: () => (controller.abort(), ended) };
}

test('A single-key controller syncs at start, and once more for all changes during that sync', async () => {
  const { source, syncs, stop } = start();
  const first = await syncs.next();
  source.emit();
  source.emit();
  first.finish();
  (await syncs.next()).finish();
  source.emit();
  (await syncs.next()).finish();
  await stop();
  expect(syncs.count).toBe(3);
  expect(source.watches.map(({ closed }) => closed)).toEqual([true]);
});

test('A sync of a single-key controller that failed is retried a second later', async () => {
  const { syncs, clock, stop } = start();
  (await syncs.next()).fail(new Error('store is away'));
  await clock.advance(0);
  await clock.advance(999);
  expect(syncs.count).toBe(1);
  await clock.advance(1);
  (await syncs.next()).finish();
  await stop();
});

test('A single-key controller stops with the signal, after the sync that is running', async () => {
  const { syncs, stop } = start();
  const running = await syncs.next();
  const ended = stop();
  running.finish();
  await ended;
  expect(syncs.count).toBe(1);
});

test('A single-key controller reopens a watch that ended, and syncs after later changes', async () => {
  const { source, syncs, clock, stop } = start();
  (await syncs.next()).finish();
  source.watches[0]!.ended = new Error('slow consumer');
  source.watches[0]!.onReady();
  await clock.advance(0);
  await clock.advance(1000);
  source.emit();
  (await syncs.next()).finish();
  await stop();
  expect(source.watches).toHaveLength(2);
});
