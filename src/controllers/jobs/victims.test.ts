import { expect, test } from 'vitest';
import { indexedJob, jobOf, podOf } from './testing/builders.ts';
import { podsToRemove } from './victims.ts';

const pods = [
  podOf('old', { isReady: true, node: 'n', created: 900 }),
  podOf('young', { isReady: true, node: 'n', created: 10 }),
  podOf('restarted', { isReady: true, node: 'n', created: 900, restarts: 3 }),
  podOf('unready', { node: 'n' }),
  podOf('pending', { phase: 'Pending', node: 'n' }),
  podOf('unassigned', { phase: 'Pending' }),
];

test('Pods that have done less go first', () => {
  const removed = podsToRemove(jobOf(), pods, pods.length);
  expect(removed.map(({ metadata }) => metadata.name)).toEqual([
    'unassigned',
    'pending',
    'unready',
    'restarted',
    'young',
    'old',
  ]);
});

test.each([
  { name: 'none too many', atLeast: 0, removed: ['double', 'beyond', 'none', 'text'] },
  { name: 'fewer than there are without a place', atLeast: 2, removed: ['double', 'beyond', 'none', 'text'] },
  { name: 'more than there are without a place', atLeast: 5, removed: ['double', 'beyond', 'none', 'text', 'second'] },
])('Pods of an indexed Job without an index of their own go in any case: $name', ({ atLeast, removed }) => {
  const active = [
    podOf('first', { index: 0, node: 'n' }),
    podOf('double', { index: 0 }),
    podOf('second', { index: 1 }),
    podOf('beyond', { index: 3, node: 'n' }),
    podOf('none', { node: 'n' }),
    podOf('text', { index: 'x', node: 'n' }),
  ];
  expect(podsToRemove(indexedJob(), active, atLeast).map(({ metadata }) => metadata.name)).toEqual(removed);
});
