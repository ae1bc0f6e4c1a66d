import { describe, expect, test } from 'vitest';
import type { Pod } from '../../api/gen/types/core-v1.ts';
import { node, pod, podInfo } from '../testing/objects.ts';
import { ClusterState } from './cluster-state.ts';
import { PodInfo } from './pod-info.ts';

const antiAffinity = {
  podAntiAffinity: {
    requiredDuringSchedulingIgnoredDuringExecution: [
      { topologyKey: 'kubernetes.io/hostname', labelSelector: { matchLabels: { a: 'b' } } },
    ],
  },
};

function withNodes(...names: string[]): ClusterState {
  const cluster = new ClusterState();
  for (const name of names) cluster.setNode(node({ name }));
  return cluster;
}

describe('pods on nodes', () => {
  test('Pods on nodes count with what they ask for, and no longer when they are gone', () => {
    const cluster = withNodes('n');
    cluster.setPod(pod({ name: 'a', node: 'n', requests: { cpu: '1', memory: '1Gi', 'example.com/gpu': '2' } }));
    cluster.setPod(pod({ name: 'b', node: 'n' }));
    const info = cluster.node('n')!;
    expect(info.requested).toMatchObject({ milliCpu: 1000, memory: 2 ** 30 });
    expect(info.requested.get('example.com/gpu')).toBe(2);
    expect([info.scoredMilliCpu, info.scoredMemory]).toEqual([1100, 2 ** 30 + 200 * 2 ** 20]);
    cluster.removePod('default/a');
    cluster.removePod('default/b');
    expect(info.requested).toMatchObject({ milliCpu: 0, memory: 0 });
    expect([info.pods.size, info.scoredMilliCpu, info.requested.get('example.com/gpu')]).toEqual([0, 0, 0]);
  });

  test('Pods on nodes change the generation of their node alone', () => {
    const cluster = withNodes('a', 'b');
    const [a, b] = [cluster.node('a')!, cluster.node('b')!];
    const before = [a.generation, b.generation];
    cluster.setPod(pod({ node: 'a' }));
    expect([a.generation > before[0]!, b.generation]).toEqual([true, before[1]]);
  });

  describe('A change of a pod with a node', () => {
    const first = pod({ name: 'a', node: 'n', requests: { cpu: '1' }, spec: { affinity: antiAffinity } });
    const { metadata, spec } = first;
    test.each<{ name: string; after: Pod; counted: boolean }>([
      { name: 'its status', after: { ...first, status: { phase: 'Running' } }, counted: false },
      { name: 'its version', after: { ...first, metadata: { ...metadata, resourceVersion: '2' } }, counted: false },
      { name: 'its labels', after: { ...first, metadata: { ...metadata, labels: { a: 'b' } } }, counted: true },
      {
        name: 'that it is deleted',
        after: { ...first, metadata: { ...metadata, deletionTimestamp: 'x' } },
        counted: true,
      },
      { name: 'its containers', after: { ...first, spec: { ...spec, containers: [] } }, counted: true },
      { name: 'a member less', after: { ...first, spec: { ...spec, affinity: undefined } }, counted: true },
      { name: 'a member more', after: { ...first, spec: { ...spec, priority: 5, overhead: {} } }, counted: true },
      { name: 'its node', after: { ...first, spec: { ...spec, nodeName: 'other' } }, counted: true },
    ])('A pod is counted anew only where the change may say so: $name', ({ after, counted }) => {
      const cluster = withNodes('n', 'other');
      cluster.setPod(first);
      const [node] = cluster.nodes;
      const { generation } = node!;
      const told: string[] = [];
      cluster.observe({ podAdded: () => told.push('added'), podRemoved: () => told.push('removed') });
      cluster.setPod(after);
      expect(told).toEqual(counted ? ['removed', 'added'] : []);
      expect(node!.generation).toBeGreaterThan(generation);
      const placed = cluster.podsIn('default').get('default/a')!;
      expect([placed.info.pod, placed.node.pods.get('default/a')?.pod, cluster.podCount]).toEqual([after, after, 1]);
      expect({ ...placed.info }).toEqual({ ...new PodInfo(after) });
      expect(placed.node.podsWithRequiredAntiAffinity.get('default/a')?.pod).toBe(
        after.spec.affinity === undefined ? undefined : after,
      );
      expect(placed.node.requested.milliCpu).toBe(after.spec.containers!.length * 1000);
    });
  });

  test('Pods on nodes are found by their affinity', () => {
    const cluster = withNodes('n');
    cluster.setPod(pod({ node: 'n', spec: { affinity: antiAffinity } }));
    const [info] = [cluster.node('n')!];
    expect([[...cluster.nodesWithAffinity], [...cluster.nodesWithRequiredAntiAffinity]]).toEqual([[info], [info]]);
    cluster.removePod('default/p');
    expect(cluster.nodesWithAffinity.size + cluster.nodesWithRequiredAntiAffinity.size).toBe(0);
  });

  test('Pods on nodes stay while their node is not known', () => {
    const cluster = withNodes();
    cluster.setPod(pod({ node: 'late', requests: { cpu: '1' } }));
    expect([cluster.node('late'), cluster.nodes.length]).toEqual([undefined, 0]);
    cluster.setNode(node({ name: 'late' }));
    expect(cluster.node('late')?.requested.milliCpu).toBe(1000);
    cluster.removeNode('late');
    expect([cluster.node('late'), cluster.nodes.length, cluster.podCount]).toEqual([undefined, 0, 1]);
  });
});

