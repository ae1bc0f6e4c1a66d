/** Pods get nodes from a scheduler that knows the cluster by its API alone. */
import { afterEach, beforeEach, expect, test } from 'vitest';
import { asking, type ScheduledCluster, startScheduledCluster } from './testing-scheduler.ts';

let cluster: ScheduledCluster;
beforeEach(async () => {
  cluster = await startScheduledCluster();
});
afterEach(() => cluster[Symbol.asyncDispose]());

test('A pod is bound to the only node, with a condition and an event', async () => {
  await cluster.addNode('n1');
  await cluster.addPod('p');
  const { spec, status } = await cluster.pod('p', (pod) => pod.spec.nodeName !== undefined);
  expect(spec.nodeName).toBe('n1');
  expect(status.conditions).toMatchObject([{ type: 'PodScheduled', status: 'True' }]);
  await expect.poll(() => cluster.eventsOf('p')).toEqual(['Normal Scheduled Successfully assigned default/p to n1']);
});

test('A pod that fits nowhere says why, and gets a node as soon as there is one that fits', async () => {
  await cluster.addNode('small', { cpu: '1' });
  await cluster.addNode('tainted', { spec: { taints: [{ key: 'a', value: '1', effect: 'NoSchedule' }] } });
  await cluster.addPod('p', asking('2'));
  expect(await cluster.refusalOf('p')).toMatch(
    /^0\/2 nodes are available: 1 Insufficient cpu, 1 node\(s\) had untolerated taint \{a: 1\}\./,
  );
  await cluster.addNode('large');
  expect(await cluster.nodeOf('p')).toBe('large');
});

test('A pod waits for its scheduling gates and for its node affinity', async () => {
  await cluster.addNode('n1');
  await cluster.addPod('p', { schedulingGates: [{ name: 'g' }], nodeSelector: { disk: 'fast' } });
  const pods = cluster.client.core.v1.pods.namespace('default');
  expect((await pods.get('p')).status.conditions).toMatchObject([{ reason: 'SchedulingGated' }]);
  await pods.patch('p', { merge: { spec: { schedulingGates: null } } });
  expect(await cluster.refusalOf('p', (message) => message.startsWith('0/1'))).toContain(
    "1 node(s) didn't match Pod's node affinity/selector",
  );
  await cluster.client.core.v1.nodes.patch('n1', { merge: { metadata: { labels: { disk: 'fast' } } } });
  expect(await cluster.nodeOf('p')).toBe('n1');
});

test('Pods share a node until it is full, and the next one gets the place of one that is deleted', async () => {
  await cluster.addNode('n1', { cpu: '2' });
  for (const name of ['a', 'b', 'c']) await cluster.addPod(name, asking('1'));
  const refused = await Promise.any(['a', 'b', 'c'].map(async (name) => [name, await cluster.refusalOf(name)]));
  const [placed] = ['a', 'b', 'c'].filter((name) => name !== refused[0]);
  const pods = cluster.client.core.v1.pods.namespace('default');
  await cluster.nodeOf(placed!);
  await pods.delete(placed!, { gracePeriodSeconds: 0 });
  expect(await cluster.nodeOf(refused[0]!)).toBe('n1');
});

test('A pod of another scheduler is left alone', async () => {
  await cluster.addNode('n1');
  await cluster.addPod('theirs', { schedulerName: 'other' });
  await cluster.addPod('ours');
  await cluster.nodeOf('ours');
  const { spec, status } = await cluster.client.core.v1.pods.namespace('default').get('theirs');
  expect(spec.nodeName).toBeUndefined();
  expect(status.conditions ?? []).toEqual([]);
});
