import { expect, it } from 'vitest';
import { FakeClock } from '../../base/testing/fake-clock.ts';
import { FailedPodBackoff } from './failed-pod-backoff.ts';

it('A failed pod is replaced at once, and then after twice as long each time up to 15 minutes', async () => {
  const clock = new FakeClock();
  const backoff = new FailedPodBackoff(clock);
  const waits: number[] = [];
  for (let i = 0; i < 12; i++) {
    waits.push(backoff.waitMs('n') / 1000);
    await clock.advance(backoff.waitMs('n'));
    backoff.replaced('n');
  }
  expect(waits).toEqual([0, 1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 900]);
  expect(backoff.waitMs('other')).toBe(0);
});

it('A node whose pods did not fail for half an hour begins anew', async () => {
  const clock = new FakeClock();
  const backoff = new FailedPodBackoff(clock);
  backoff.replaced('n');
  backoff.replaced('n');
  await clock.advance(30 * 60_000 + 1);
  backoff.forgetOld();
  backoff.replaced('n');
  expect(backoff.waitMs('n')).toBe(1000);
});
