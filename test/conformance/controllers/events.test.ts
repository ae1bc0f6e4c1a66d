import { expect, test } from 'vitest';
import { eventLine, eventSet } from './events.ts';

const involvedObject = { kind: 'ReplicaSet', name: 'web', namespace: 'ns' };

test.each([
  {
    name: 'the component of its source',
    event: { type: 'Normal', reason: 'Made', message: 'a', source: { component: 'c' }, involvedObject },
    expected: 'Normal Made ReplicaSet/web [c] a',
  },
  {
    name: 'the reporting component before that of its source',
    event: { type: 'Normal', reason: 'Made', message: 'a', reportingComponent: 'r', source: {}, involvedObject },
    expected: 'Normal Made ReplicaSet/web [r] a',
  },
  {
    name: 'an empty reporting component',
    event: {
      type: 'Normal',
      reason: 'Made',
      message: 'a',
      reportingComponent: '',
      source: { component: 'c' },
      involvedObject,
    },
    expected: 'Normal Made ReplicaSet/web [c] a',
  },
  {
    name: 'combined with similar ones',
    event: { type: 'Normal', reason: 'Made', message: '(combined from similar events): a', involvedObject },
    expected: 'Normal Made ReplicaSet/web [] a',
  },
])('The line of an event: $name', ({ event, expected }) => {
  expect(eventLine(event)).toBe(expected);
});

const created = (count: number): string[] =>
  Array.from({ length: count }, (_, i) => `Normal SuccessfulCreate Job/work [c] Created pod: work-<random:${i}>`);

test.each([
  { name: 'sorted, each once', lines: ['b', 'a', 'b'], played: false, expected: ['a', 'b'] },
  { name: 'eight that are alike', lines: created(8), played: false, expected: created(8) },
  {
    name: 'nine that are alike',
    lines: created(9),
    played: false,
    expected: ['Normal SuccessfulCreate Job/work [c] Created pod: work-<random>'],
  },
  {
    name: 'names of pods that were refused',
    lines: ['1', '2'].map((n) => `Warning FailedCreate Job/work [c] Error creating: pods "work-<random:${n}>" no`),
    played: false,
    expected: ['Warning FailedCreate Job/work [c] Error creating: pods "work-<random>" no'],
  },
  {
    name: 'steps of a scaling while pods change',
    lines: ['x Scaled up replica set web-<hash:1> from 0 to 1', 'x Scaled up replica set web-<hash:1> from 1 to 2'],
    played: true,
    expected: ['x Scaled up replica set web-<hash:1> from <n> to <n>'],
  },
  {
    name: 'steps of a scaling while nothing else changes',
    lines: ['x Scaled up replica set web-<hash:1> from 0 to 1'],
    played: false,
    expected: ['x Scaled up replica set web-<hash:1> from 0 to 1'],
  },
])('A set of events: $name', ({ lines, played, expected }) => {
  expect(eventSet(lines, played)).toEqual(expected);
});
