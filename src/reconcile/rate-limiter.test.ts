import { expect, test } from 'vitest';
import { FakeClock } from '../base/testing/fake-clock.ts';
import {
  defaultRateLimiter,
  ExponentialRateLimiter,
  MaxOfRateLimiter,
  type RateLimiter,
  TokenBucketRateLimiter,
} from './rate-limiter.ts';

const delays = (limiter: RateLimiter, key: string, count: number): number[] =>
  Array.from({ length: count }, () => limiter.when(key));

test('The exponential limiter doubles the delay of each key up to the longest one', () => {
  const limiter = new ExponentialRateLimiter({ firstMs: 1, maxMs: 5 });
  expect([delays(limiter, 'a', 5), delays(limiter, 'b', 2)]).toEqual([
    [1, 2, 4, 5, 5],
    [1, 2],
  ]);
  expect([limiter.numRequeues('a'), limiter.numRequeues('b'), limiter.numRequeues('c')]).toEqual([5, 2, 0]);
  limiter.forget('a');
  expect([limiter.numRequeues('a'), limiter.when('a'), limiter.when('b')]).toEqual([0, 1, 4]);
});

test('The exponential limiter has an end however often a key fails', () => {
  const limiter = new ExponentialRateLimiter({ firstMs: 5, maxMs: 1_000_000 });
  expect(delays(limiter, 'a', 2000).at(-1)).toBe(1_000_000);
});

test('The token bucket lets a burst through, then spaces the tries of all keys evenly, and fills again', async () => {
  const clock = new FakeClock();
  const limiter = new TokenBucketRateLimiter({ perSecond: 10, burst: 3 }, clock);
  expect(delays(limiter, 'a', 5)).toEqual([0, 0, 0, 100, 200]);
  await clock.advance(300);
  expect(delays(limiter, 'b', 2)).toEqual([0, 100]);
  await clock.advance(10_000);
  expect(delays(limiter, 'b', 4)).toEqual([0, 0, 0, 100]);
});

test('The longest delay of several limiters counts, and all of them forget', () => {
  const long = new ExponentialRateLimiter({ firstMs: 7, maxMs: 100 });
  const limiter = new MaxOfRateLimiter([new ExponentialRateLimiter({ firstMs: 1, maxMs: 100 }), long]);
  expect([limiter.when('a'), limiter.when('a'), limiter.numRequeues('a')]).toEqual([7, 14, 2]);
  limiter.forget('a');
  expect([limiter.numRequeues('a'), long.numRequeues('a')]).toEqual([0, 0]);
});

test('The default is 5 ms to 1,000 s for a key, and ten tries a second for all keys after a hundred', () => {
  const limiter = defaultRateLimiter(new FakeClock());
  expect([limiter.when('a'), limiter.when('a')]).toEqual([5, 10]);
  for (let i = 2; i < 100; i++) expect(limiter.when(`key-${i}`)).toBe(5);
  expect([limiter.when('x'), limiter.when('y')]).toEqual([100, 200]);
  for (let failure = 0; failure < 30; failure++) limiter.when('a');
  expect(limiter.when('a')).toBe(1_000_000);
});
