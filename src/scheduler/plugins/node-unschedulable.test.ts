import { expect, test } from 'vitest';
import { CycleState } from '../framework/cycle-state.ts';
import { node, nodeInfo, pod, podInfo } from '../testing/objects.ts';
import { createNodeUnschedulable } from './node-unschedulable.ts';

const plugin = createNodeUnschedulable();
const cordoned = { unschedulable: true };
const tolerant = { tolerations: [{ key: 'node.kubernetes.io/unschedulable', operator: 'Exists' as const }] };
const anything = { tolerations: [{ operator: 'Exists' as const }] };

test.each([
  { name: 'fits on a usual node', node: {}, pod: {}, reasons: undefined },
  { name: 'does not fit on a cordoned node', node: cordoned, pod: {}, reasons: ['node(s) were unschedulable'] },
  { name: 'that tolerates it fits on a cordoned node', node: cordoned, pod: tolerant, reasons: undefined },
  { name: 'that tolerates all fits on a cordoned node', node: cordoned, pod: anything, reasons: undefined },
])('A pod $name', ({ node, pod, reasons }) => {
  const status = plugin.filter(new CycleState(), podInfo({ spec: pod }), nodeInfo({ spec: node }));
  expect(status?.reasons).toEqual(reasons);
});

test.each([
  { name: 'a node is uncordoned', before: cordoned, after: {}, wakes: true },
  { name: 'a node is cordoned', before: {}, after: cordoned, wakes: false },
  { name: 'a usual node changes', before: {}, after: {}, wakes: false },
  { name: 'a usual node comes', before: undefined, after: {}, wakes: true },
  { name: 'a cordoned node comes', before: undefined, after: cordoned, wakes: false },
])('A refused pod is woken when $name: $wakes', ({ before, after, wakes }) => {
  const { hint } = plugin.events[0]!;
  expect(hint!(pod(), before && node({ spec: before }), node({ spec: after }))).toBe(wakes);
});
