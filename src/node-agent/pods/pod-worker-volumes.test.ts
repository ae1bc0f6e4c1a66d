import { expect, test } from 'vitest';
import { podOf } from '../pod-lifecycle/testing/states.ts';
import { simulateNode } from './testing/simulated-node.ts';

test('Volumes of a pod are updated at once when what it refers to changes, also while they are made', async () => {
  const node = await simulateNode();
  await node.context.cache.relist();
  node.workers.set({ ...podOf({}), status: {} });
  await node.settle();
  const { volumes } = node.context;
  const { setUp } = volumes;
  let calls = 0;
  let before: () => void = () => undefined;
  volumes.setUp = (...request) => {
    calls++;
    before();
    return setUp(...request);
  };
  node.workers.wake('uid-1');
  await node.settle();
  expect(calls).toBe(0);
  node.workers.refresh('uid-1');
  await node.settle();
  expect(calls).toBe(1);
  before = () => {
    before = () => undefined;
    node.workers.refresh('uid-1');
  };
  node.workers.refresh('uid-1');
  await node.settle();
  expect(calls).toBe(3);
});
