import { expect, test } from 'vitest';
import type { PriorityClass } from '../../gen/types/scheduling-v1.ts';
import { fieldErrorText } from '../../../machinery/field-error.ts';
import { validatePriorityClass, validatePriorityClassUpdate } from './validation.ts';

const priorityClass = (name: string, value: number, members: Partial<PriorityClass> = {}): PriorityClass => ({
  metadata: { name, resourceVersion: '1' },
  value,
  ...members,
});
const reserved = (text: string): string =>
  `metadata.name: Forbidden: priority class names with 'system-' prefix are reserved for system use ` +
  `only. error: ${text}`;

test.each([
  { name: 'accepts the highest priority of users', object: priorityClass('high', 1_000_000_000), errors: [] },
  { name: 'accepts a class of the system', object: priorityClass('system-node-critical', 2_000_001_000), errors: [] },
  {
    name: 'refuses another value for one',
    object: priorityClass('system-node-critical', 1),
    errors: [reserved('value of system-node-critical PriorityClass must be 2000001000')],
  },
  {
    name: 'refuses one as the default',
    object: priorityClass('system-cluster-critical', 2_000_000_000, { globalDefault: true }),
    errors: [reserved('globalDefault of system-cluster-critical PriorityClass must be false')],
  },
  {
    name: 'refuses an unknown policy',
    object: priorityClass('a', 1, { preemptionPolicy: 'X' as 'Never' }),
    errors: ['preemptionPolicy: Unsupported value: "X": supported values: "PreemptLowerPriority", "Never"'],
  },
])('A priority class: $name', ({ object, errors }) => {
  expect(validatePriorityClass(object).map(fieldErrorText)).toEqual(errors);
});

test('A priority class keeps its policy', () => {
  expect(
    validatePriorityClassUpdate(
      priorityClass('a', 1, { preemptionPolicy: 'Never' }),
      priorityClass('a', 1, { preemptionPolicy: 'PreemptLowerPriority' }),
    ).map(({ field }) => field),
  ).toEqual(['preemptionPolicy']);
});
