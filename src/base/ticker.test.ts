import { expect, test } from 'vitest';
import { FakeClock } from './testing/fake-clock.ts';
import { Ticker } from './ticker.ts';

test('A ticker calls back every period while it is started, and leaves no timer behind', async () => {
  const clock = new FakeClock();
  const at: number[] = [];
  const ticker = new Ticker(clock, 10, () => at.push(clock.now()));
  await clock.advance(100);
  ticker.start();
  ticker.start();
  await clock.advance(35);
  ticker.stop();
  expect(clock.pending).toBe(0);
  await clock.advance(100);
  expect(at).toEqual([110, 120, 130]);
});

test('A ticker can be stopped from its callback', async () => {
  const clock = new FakeClock();
  let calls = 0;
  const ticker: Ticker = new Ticker(clock, 10, () => {
    calls++;
    ticker.stop();
  });
  ticker.start();
  await clock.advance(100);
  expect([calls, clock.pending]).toEqual([1, 0]);
});
