import { expect, test } from 'vitest';
import { emptyDiagnosis, fitMessage } from './fit-error.ts';
import { NodeStatuses } from './node-statuses.ts';
import { unresolvable, unschedulable } from './status.ts';

const taint = unresolvable('T', 'node(s) had untolerated taint {a: }');
const cpu = unschedulable('R', 'Insufficient cpu');
const both = unschedulable('R', 'Insufficient cpu', 'Insufficient memory');

test.each([
  {
    name: 'counts reasons over nodes, in the order of their text',
    statuses: [taint, cpu, taint],
    is: '0/3 nodes are available: 1 Insufficient cpu, 2 node(s) had untolerated taint {a: }.',
  },
  {
    name: 'counts each of several reasons of a node',
    statuses: [both, cpu],
    is: '0/3 nodes are available: 1 Insufficient memory, 2 Insufficient cpu.',
  },
  {
    name: 'counts nodes that were not looked at',
    statuses: [cpu],
    absent: taint,
    is: '0/3 nodes are available: 1 Insufficient cpu, 2 node(s) had untolerated taint {a: }.',
  },
  {
    name: 'says what holds for all nodes once',
    statuses: [],
    absent: taint,
    preFilter: 'no claim',
    is: '0/3 nodes are available: no claim.',
  },
  {
    name: 'ends with what preemption says',
    statuses: [cpu, cpu, cpu],
    postFilter: 'preemption: no.',
    is: '0/3 nodes are available: 3 Insufficient cpu. preemption: no.',
  },
])('The message $name', ({ statuses, absent, preFilter = '', postFilter = '', is }) => {
  const nodes = new NodeStatuses();
  statuses.forEach((status, i) => nodes.set(`n${i}`, status));
  nodes.absent = absent;
  const diagnosis = emptyDiagnosis(nodes);
  diagnosis.preFilterMessage = preFilter;
  diagnosis.postFilterMessage = postFilter;
  expect(fitMessage(3, diagnosis)).toBe(is);
});
