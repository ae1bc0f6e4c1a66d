import { expect, test } from 'vitest';
import { isOverdue } from './leading.ts';

const times = { leaseDurationMs: 15_000, renewDeadlineMs: 10_000 };
/** Renewed at 100 s. */
const leadership = { deadline: 110_000 };

test.each([
  { name: 'that was renewed just now', now: 100_000, overdue: false },
  { name: 'that should end by now', now: 110_001, overdue: false },
  { name: 'whose lease has ended', now: 115_001, overdue: false },
  { name: 'that others have had for less than the grace', now: 135_000, overdue: false },
  { name: 'that others have had for longer', now: 135_001, overdue: true },
])('The health check of a leadership $name: overdue is $overdue', ({ now, overdue }) => {
  expect(isOverdue(leadership, times, now)).toBe(overdue);
});
