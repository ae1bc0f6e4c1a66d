import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { systemClock } from './clock.ts';

const dayMs = 24 * 60 * 60_000;

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

test.each([
  { name: 'a second', delayMs: 1000 },
  { name: 'longer than timers of Node.js can count', delayMs: 40 * dayMs },
  { name: 'several times as long', delayMs: 100 * dayMs },
])('A timer runs after its delay: $name', ({ delayMs }) => {
  const callback = vi.fn();
  systemClock.after(delayMs, callback);
  vi.advanceTimersByTime(delayMs - 1);
  expect(callback).not.toHaveBeenCalled();
  vi.advanceTimersByTime(1);
  expect(callback).toHaveBeenCalledOnce();
});

test('A timer that was prolonged can be cancelled', () => {
  const callback = vi.fn();
  const timer = systemClock.after(40 * dayMs, callback);
  vi.advanceTimersByTime(30 * dayMs);
  timer.cancel();
  vi.advanceTimersByTime(30 * dayMs);
  expect(callback).not.toHaveBeenCalled();
});
