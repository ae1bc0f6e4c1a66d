import { expect, test } from 'vitest';
import { ago, jobOf, now, nowMs } from '../jobs/testing/builders.ts';
import { expiryOf } from './sync.ts';

const over = (type: 'Complete' | 'Failed' | 'Suspended', lastTransitionTime?: string) => ({
  conditions: [{ type, status: 'True' as const, ...(lastTransitionTime === undefined ? {} : { lastTransitionTime }) }],
});

test.each([
  { name: 'has no TTL', job: jobOf({}, over('Complete', now)), expiry: undefined },
  { name: 'is not over', job: jobOf({ ttlSecondsAfterFinished: 0 }, over('Suspended', now)), expiry: undefined },
  {
    name: 'is being deleted',
    job: jobOf({ ttlSecondsAfterFinished: 0 }, over('Failed', now), { deletionTimestamp: now }),
    expiry: undefined,
  },
  { name: 'goes at once', job: jobOf({ ttlSecondsAfterFinished: 0 }, over('Failed', now)), expiry: nowMs },
  {
    name: 'goes later',
    job: jobOf({ ttlSecondsAfterFinished: 90 }, over('Complete', ago(60))),
    expiry: nowMs + 30_000,
  },
])('A Job that $name', ({ job, expiry }) => {
  expect(expiryOf(job)).toBe(expiry);
});

test('A Job that does not say when it ended is an error', () => {
  expect(() => expiryOf(jobOf({ ttlSecondsAfterFinished: 0 }, over('Complete')))).toThrow(
    'unable to find the time when the Job default/work finished',
  );
});
