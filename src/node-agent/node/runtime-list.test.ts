import { expect, test } from 'vitest';
import { listProblem } from './runtime-list.ts';

test.each([
  { name: 'that was not asked yet', sinceMs: undefined, problem: undefined },
  { name: 'that answered', sinceMs: 180_000, problem: undefined },
  {
    name: 'that has been silent for three minutes',
    sinceMs: 200_500,
    problem: 'PLEG is not healthy: pleg was last seen active 3m20.5s ago; threshold is 3m0s',
  },
])('A runtime $name makes the node unready or not', ({ sinceMs, problem }) => {
  expect(listProblem(sinceMs)).toBe(problem);
});
