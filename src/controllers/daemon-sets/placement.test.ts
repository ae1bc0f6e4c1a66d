import { describe, expect, it } from 'vitest';
import type { DaemonSet } from '../../api/gen/types/apps-v1.ts';
import type { Node, PodSpec, Taint } from '../../api/gen/types/core-v1.ts';
import { mayBePlacedOtherwise, placementsOf } from './placement.ts';

const nodeStatus: Node['status'] = { daemonEndpoints: { kubeletEndpoint: {} }, nodeInfo: {} };

const setOf = (spec: PodSpec): DaemonSet => ({
  metadata: {},
  spec: { template: { metadata: {}, spec }, updateStrategy: {} },
  status: {},
});
const nodeOf = (taints: Taint[] = [], labels: Record<string, string> = { zone: 'a' }): Node => ({
  metadata: { name: 'n', labels },
  spec: { taints },
  status: nodeStatus,
});
const builtIn = (name: string, effect: 'NoSchedule' | 'NoExecute'): Taint => ({
  key: `node.kubernetes.io/${name}`,
  effect,
});
const inZone = (zone: string) => ({
  nodeAffinity: {
    requiredDuringSchedulingIgnoredDuringExecution: {
      nodeSelectorTerms: [{ matchExpressions: [{ key: 'zone', operator: 'In' as const, values: [zone] }] }],
    },
  },
});

describe('the placement of daemon pods', () => {
  it.each([
    { name: 'is everywhere', spec: {}, node: nodeOf(), expected: 'run' },
    { name: 'follows the node selector', spec: { nodeSelector: { zone: 'b' } }, node: nodeOf(), expected: 'none' },
    { name: 'follows the affinity', spec: { affinity: inZone('a') }, node: nodeOf(), expected: 'run' },
    { name: 'leaves out nodes by affinity', spec: { affinity: inZone('b') }, node: nodeOf(), expected: 'none' },
    { name: 'follows the name of the node', spec: { nodeName: 'other' }, node: nodeOf(), expected: 'none' },
    { name: 'is on the named node', spec: { nodeName: 'n' }, node: nodeOf(), expected: 'run' },
    {
      name: 'stays on a node that takes no more pods',
      spec: {},
      node: nodeOf([{ key: 'x', effect: 'NoSchedule' }]),
      expected: 'keep',
    },
    {
      name: 'ends where pods are evicted',
      spec: {},
      node: nodeOf([{ key: 'x', effect: 'NoExecute' }]),
      expected: 'none',
    },
    {
      name: 'ends where pods are evicted for the second of two taints',
      spec: {},
      node: nodeOf([
        { key: 'x', effect: 'NoSchedule' },
        { key: 'y', effect: 'NoExecute' },
      ]),
      expected: 'none',
    },
    {
      name: 'tolerates what the template does',
      spec: { tolerations: [{ operator: 'Exists' as const }] },
      node: nodeOf([{ key: 'x', effect: 'NoExecute' }]),
      expected: 'run',
    },
    {
      name: 'is on nodes that are not ready',
      spec: {},
      node: nodeOf([builtIn('not-ready', 'NoExecute')]),
      expected: 'run',
    },
    { name: 'is on cordoned nodes', spec: {}, node: nodeOf([builtIn('unschedulable', 'NoSchedule')]), expected: 'run' },
    {
      name: 'waits for the network of the node',
      spec: {},
      node: nodeOf([builtIn('network-unavailable', 'NoSchedule')]),
      expected: 'keep',
    },
    {
      name: 'does not wait for the network in that of the host',
      spec: { hostNetwork: true },
      node: nodeOf([builtIn('network-unavailable', 'NoSchedule')]),
      expected: 'run',
    },
  ])('The placement of daemon pods: $name', ({ spec, node, expected }) =>
    expect(placementsOf(setOf(spec))(node)).toBe(expected),
  );

  it('The placement of daemon pods is decided once for a node and a template', () => {
    const set = setOf({ nodeSelector: { zone: 'a' } });
    let reads = 0;
    const metadata = { name: 'n', labels: { zone: 'a' } };
    const node: Node = {
      metadata,
      status: nodeStatus,
      get spec() {
        reads++;
        return {};
      },
    };
    expect([placementsOf(set)(node), placementsOf(set)(node)]).toEqual(['run', 'run']);
    expect(reads).toBe(1);
  });

  const ready = (heartbeat: string): Node => ({
    ...nodeOf(),
    status: { ...nodeStatus, conditions: [{ type: 'Ready', status: 'True', lastHeartbeatTime: heartbeat }] },
  });

  it.each([
    {
      name: 'a heartbeat',
      before: ready('2026-01-31T10:00:00Z'),
      after: ready('2026-01-31T10:05:00Z'),
      expected: false,
    },
    { name: 'other labels', before: nodeOf(), after: nodeOf([], { zone: 'b' }), expected: true },
    { name: 'other taints', before: nodeOf(), after: nodeOf([{ key: 'x', effect: 'NoSchedule' }]), expected: true },
    { name: 'equal labels of another object', before: nodeOf(), after: nodeOf(), expected: false },
  ])('The placement of daemon pods: $name may change it: $expected', ({ before, after, expected }) =>
    expect(mayBePlacedOtherwise(before, after)).toBe(expected),
  );
});
