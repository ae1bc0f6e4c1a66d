import { describe, expect, test } from 'vitest';
import type { Container, Pod } from '../../../api/gen/types/core-v1.ts';
import { podOf } from '../../pod-lifecycle/testing/states.ts';
import { simulateNode, type SimulatedNode } from '../testing/simulated-node.ts';
import { changedResources, decideResize } from './decide-resize.ts';

const amounts = (cpu: string, memory: string) => ({ requests: { cpu, memory }, limits: { cpu, memory } });

function podWith(resources: Container['resources'], container: Partial<Container> = {}, uid = 'uid-1'): Pod {
  const pod: Pod = { ...podOf({}), status: {} };
  const containers = [{ ...pod.spec.containers![0]!, resources, ...container }];
  return { ...pod, metadata: { ...pod.metadata, uid, name: uid }, spec: { ...pod.spec, containers } };
}

async function running(pod: Pod): Promise<SimulatedNode> {
  const node = await simulateNode({ hasResize: true });
  node.workers.set(pod);
  await node.settle();
  node.containers.calls.length = 0;
  return node;
}

const hasOf = (node: SimulatedNode, uid = 'uid-1') => node.statusOf(uid)?.containerStatuses?.[0]?.resources;

describe('Resources of a pod that runs', () => {
  test('A container gets more of the runtime without a new start', async () => {
    const node = await running(podWith(amounts('100m', '64Mi')));
    expect(hasOf(node)).toEqual(amounts('100m', '64Mi'));
    node.workers.set(podWith(amounts('200m', '128Mi')));
    await node.settle();
    expect(node.containers.calls).toEqual([`updateContainerResources main 20000 ${128 << 20}`]);
    expect(hasOf(node)).toEqual(amounts('200m', '128Mi'));
    expect(node.statusOf()?.resize).toBeUndefined();
    expect(node.statusOf()?.containerStatuses?.[0]?.restartCount).toBe(0);
  });

  test('A container starts anew where its policy says so for what has changed', async () => {
    const resizePolicy = [
      { resourceName: 'memory', restartPolicy: 'RestartContainer' as const },
      { resourceName: 'cpu', restartPolicy: 'NotRequired' as const },
    ];
    const node = await running(podWith(amounts('100m', '64Mi'), { resizePolicy }));
    node.workers.set(podWith(amounts('200m', '64Mi'), { resizePolicy }));
    await node.settle();
    expect(node.containers.calls).toEqual([`updateContainerResources main 20000 ${64 << 20}`]);
    node.workers.set(podWith(amounts('200m', '128Mi'), { resizePolicy }));
    await node.pass(1);
    expect(node.events).toContain('Normal Killing spec.containers{main} Container main resize requires restart');
    expect(node.statusOf()?.containerStatuses?.[0]?.restartCount).toBe(1);
    expect(hasOf(node)).toEqual(amounts('200m', '128Mi'));
    expect(node.statusOf()?.resize).toBeUndefined();
  });

  test('A pod that asks for more than the node has keeps what it has', async () => {
    const node = await running(podWith(amounts('100m', '64Mi')));
    node.workers.set(podWith(amounts('3', '64Mi')));
    await node.settle();
    expect(node.containers.calls).toEqual([]);
    expect(node.statusOf()?.resize).toBe('Infeasible');
    expect(hasOf(node)).toEqual(amounts('100m', '64Mi'));
  });

  test('A pod that asks for what another one has waits until that ends', async () => {
    const node = await running(podWith(amounts('500m', '64Mi')));
    const other = podWith(amounts('1', '64Mi'), {}, 'uid-2');
    node.workers.set(other);
    await node.settle();
    node.workers.set(podWith(amounts('1500m', '64Mi')));
    await node.settle();
    expect(node.statusOf()?.resize).toBe('Deferred');
    node.workers.set({ ...other, metadata: { ...other.metadata, deletionTimestamp: '2026-01-01T00:01:00Z' } });
    await node.settle();
    await node.pass(61);
    expect(hasOf(node)?.limits?.['cpu']).toBe('1500m');
    expect(node.statusOf()?.resize).toBeUndefined();
  });

  test('A pod counts with what it has, and not with what it asks for in vain', async () => {
    const node = await running(podWith(amounts('100m', '64Mi')));
    node.workers.set(podWith(amounts('3', '64Mi')));
    await node.settle();
    node.workers.set(podWith(amounts('1', '64Mi'), {}, 'uid-2'));
    await node.settle();
    expect(node.statusOf('uid-2')?.phase).toBe('Running');
  });

  test('A new process goes on with what the pod has, and tells the runtime again', async () => {
    const node = await running(podWith(amounts('100m', '64Mi')));
    node.workers.set(podWith(amounts('200m', '64Mi')));
    await node.settle();
    node.containers.calls.length = 0;
    await node.restart([podWith(amounts('3', '64Mi'))]);
    await node.settle();
    expect(node.containers.calls).toEqual([`updateContainerResources main 20000 ${64 << 20}`]);
    expect(node.statusOf()?.resize).toBe('Infeasible');
    expect(hasOf(node)?.limits?.['cpu']).toBe('200m');
  });
});

describe('What becomes of a resize', () => {
  const question = { refusal: () => undefined, isStatic: false, hasExclusive: false };
  test.each([
    { name: 'that fits', more: {}, expected: 'fits' },
    { name: 'of a static pod', more: { isStatic: true }, expected: 'Infeasible' },
    { name: 'of a guaranteed pod with CPUs of its own', more: { hasExclusive: true }, expected: 'Infeasible' },
    { name: 'that no node of this size takes', more: { refusal: () => 'no' }, expected: 'Infeasible' },
    {
      name: 'for which other pods leave too little',
      more: { refusal: (_: Pod, isAlone: boolean) => (isAlone ? undefined : 'no') },
      expected: 'Deferred',
    },
  ])('The decision about a resize $name is: $expected', ({ more, expected }) => {
    expect(decideResize({ pod: podWith(amounts('1', '1Gi')), ...question, ...more })).toBe(expected);
  });

  test('The same amount in other words is no change', () => {
    expect(changedResources(amounts('1', '1Gi'), amounts('1000m', '1024Mi'))).toEqual([]);
    expect(changedResources(amounts('1', '1Gi'), amounts('2', '1Gi'))).toEqual(['cpu']);
    expect(changedResources({}, { limits: { memory: '1' } })).toEqual(['memory']);
  });
});
