import { describe, expect, test } from 'vitest';
import { podOf } from '../pod-lifecycle/testing/states.ts';
import { containerNameLabel } from './config/labels.ts';
import { tooManyOfNode, tooManyOfPod } from './dead-containers.ts';
import type { DeadContainerLimits } from './pods-config.ts';
import type { RuntimeContainer } from './runtime-pod.ts';
import { simulateNode } from './testing/simulated-node.ts';

const usual: DeadContainerLimits = { perContainer: 1, total: -1, minAgeMs: 0 };

/** `a3 running`: the third instance of `a`, made at second 3. */
const containersOf = (texts: readonly string[]): RuntimeContainer[] =>
  texts.map((text) => {
    const [id = '', state] = text.split(' ');
    return {
      sandboxId: 's',
      status: {
        id,
        state: state === 'running' ? 'CONTAINER_RUNNING' : 'CONTAINER_EXITED',
        createdAt: BigInt(id.slice(1)) * 1_000_000_000n,
        labels: { [containerNameLabel]: id[0]! },
      },
    };
  });
const ids = (containers: readonly RuntimeContainer[]): (string | undefined)[] =>
  containers.map(({ status }) => status.id);

describe('Containers that have ended', () => {
  test.each<{ name: string; have: string[]; limits?: Partial<DeadContainerLimits>; gone: string[] }>([
    { name: 'one of each is kept', have: ['a3', 'a2', 'a1', 'b1'], gone: ['a2', 'a1'] },
    { name: 'one is kept beside the one that runs', have: ['a3 running', 'a2', 'a1'], gone: ['a1'] },
    { name: 'more are kept', have: ['a3', 'a2', 'a1'], limits: { perContainer: 2 }, gone: ['a1'] },
    { name: 'none is kept but the newest', have: ['a3', 'a2'], limits: { perContainer: 0 }, gone: ['a2'] },
    {
      name: 'none is kept beside the one that runs',
      have: ['a3 running', 'a2'],
      limits: { perContainer: 0 },
      gone: ['a2'],
    },
    { name: 'any number is kept', have: ['a3', 'a2', 'a1'], limits: { perContainer: -1 }, gone: [] },
    { name: 'young ones are kept', have: ['a9', 'a8', 'a1'], limits: { minAgeMs: 5000 }, gone: ['a1'] },
  ])('Of a pod $gone go where $name', ({ have, limits = {}, gone }) => {
    expect(ids(tooManyOfPod(containersOf(have), { ...usual, ...limits }, 10_000))).toEqual(gone);
  });

  test.each<{ name: string; total: number; minAgeMs?: number; gone: string[] }>([
    { name: 'there is no limit', total: -1, gone: [] },
    { name: 'as many may stay', total: 5, gone: [] },
    { name: 'one is too many', total: 4, gone: ['b1'] },
    { name: 'none may stay, without those that pods are read from', total: 0, gone: ['b1', 'a2', 'b3'] },
    { name: 'none may stay that is old', total: 0, minAgeMs: 8000, gone: ['b1', 'a2'] },
  ])('Of a node $gone go where $name', ({ total, minAgeMs = 0, gone }) => {
    const pods = [containersOf(['a4', 'a2']), containersOf(['b5', 'b3', 'b1'])];
    expect(ids(tooManyOfNode(pods, { ...usual, total, minAgeMs }, 10_000))).toEqual(gone);
  });

  test.each([
    { perContainer: 1, left: 2 },
    { perContainer: 3, left: 4 },
  ])('A container that has ended four times leaves $left of them with a limit of $perContainer', async (row) => {
    const { perContainer, left } = row;
    const node = await simulateNode({ config: { deadContainers: { ...usual, perContainer } } });
    node.workers.set({ ...podOf({ main: ['a'] }), status: {} });
    await node.settle();
    for (let end = 0; end < 4; end++) {
      node.containers.end('a', 1);
      await node.pass(200);
    }
    expect(node.containers.containers.size).toBe(left);
    expect(node.statusOf()?.containerStatuses?.[0]?.restartCount).toBe(4);
  });
});
