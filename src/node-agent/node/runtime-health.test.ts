import { expect, test } from 'vitest';
import type { RuntimeCondition } from './node-runtime.ts';
import { RuntimeHealth } from './runtime-health.ts';
import { readyReport } from './testing/node-parts.ts';

const unready = (type: string): RuntimeCondition => ({ type, status: false, reason: 'Why', message: 'text' });
const reportWith = (...conditions: RuntimeCondition[]) => ({ conditions, runtimeHandlers: [] });
const [runtimeReady, networkReady] = readyReport.conditions as [RuntimeCondition, RuntimeCondition];

test.each([
  { name: 'is ready', report: readyReport, problems: [] },
  {
    name: 'is not ready',
    report: reportWith(unready('RuntimeReady'), networkReady),
    problems: [
      'container runtime status check may not have completed yet',
      'container runtime not ready: RuntimeReady=false reason:Why message:text',
    ],
  },
  {
    name: 'has no network',
    report: reportWith(runtimeReady, unready('NetworkReady')),
    problems: ['container runtime network not ready: NetworkReady=false reason:Why message:text'],
  },
  {
    name: 'does not speak of its network',
    report: reportWith(runtimeReady),
    problems: ['container runtime network not ready: condition NetworkReady is not set'],
  },
])('The problems of a runtime that $name', ({ report, problems }) => {
  const health = new RuntimeHealth({ now: () => 0 });
  health.heard(report);
  expect(health.problems).toEqual(problems);
});

test('A runtime that has not answered yet may be well', () => {
  expect(new RuntimeHealth({ now: () => 0 }).problems).toEqual([
    'container runtime status check may not have completed yet',
    'network state unknown',
  ]);
});

test('A runtime that has not been ready for half a minute is down', () => {
  let now = 0;
  const health = new RuntimeHealth({ now: () => now });
  health.heard(readyReport);
  now = 30_000;
  expect(health.problems).toEqual([]);
  now = 30_001;
  expect(health.problems).toEqual(['container runtime is down']);
});