describe('assumed pods', () => {
  test('Assumed pods count on their node until they are forgotten', () => {
    const cluster = withNodes('n');
    cluster.assume(podInfo({ requests: { cpu: '1' } }), 'n');
    expect([cluster.assumedCount, cluster.node('n')?.requested.milliCpu]).toEqual([1, 1000]);
    cluster.forget('default/p');
    expect([cluster.assumedCount, cluster.node('n')?.requested.milliCpu]).toEqual([0, 0]);
  });

  test('Assumed pods are confirmed by what the API server says, also on another node', () => {
    const cluster = withNodes('n', 'other');
    cluster.assume(podInfo({ requests: { cpu: '1' } }), 'n');
    cluster.setPod(pod({ node: 'other', requests: { cpu: '1' } }));
    expect([cluster.assumedCount, cluster.podCount]).toEqual([0, 1]);
    expect([cluster.node('n')?.requested.milliCpu, cluster.node('other')?.requested.milliCpu]).toEqual([0, 1000]);
    cluster.forget('default/p');
    expect(cluster.podCount).toBe(1);
  });

  test('Assumed pods are not counted anew when the API server says what was assumed', () => {
    const cluster = withNodes('n');
    const waiting = pod({ requests: { cpu: '1' } });
    cluster.assume(new PodInfo(waiting), 'n');
    const told: string[] = [];
    cluster.observe({ podAdded: () => told.push('added'), podRemoved: () => told.push('removed') });
    cluster.setPod({ ...waiting, spec: { ...waiting.spec, nodeName: 'n' } });
    expect([cluster.assumedCount, cluster.isAssumed('default/p'), told]).toEqual([0, false, []]);
    expect(cluster.node('n')?.requested.milliCpu).toBe(1000);
    cluster.forget('default/p');
    expect(cluster.podCount).toBe(1);
    cluster.removePod('default/p');
    expect(cluster.node('n')?.requested.milliCpu).toBe(0);
  });

  test('Assumed pods cannot be assumed twice', () => {
    const cluster = withNodes('n');
    cluster.assume(podInfo(), 'n');
    expect(() => cluster.assume(podInfo(), 'n')).toThrow('pod default/p has a node already');
  });
});

test('Nodes of different zones take turns', () => {
  const cluster = new ClusterState();
  const zone = (name: string) => ({ 'topology.kubernetes.io/zone': name });
  for (const [name, labels] of Object.entries({ a1: zone('a'), a2: zone('a'), a3: zone('a'), b1: zone('b'), c: {} }))
    cluster.setNode(node({ name, labels }));
  const names = (): string[] => cluster.nodes.map(({ name }) => name);
  expect(names()).toEqual(['a1', 'b1', 'c', 'a2', 'a3']);
  const { nodes } = cluster;
  cluster.setNode(node({ name: 'a2', labels: zone('a') }));
  expect(cluster.nodes).toBe(nodes);
  cluster.setNode(node({ name: 'a1', labels: zone('b') }));
  cluster.removeNode('b1');
  expect(names()).toEqual(['a2', 'a1', 'c', 'a3']);
});

test('An image is known with the number of nodes that have it', () => {
  const cluster = new ClusterState();
  const images = [{ names: ['i:1', 'i@sha256:0'], sizeBytes: 5 }];
  cluster.setNode(node({ name: 'a', images }));
  cluster.setNode(node({ name: 'b', images }));
  const image = cluster.node('a')!.images.get('i:1');
  expect(image).toEqual({ size: 5, nodes: 2 });
  cluster.removeNode('b');
  expect(image?.nodes).toBe(1);
  cluster.setNode(node({ name: 'a', images: [] }));
  expect(cluster.node('a')!.images.size).toBe(0);
});
