import { describe, expect, test } from 'vitest';
import type { Pod } from '../../api/gen/types/core-v1.ts';
import type { FakeClock } from '../../base/testing/fake-clock.ts';
import { podOf } from '../pod-lifecycle/testing/states.ts';
import { simulateNode, type SimulatedNode } from './testing/simulated-node.ts';

/** A pod that runs. */
async function run(): Promise<SimulatedNode & { readonly pod: Pod }> {
  const node = await simulateNode();
  const pod = { ...podOf({ main: ['a'] }), status: {} };
  await node.context.cache.relist();
  node.workers.set(pod);
  await node.settle();
  return Object.assign(Object.create(node) as SimulatedNode, { pod });
}

const deleted = (pod: Pod): Pod => ({
  ...pod,
  metadata: { ...pod.metadata, deletionTimestamp: '2026-01-01T00:01:00Z', deletionGracePeriodSeconds: 30 },
});

describe('What a pod costs', () => {
  test('A pod is read by what was made of it: nothing is listed for its start', async () => {
    const node = await run();
    expect(node.containers.asked).toEqual([
      'listPodSandbox',
      'listContainers',
      'runPodSandbox',
      'podSandboxStatus',
      'imageStatus',
      'createContainer',
      'startContainer',
      'containerStatus',
    ]);
    node.containers.asked.length = 0;
    await node.pass(5);
    expect(new Set(node.containers.asked)).toEqual(new Set(['listPodSandbox', 'listContainers']));
  });

  test('A pod that ends is not listed for its end, nor for its removal', async () => {
    const node = await run();
    node.containers.asked.length = 0;
    node.workers.set(deleted(node.pod));
    await node.until(() => node.workers.get('uid-1')?.stage === 'ended');
    node.workers.remove('uid-1');
    await node.clean();
    expect(node.containers.asked).toEqual([
      'stopContainer',
      'stopPodSandbox',
      'podSandboxStatus',
      'containerStatus',
      'removeContainer',
      'removePodSandbox',
    ]);
  });

  test('What a pod needs of its node is made once, and looked at again with the regular sync', async () => {
    const node = await simulateNode();
    const setUps: string[] = [];
    const { volumes } = node.context;
    const { setUp } = volumes;
    volumes.setUp = (pod, options) => (setUps.push(pod.metadata.name!), setUp(pod, options));
    await node.context.cache.relist();
    const pod = { ...podOf({ main: ['a'] }), status: {} };
    node.workers.set(pod);
    await node.settle();
    const atFirst = setUps.length;
    node.workers.wake('uid-1');
    node.workers.set({ ...pod, metadata: { ...pod.metadata, resourceVersion: '2' } });
    await node.settle();
    expect(setUps).toHaveLength(atFirst);
    node.workers.set({ ...pod, metadata: { ...pod.metadata, labels: { a: 'b' } } });
    await node.settle();
    expect(setUps).toHaveLength(atFirst + 1);
    await node.pass(61);
    expect(setUps).toHaveLength(atFirst + 2);
  });

  test.each([
    { name: 'where that takes time, before the last status', takesMs: 2000, statuses: 2 },
    { name: 'at once with the last status', takesMs: 0, statuses: 1 },
  ])('The status of a pod tells that nothing of it runs any more: $name', async ({ takesMs, statuses }) => {
    const node = await run();
    const told: boolean[] = [];
    const { statuses: writer, volumes, clock } = node.context;
    const { set } = writer;
    writer.set = (pod, status, hasEnded) => {
      if (status.containerStatuses?.[0]?.state?.terminated !== undefined) told.push(hasEnded);
      set.call(writer, pod, status, hasEnded);
    };
    const { tearDown } = volumes;
    volumes.tearDown = async (uid) => {
      if (takesMs > 0) await new Promise<void>((resolve) => clock.after(takesMs, resolve));
      await tearDown(uid);
    };
    node.workers.set(deleted(node.pod));
    await node.until(() => takesMs === 0 || (clock as FakeClock).pending > 1);
    await (clock as FakeClock).advance(takesMs);
    await node.until(() => node.workers.get('uid-1')?.stage === 'ended');
    expect(told).toEqual(statuses === 2 ? [false, true] : [true]);
  });
});
