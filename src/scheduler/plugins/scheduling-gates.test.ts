import { expect, test } from 'vitest';
import { podInfo } from '../testing/objects.ts';
import { createSchedulingGates } from './scheduling-gates.ts';

test.each([
  { gates: [], message: undefined },
  { gates: ['a'], message: 'waiting for scheduling gates: [a]' },
  { gates: ['a', 'b.c/d'], message: 'waiting for scheduling gates: [a b.c/d]' },
])('A pod with the gates $gates is told: $message', ({ gates, message }) => {
  const schedulingGates = gates.map((name) => ({ name }));
  expect(createSchedulingGates().preEnqueue(podInfo({ spec: { schedulingGates } }))?.message).toBe(message);
});
