import { expect, onTestFinished, test, vi } from 'vitest';
import { reportEvictions } from './report-evictions.ts';

test('A flood of evictions is counted one by one and logged once a minute, with their number', () => {
  vi.useFakeTimers({ toFake: ['performance'] });
  onTestFinished(() => void vi.useRealTimers());
  const lines: [unknown, string][] = [];
  const counted = { answer: 0, head: 0 };
  const log = { warn: (details: object, message: string) => void lines.push([details, message.split(' ', 1)[0]!]) };
  const report = reportEvictions(log, { evicted: (kind) => counted[kind]++ });
  for (let i = 0; i < 1_000; i++) report('answer');
  report('head');
  expect(lines).toEqual([
    [{ count: 1 }, 'answers'],
    [{ count: 1 }, 'heads'],
  ]);
  vi.advanceTimersByTime(60_000);
  report('answer');
  expect(lines.slice(2)).toEqual([[{ count: 1_000 }, 'answers']]);
  expect(counted).toEqual({ answer: 1_001, head: 1 });
});
