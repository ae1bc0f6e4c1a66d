import { describe, expect, test } from 'vitest';
import { bookmarkEvent } from './bookmarks.ts';
import { objectEvent } from './object-events.ts';
import type { ObjectEvent } from './objects.ts';
import { defaultWatchLimits, WatchQueue, weightOfAll } from './watch-queue.ts';
import type { WatchLimits } from './watch-queue.ts';

function event(revision: number): ObjectEvent {
  return objectEvent('ADDED', revision, {
    key: 'k',
    revision,
    bytes: Buffer.alloc(10),
    attributes: { namespace: '', name: 'k', labels: new Map(), fields: new Map() },
  });
}

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(() => setImmediate(resolve)));

/** A queue at a position, with the number of times its consumer was called. */
function open(limits: Partial<WatchLimits> = {}): {
  queue: WatchQueue;
  at: { position: number };
  calls: () => number;
  closes: () => number;
  push: (...events: ObjectEvent[]) => void;
} {
  const at = { position: 10 };
  let calls = 0;
  let closes = 0;
  const queue = new WatchQueue({
    onReady: () => void calls++,
    onClose: () => void closes++,
    limits: { ...defaultWatchLimits, ...limits },
    position: () => at.position,
  });
  const push = (...events: ObjectEvent[]): void => {
    if (queue.push(events, weightOfAll(events))) queue.announce();
  };
  return { queue, at, calls: () => calls, closes: () => closes, push };
}

describe('watch queue', () => {
  test('The watch queue calls its consumer once for what waits, and again after all was taken', async () => {
    const { queue, calls, push } = open();
    queue.begin(10);
    await turn();
    expect(calls()).toBe(0);
    push(event(11));
    push(event(12));
    expect(calls()).toBe(1);
    expect(queue.take().map(({ revision }) => revision)).toEqual([11, 12]);
    expect(queue.take()).toEqual([]);
    push(event(13));
    expect(calls()).toBe(2);
  });

  test('The watch queue does not call before the consumer can have the watch in its hands', async () => {
    const { queue, calls, push } = open();
    queue.begin(10);
    push(event(11));
    expect(calls()).toBe(0);
    await turn();
    expect(calls()).toBe(1);
  });

  test('The watch queue hands out the pushed array itself when it is the only one', async () => {
    const { queue } = open();
    queue.begin(10);
    const batch = [event(11)];
    queue.push(batch, 1);
    expect(queue.take()).toBe(batch);
  });

  test('The watch queue gives its backlog in parts, before what was pushed, one per call', async () => {
    const { queue, calls, push } = open();
    queue.begin(0, [[event(1)], [event(2)]].values());
    push(event(11));
    const taken: number[][] = [];
    for (let round = 1; round <= 3; round++) {
      await turn();
      expect(calls()).toBe(round);
      taken.push(queue.take().map(({ revision }) => revision));
    }
    expect(taken).toEqual([[1], [2], [11]]);
    await turn();
    expect(calls()).toBe(3);
  });

  test('The watch queue says which revision was taken whole', async () => {
    const { queue, at, push } = open();
    queue.begin(0, [[event(1)]].values());
    expect(queue.revision).toBe(0);
    queue.take();
    expect(queue.revision).toBe(0);
    queue.take();
    expect(queue.revision).toBe(10);
    at.position = 15;
    push(event(15));
    expect(queue.revision).toBe(14);
    queue.take();
    expect(queue.revision).toBe(15);
    at.position = 20;
    expect(queue.revision).toBe(20);
    push(bookmarkEvent(20));
    expect(queue.revision).toBe(20);
  });

  test('The watch queue ends a consumer that falls behind, tells it, and keeps what waits', async () => {
    const { queue, calls, closes, push } = open({ maxEvents: 2 });
    queue.begin(10);
    await turn();
    push(event(11));
    push(event(12));
    push(event(13));
    push(event(14));
    expect(queue.ended).toMatchObject({ reason: 'SlowConsumer' });
    expect([calls(), closes()]).toEqual([2, 1]);
    expect(queue.take().map(({ revision }) => revision)).toEqual([11, 12]);
    expect(queue.revision).toBe(10);
  });

  test('The watch queue takes a revision with more than may wait when nothing else does', () => {
    const { queue, push } = open({ maxEvents: 2 });
    queue.begin(10);
    push(event(11), event(11), event(11));
    expect(queue.ended).toBeUndefined();
    expect(queue.take()).toHaveLength(3);
  });

  test('The watch queue ends a consumer that leaves its backlog untouched, not one that goes on', () => {
    const { queue } = open({ stallMs: 100 });
    queue.begin(0, [[event(1)], [event(2)]].values());
    queue.checkStall(0);
    queue.checkStall(99);
    queue.take();
    queue.checkStall(150);
    queue.checkStall(240);
    expect(queue.ended).toBeUndefined();
    queue.checkStall(250);
    expect(queue.ended).toMatchObject({ reason: 'SlowConsumer' });
  });

  test('The watch queue never ends an idle consumer for being idle', async () => {
    const { queue } = open({ stallMs: 100 });
    queue.begin(10);
    await turn();
    queue.checkStall(0);
    queue.checkStall(1_000_000);
    expect(queue.ended).toBeUndefined();
  });

  test('The watch queue lets a source wait until the queue has space', async () => {
    const { queue, push } = open({ maxEvents: 4 });
    queue.begin(10);
    push(event(11), event(12), event(13));
    let hasSpace = false;
    const waiting = queue.space().then(() => (hasSpace = true));
    await turn();
    expect(hasSpace).toBe(false);
    queue.take();
    await waiting;
    expect(hasSpace).toBe(true);
  });

  test('A closed watch queue releases everything and calls no callback', async () => {
    const { queue, calls, closes, push } = open();
    queue.begin(0, [[event(1)]].values());
    queue.close();
    queue.close();
    push(event(11));
    queue.end(new Error('late'));
    await turn();
    expect([calls(), closes(), queue.take().length, queue.ended]).toEqual([0, 1, 0, undefined]);
  });
});
