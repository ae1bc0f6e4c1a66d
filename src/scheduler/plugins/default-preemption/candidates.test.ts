import { expect, test } from 'vitest';
import { candidatesToFind } from './candidates.ts';

test.each([
  { nodes: 50, percentage: 10, absolute: 100, found: 50 },
  { nodes: 500, percentage: 10, absolute: 100, found: 100 },
  { nodes: 5000, percentage: 10, absolute: 100, found: 500 },
  { nodes: 5000, percentage: 0, absolute: 7, found: 7 },
  { nodes: 5000, percentage: 100, absolute: 0, found: 5000 },
])(
  'Of $nodes nodes $found are tried for a preemption with $percentage percent and at least $absolute',
  ({ nodes, percentage, absolute, found }) => {
    const args = { minCandidateNodesPercentage: percentage, minCandidateNodesAbsolute: absolute };
    expect(candidatesToFind(nodes, args)).toBe(found);
  },
);
