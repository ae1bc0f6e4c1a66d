/** Nodes over time: they fall silent, lose their pods, and come back, on a clock that the test moves. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type FaultyCluster, startFaultyCluster } from './faulty-cluster.ts';

const stepMs = 5000;
const leases = 'kube-node-lease';

let cluster: FaultyCluster;
let beat = 0;

beforeAll(async () => {
  cluster = await startFaultyCluster({ controllers: ['nodelifecycle', 'taint-eviction-controller'] });
});
afterAll(() => cluster[Symbol.asyncDispose]());

const timeOf = (tick: number): string => new Date(Date.UTC(2026, 0, 1) + tick * 1000).toISOString();

async function setReady(name: string, status: 'True' | 'False'): Promise<void> {
  const heartbeat = timeOf(++beat).replace('.000', '');
  await cluster.client.core.v1.nodes.status.patch(name, {
    strategic: {
      status: {
        conditions: [
          {
            type: 'Ready',
            status,
            reason: 'KubeletReady',
            lastHeartbeatTime: heartbeat,
            lastTransitionTime: heartbeat,
          },
        ],
      },
    },
  });
}

async function join(name: string): Promise<void> {
  const { client } = cluster;
  await client.core.v1.nodes.create({ metadata: { name, labels: { 'kubernetes.io/os': 'linux' } } });
  await setReady(name, 'True');
  const lease = { metadata: { name }, spec: { holderIdentity: name, renewTime: timeOf(++beat).replace('Z', '000Z') } };
  await client.coordination.v1.leases.namespace(leases).create(lease);
}

/** Time passes, in which these nodes renew their leases. */
async function passWith(names: readonly string[], ms: number, isOver?: () => Promise<boolean>): Promise<void> {
  for (let passed = 0; passed < ms; passed += stepMs) {
    if (isOver !== undefined && (await isOver())) return;
    for (const name of names)
      await cluster.client.coordination.v1.leases
        .namespace(leases)
        .patch(name, { merge: { spec: { renewTime: timeOf(++beat).replace('Z', '000Z') } } });
    await cluster.pass(stepMs, stepMs);
  }
}

async function seen(name: string) {
  const { spec, status, metadata } = await cluster.client.core.v1.nodes.get(name);
  const ready = status.conditions?.find(({ type }) => type === 'Ready');
  const taints = (spec.taints ?? []).map(({ key, effect }) => `${key?.replace('node.kubernetes.io/', '')}:${effect}`);
  return { ready: `${ready?.status} ${ready?.reason}`, taints: taints.sort(), labels: metadata.labels };
}

async function reasonsOf(name: string): Promise<string[]> {
  const { items } = await cluster.client.core.v1.events.namespace('default').list();
  return items.flatMap(({ involvedObject, reason }) => (involvedObject.name === name ? [reason ?? ''] : []));
}

test('A node that falls silent becomes unknown, its pods are evicted in time, and it recovers', async () => {
  const { client, until } = cluster;
  const pods = client.core.v1.pods.namespace('default');
  for (const name of ['a', 'b', 'c']) await join(name);
  await pods.create({ metadata: { name: 'p' }, spec: { nodeName: 'a', containers: [{ name: 'c', image: 'i' }] } });
  await pods.status.patch('p', {
    strategic: { status: { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] } },
  });
  await until(async () => expect((await seen('a')).labels).toMatchObject({ 'beta.kubernetes.io/os': 'linux' }));

  await passWith(['a', 'b', 'c'], 60_000);
  expect(await seen('a')).toMatchObject({ ready: 'True KubeletReady', taints: [] });

  await passWith(['b', 'c'], 35_000);
  expect(await seen('a')).toMatchObject({ ready: 'True KubeletReady', taints: [] });
  await passWith(['b', 'c'], 30_000, async () => (await seen('a')).taints.length === 2);
  expect(await seen('a')).toMatchObject({
    ready: 'Unknown NodeStatusUnknown',
    taints: ['unreachable:NoExecute', 'unreachable:NoSchedule'],
  });
  expect(await seen('b')).toMatchObject({ ready: 'True KubeletReady', taints: [] });
  const unready = (await pods.get('p')).status.conditions?.find(({ type }) => type === 'Ready');
  expect(unready?.status).toBe('False');
  await until(async () => expect(await reasonsOf('a')).toEqual(['RegisteredNode', 'NodeNotReady']));
  expect(await reasonsOf('p')).toContain('NodeNotReady');

  // DefaultTolerationSeconds lets pods stay for five minutes.
  await passWith(['b', 'c'], 280_000);
  expect((await pods.get('p')).metadata.deletionTimestamp).toBeUndefined();
  const isEvicted = async (): Promise<boolean> => (await pods.get('p')).metadata.deletionTimestamp !== undefined;
  await passWith(['b', 'c'], 40_000, isEvicted);
  expect(await isEvicted()).toBe(true);
  expect(await reasonsOf('p')).toContain('TaintManagerEviction');

  await setReady('a', 'True');
  await passWith(['a', 'b', 'c'], 20_000);
  expect(await seen('a')).toMatchObject({ ready: 'True KubeletReady', taints: [] });
});

test('A node that says that it is not ready is not-ready at once, and not unreachable', async () => {
  await setReady('b', 'False');
  await passWith(['a', 'b', 'c'], 20_000);
  expect((await seen('b')).taints).toEqual(['not-ready:NoExecute', 'not-ready:NoSchedule']);
  await setReady('b', 'True');
  await passWith(['a', 'b', 'c'], 20_000);
  expect((await seen('b')).taints).toEqual([]);
});

test('When nothing is heard of any node, no node loses its pods', async () => {
  await passWith([], 90_000);
  for (const name of ['a', 'b', 'c'])
    expect(await seen(name)).toMatchObject({ ready: 'Unknown NodeStatusUnknown', taints: ['unreachable:NoSchedule'] });
});
