import { describe, expect, test } from 'vitest';
import { FakeClock } from '../base/testing/fake-clock.ts';
import { Lifecycle } from './lifecycle.ts';

describe('requests in work', () => {
  test('Requests in work are waited for, the last one too', async () => {
    const lifecycle = new Lifecycle();
    lifecycle.enter();
    lifecycle.enter();
    let isDrained = false;
    const drained = lifecycle.drained().then(() => (isDrained = true));
    lifecycle.leave();
    await new Promise(setImmediate);
    expect(isDrained).toBe(false);
    lifecycle.leave();
    await drained;
    await lifecycle.drained();
  });
});

/** Watches that end when they are told to, and when that was. */
function watchesOf(lifecycle: Lifecycle, clock: FakeClock, count: number): number[] {
  const endedAt: number[] = [];
  for (let i = 0; i < count; i++) {
    const remove = lifecycle.addWatch(() => {
      endedAt.push(clock.now());
      remove();
    });
  }
  return endedAt;
}

describe('watches of a server that stops', () => {
  test('Watches of a server that stops end one after the other, 200 in a second, given time', async () => {
    const [lifecycle, clock] = [new Lifecycle(), new FakeClock()];
    const endedAt = watchesOf(lifecycle, clock, 100);
    const ended = lifecycle.endWatches(60_000, clock);
    await clock.advance(250);
    expect(endedAt).toHaveLength(51);
    await clock.advance(250);
    await ended;
    expect(endedAt).toEqual(Array.from({ length: 100 }, (_, i) => i * 5));
  });

  test('Watches of a server that stops end faster when there are more than the time allows for', async () => {
    const [lifecycle, clock] = [new Lifecycle(), new FakeClock()];
    const endedAt = watchesOf(lifecycle, clock, 1000);
    const ended = lifecycle.endWatches(1000, clock);
    await clock.advance(1000);
    await ended;
    expect(endedAt).toHaveLength(1000);
    expect(endedAt.filter((at) => at < 500)).toHaveLength(496);
  });

  test('Watches of a server that stay when they were told to end are waited for until its time is up', async () => {
    const [lifecycle, clock] = [new Lifecycle(), new FakeClock()];
    let told = 0;
    const remove = lifecycle.addWatch(() => told++);
    let isOver = false;
    const over = lifecycle.endWatches(1000, clock).then(() => (isOver = true));
    await clock.advance(990);
    expect([told, isOver, lifecycle.watches]).toEqual([1, false, 1]);
    await clock.advance(10);
    await over;
    remove();
    expect(lifecycle.watches).toBe(0);
  });
});
