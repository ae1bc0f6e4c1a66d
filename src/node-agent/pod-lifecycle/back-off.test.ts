import { expect, test } from 'vitest';
import { crashLoopReason, nextBackOff, waitBeforeRestart } from './back-off.ts';
import type { BackOff } from './state.ts';
import { exited, podOf, running } from './testing/states.ts';

test('The first restart is at once, then after 10 s, twice as long each time, 300 s at most', () => {
  let backOff: BackOff | undefined;
  const waits: number[] = [];
  let nowMs = 0;
  for (let restart = 0; restart < 8; restart++) {
    const record = exited(1, nowMs, backOff);
    const waitMs = waitBeforeRestart(record, nowMs);
    waits.push(waitMs / 1000);
    nowMs += waitMs;
    backOff = nextBackOff(record, nowMs);
  }
  expect(waits).toEqual([0, 10, 20, 40, 80, 160, 300, 300]);
});

test.each([
  { maxMs: 1000, delays: [1000, 1000, 1000] },
  { maxMs: 25_000, delays: [10_000, 20_000, 25_000] },
])('The longest delay is that of the configuration: $maxMs ms', ({ maxMs, delays }) => {
  let backOff: BackOff | undefined;
  const seen = delays.map(() => {
    backOff = nextBackOff(exited(1, 0, backOff), 0, maxMs);
    return backOff?.delayMs;
  });
  expect(seen).toEqual(delays);
});

test('A container does not wait for a clock that was set back', () => {
  const record = exited(1, 3_600_000, { delayMs: 20_000, atMs: 3_590_000 });
  expect(waitBeforeRestart(record, 0)).toBe(0);
  expect(waitBeforeRestart(record, 3_610_000)).toBe(10_000);
});

test.each([
  { name: 'a container that ran for ten minutes', ranMs: 600_000, waitMs: 40_000, delayMs: 80_000 },
  { name: 'a container that ran for longer', ranMs: 600_001, waitMs: 0, delayMs: 10_000 },
])('Crash back-off: $name', ({ ranMs, waitMs, delayMs }) => {
  const record = exited(1, ranMs, { delayMs: 40_000, atMs: 0 });
  expect(waitBeforeRestart(record, ranMs)).toBe(waitMs);
  expect(nextBackOff(record, ranMs)).toEqual({ delayMs, atMs: ranMs });
});

test('A container that runs keeps its back-off', () => {
  const backOff = { delayMs: 20_000, atMs: 0 };
  expect(nextBackOff({ ...running(), backOff }, 5)).toBe(backOff);
  expect(waitBeforeRestart({ ...running(), backOff }, 5)).toBe(0);
});

test.each([
  { delayMs: 10_000, text: '10s' },
  { delayMs: 80_000, text: '1m20s' },
  { delayMs: 300_000, text: '5m0s' },
])('The status names the delay $text', ({ delayMs, text }) => {
  expect(crashLoopReason(podOf({}), 'main', { delayMs, atMs: 0 })).toEqual({
    reason: 'CrashLoopBackOff',
    message: `back-off ${text} restarting failed container=main pod=web_default(uid-1)`,
  });
});
