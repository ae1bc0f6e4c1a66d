import { expect, onTestFinished, test, vi } from 'vitest';
import { StallTimer } from './stall-timer.ts';

test('What makes no progress is noticed after its time, counted from its last step that was seen', () => {
  vi.useFakeTimers({ toFake: ['performance'] });
  onTestFinished(() => void vi.useRealTimers());
  const standstill = new StallTimer<string>(1_000);
  const look = (progress: Readonly<Record<string, number>>): string[] => {
    const isStill = standstill.look();
    return Object.entries(progress)
      .filter(([name, steps]) => isStill(name, steps))
      .map(([name]) => name);
  };
  expect(look({ a: 0, b: 0 })).toEqual([]);
  vi.advanceTimersByTime(999);
  expect(look({ a: 0, b: 1, c: 7 })).toEqual([]);
  vi.advanceTimersByTime(1);
  expect(look({ a: 0, b: 1 })).toEqual(['a']);
  // It had nothing to wait for in between.
  expect(look({ b: 1 })).toEqual([]);
  vi.advanceTimersByTime(998);
  expect(look({ a: 0, b: 1, c: 7 })).toEqual([]);
  vi.advanceTimersByTime(1);
  expect(look({ a: 0, b: 1, c: 7 })).toEqual(['b']);
});
