import { expect, test } from 'vitest';
import { FakeClock } from '../../../base/testing/fake-clock.ts';
import { createEventTtl } from './event-ttl.ts';

test('Events of about the same time share a lease, which lives for the event TTL and the reuse duration', async () => {
  const granted: number[] = [];
  const clock = new FakeClock();
  const lease = createEventTtl({
    store: {
      grantLease: async (seconds) => {
        granted.push(seconds);
        return String(granted.length);
      },
    },
    ttlMs: 3_600_000,
    reuseSeconds: 60,
    clock,
  });
  expect(await lease()).toBe('1');
  await clock.advance(59_000);
  expect(await lease()).toBe('1');
  await clock.advance(2_000);
  expect(await lease()).toBe('2');
  expect(granted).toEqual([3_660, 3_660]);
});
