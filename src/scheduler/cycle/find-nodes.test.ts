import { expect, test } from 'vitest';
import { feasibleNodesToFind } from './find-nodes.ts';

test.each([
  { nodes: 10, percentage: 0, found: 10 },
  { nodes: 99, percentage: 5, found: 99 },
  { nodes: 100, percentage: 0, found: 100 },
  { nodes: 1000, percentage: 0, found: 420 },
  { nodes: 5000, percentage: 0, found: 500 },
  { nodes: 6000, percentage: 0, found: 300 },
  { nodes: 10_000, percentage: 0, found: 500 },
  { nodes: 1000, percentage: 40, found: 400 },
  { nodes: 1000, percentage: 1, found: 100 },
  { nodes: 1000, percentage: 100, found: 1000 },
])('Of $nodes nodes with $percentage percent, $found suitable ones are enough', ({ nodes, percentage, found }) => {
  expect(feasibleNodesToFind(nodes, percentage)).toBe(found);
});
