import { expect, test } from 'vitest';
import { healthChecks } from './health-checks.ts';

test.each([
  { name: 'that has not begun', sinceMs: undefined, isHealthy: true },
  { name: 'whose last round was two minutes ago', sinceMs: 120_000, isHealthy: true },
  { name: 'that has stopped', sinceMs: 120_001, isHealthy: false },
])('The health of an agent tells of its loop over pods: one $name', ({ sinceMs, isHealthy }) => {
  const failed = healthChecks({ sinceRoundMs: () => sinceMs }).flatMap(({ name, check }) => {
    try {
      void check(new AbortController().signal);
      return [];
    } catch {
      return [name];
    }
  });
  expect(failed).toEqual(isHealthy ? [] : ['syncloop']);
});
