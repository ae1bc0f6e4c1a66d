import { describe, expect, test } from 'vitest';
import type { Node } from '../../api/gen/types/core-v1.ts';
import { node, pod, type TestNode, type TestPod } from '../testing/objects.ts';
import { nodeChanges } from './node-changes.ts';
import { podChanges } from './pod-changes.ts';

describe('a change of a pod', () => {
  const gates = { schedulingGates: [{ name: 'g' }] };
  test.each<{ name: string; before: TestPod; after: TestPod; events: string[] }>([
    { name: 'of nothing that matters', before: {}, after: {}, events: ['UnscheduledPodUpdate'] },
    { name: 'of its labels', before: {}, after: { labels: { a: 'b' } }, events: ['UnscheduledPodUpdatePodLabel'] },
    {
      name: 'of its gates, of which none is left',
      before: { spec: gates },
      after: {},
      events: ['UnscheduledPodUpdatePodSchedulingGatesEliminated'],
    },
    {
      name: 'of its gates, of which one is left',
      before: {},
      after: { spec: gates },
      events: ['UnscheduledPodUpdate'],
    },
    {
      name: 'of its tolerations',
      before: {},
      after: { spec: { tolerations: [{ operator: 'Exists' }] } },
      events: ['UnscheduledPodUpdatePodToleration'],
    },
    {
      name: 'to less cpu on its node',
      before: { node: 'n', requests: { cpu: '2' } },
      after: { node: 'n', requests: { cpu: '1' } },
      events: ['AssignedPodUpdatePodScaleDown'],
    },
    {
      name: 'to more cpu on its node',
      before: { node: 'n', requests: { cpu: '1' } },
      after: { node: 'n', requests: { cpu: '2' } },
      events: ['AssignedPodUpdate'],
    },
    {
      name: 'of labels and tolerations',
      before: {},
      after: { labels: { a: 'b' }, spec: { tolerations: [{ operator: 'Exists' }] } },
      events: ['UnscheduledPodUpdatePodLabel', 'UnscheduledPodUpdatePodToleration'],
    },
  ])('A change of a pod: $name is: $events', ({ before, after, events }) => {
    expect(podChanges(pod(before), pod(after)).map(({ label }) => label)).toEqual(events);
  });
});

describe('a change of a node', () => {
  const withStatus = (status: Partial<Node['status']>): Node => {
    const made = node();
    return { ...made, status: { ...made.status, ...status } };
  };
  const ready = (status: string, at: string) =>
    withStatus({ conditions: [{ type: 'Ready', status, lastHeartbeatTime: at }] });
  const of = (options: TestNode) => node(options);
  test.each<{ name: string; before: Node; after: Node; events: string[] }>([
    { name: 'of nothing', before: node(), after: node(), events: [] },
    { name: 'by a heartbeat', before: ready('True', '1'), after: ready('True', '2'), events: [] },
    {
      name: 'to another condition',
      before: ready('True', '1'),
      after: ready('False', '2'),
      events: ['NodeUpdateNodeCondition'],
    },
    { name: 'of its labels', before: node(), after: of({ labels: { a: 'b' } }), events: ['NodeUpdateNodeLabel'] },
    {
      name: 'of its taints',
      before: node(),
      after: of({ spec: { taints: [{ key: 'a', effect: 'NoSchedule' }] } }),
      events: ['NodeUpdateNodeTaint'],
    },
    {
      name: 'to be used again',
      before: of({ spec: { unschedulable: true } }),
      after: node(),
      events: ['NodeUpdateNodeTaint'],
    },
    { name: 'to be used no more', before: node(), after: of({ spec: { unschedulable: true } }), events: [] },
    {
      name: 'of its size',
      before: node(),
      after: of({ allocatable: { cpu: '8' } }),
      events: ['NodeUpdateNodeAllocatable'],
    },
    {
      name: 'of size and labels',
      before: node(),
      after: of({ allocatable: { cpu: '8' }, labels: { a: 'b' } }),
      events: ['NodeUpdateNodeAllocatable', 'NodeUpdateNodeLabel'],
    },
  ])('A change of a node: $name is: $events', ({ before, after, events }) => {
    expect(nodeChanges(before, after).map(({ label }) => label)).toEqual(events);
  });
});
