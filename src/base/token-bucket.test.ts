import { expect, test } from 'vitest';
import { FakeClock } from './testing/fake-clock.ts';
import { TokenBucket, type TokenBucketLimits } from './token-bucket.ts';

const start = (limits: TokenBucketLimits): { bucket: TokenBucket; clock: FakeClock } => {
  const clock = new FakeClock();
  return { bucket: new TokenBucket(limits, clock), clock };
};

test('A token bucket passes a burst, then refuses until tokens have come back', async () => {
  const { bucket, clock } = start({ perSecond: 2, burst: 3 });
  expect([bucket.take(), bucket.take(2), bucket.take()]).toEqual([true, true, false]);
  await clock.advance(1000);
  expect([bucket.take(), bucket.take(), bucket.take()]).toEqual([true, true, false]);
  await clock.advance(499);
  expect(bucket.take()).toBe(false);
  await clock.advance(1);
  expect(bucket.take()).toBe(true);
});

test('A token bucket that was idle for an hour passes one burst, not two', async () => {
  const { bucket, clock } = start({ perSecond: 2, burst: 3 });
  await clock.advance(3_600_000);
  expect([bucket.take(3), bucket.take()]).toEqual([true, false]);
});

test('A token bucket takes nothing when it has fewer tokens than are asked for', () => {
  const { bucket } = start({ perSecond: 1, burst: 3 });
  expect([bucket.take(4), bucket.take(3), bucket.take()]).toEqual([false, true, false]);
});

test('Tokens that are given back can be taken, up to the burst', () => {
  const { bucket } = start({ perSecond: 1, burst: 3 });
  expect(bucket.take(3)).toBe(true);
  bucket.give(2);
  expect([bucket.take(2), bucket.take()]).toEqual([true, false]);
  bucket.give(100);
  expect([bucket.take(3), bucket.take()]).toEqual([true, false]);
});

test('A token bucket with another rate keeps what has come back at the one before', async () => {
  const { bucket, clock } = start({ perSecond: 1, burst: 3 });
  expect(bucket.take(3)).toBe(true);
  await clock.advance(1000);
  bucket.perSecond = 10;
  await clock.advance(100);
  expect([bucket.take(2), bucket.take()]).toEqual([true, false]);
  bucket.perSecond = 0;
  await clock.advance(100_000);
  expect(bucket.take()).toBe(false);
});

test('Reserved tokens are spaced evenly beyond the burst, and reservations are counted until their time', async () => {
  const { bucket, clock } = start({ perSecond: 10, burst: 3 });
  const reserve = (count: number): number[] => Array.from({ length: count }, () => bucket.reserve());
  expect(reserve(5)).toEqual([0, 0, 0, 100, 200]);
  expect(bucket.take()).toBe(false);
  await clock.advance(300);
  expect(reserve(2)).toEqual([0, 100]);
  await clock.advance(10_000);
  expect(reserve(4)).toEqual([0, 0, 0, 100]);
});
