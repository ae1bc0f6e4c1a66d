/** What the scheduler writes beside bindings: evictions, nominations and volumes. */
import { afterEach, expect, test } from 'vitest';
import type { PersistentVolume, PersistentVolumeClaim } from '../../../src/api/gen/types/core-v1.ts';
import type { Input } from '../../../src/client/resources/typed-resources.ts';
import { loadSchedulerConfig } from '../../../src/scheduler/config/load.ts';
import { createScheduler } from '../../../src/scheduler/scheduler.ts';
import { asking, type ScheduledCluster, startScheduledCluster } from './testing-scheduler.ts';

let cluster: ScheduledCluster;
afterEach(() => cluster[Symbol.asyncDispose]());

async function addPriorities(): Promise<void> {
  for (const [name, value] of Object.entries({ high: 1000, mid: 500 }))
    await cluster.client.scheduling.v1.priorityclasses.create({ metadata: { name }, value });
}

test('A pod of lower priority gives way, and the node is kept for the one that it gives way to', async () => {
  cluster = await startScheduledCluster();
  await addPriorities();
  await cluster.addNode('n1', { cpu: '2' });
  await cluster.addPod('low', asking('2'));
  await cluster.nodeOf('low');
  await cluster.addPod('high', { ...asking('2'), priorityClassName: 'high' });
  const waiting = await cluster.pod('high', ({ status }) => status.nominatedNodeName === 'n1');
  expect(waiting.status.conditions).toMatchObject([
    { type: 'PodScheduled', status: 'False', message: '0/1 nodes are available: 1 Insufficient cpu.' },
  ]);
  const going = await cluster.pod('low', ({ metadata }) => metadata.deletionTimestamp !== undefined);
  expect(going.status.conditions).toContainEqual(
    expect.objectContaining({
      type: 'DisruptionTarget',
      status: 'True',
      reason: 'PreemptionByScheduler',
      message: 'default-scheduler: preempting to accommodate a higher priority pod',
    }),
  );
  const { uid } = waiting.metadata;
  await expect.poll(() => cluster.eventsOf('low')).toContain(`Normal Preempted Preempted by pod ${uid} on node n1`);
  await cluster.addPod('mid', { ...asking('1'), priorityClassName: 'mid' });
  expect(await cluster.refusalOf('mid')).toContain('preemption: 0/1 nodes are available: 1 Insufficient cpu.');
  await cluster.client.core.v1.pods.namespace('default').delete('low', { gracePeriodSeconds: 0 });
  expect(await cluster.nodeOf('high')).toBe('n1');
});

const volumeClass = 'local';
const claim: Input<PersistentVolumeClaim> = {
  metadata: { name: 'data' },
  spec: {
    accessModes: ['ReadWriteOnce'],
    resources: { requests: { storage: '1Gi' } },
    storageClassName: volumeClass,
  },
};
const volume: Input<PersistentVolume> = {
  metadata: { name: 'pv' },
  spec: {
    accessModes: ['ReadWriteOnce'],
    capacity: { storage: '1Gi' },
    storageClassName: volumeClass,
    local: { path: '/v' },
    nodeAffinity: {
      required: {
        nodeSelectorTerms: [{ matchExpressions: [{ key: 'kubernetes.io/hostname', operator: 'In', values: ['n2'] }] }],
      },
    },
  },
};

test('A claim that waits for its first consumer gets the volume of the node that suits both', async () => {
  cluster = await startScheduledCluster();
  const { client } = cluster;
  for (const name of ['n1', 'n2']) await cluster.addNode(name);
  await client.storage.v1.storageclasses.create({
    metadata: { name: volumeClass },
    provisioner: 'kubernetes.io/no-provisioner',
    volumeBindingMode: 'WaitForFirstConsumer',
  });
  const claims = client.core.v1.persistentvolumeclaims.namespace('default');
  await claims.create(claim);
  await cluster.addPod('p', { volumes: [{ name: 'v', persistentVolumeClaim: { claimName: 'data' } }] });
  expect(await cluster.refusalOf('p')).toContain("2 node(s) didn't find available persistent volumes to bind");
  const volumes = client.core.v1.persistentvolumes;
  await volumes.create(volume);
  await volumes.status.patch('pv', { merge: { status: { phase: 'Available' } } });
  await expect
    .poll(async () => (await volumes.get('pv')).spec.claimRef, { timeout: 10_000 })
    .toMatchObject({ namespace: 'default', name: 'data' });
  expect((await cluster.client.core.v1.pods.namespace('default').get('p')).spec.nodeName).toBeUndefined();
  // The binder of the controller manager does the rest.
  await claims.patch('data', {
    merge: { metadata: { annotations: { 'pv.kubernetes.io/bind-completed': 'yes' } }, spec: { volumeName: 'pv' } },
  });
  expect(await cluster.nodeOf('p')).toBe('n2');
});

test('Each profile schedules the pods that name it, by its own strategy', async () => {
  const { scheduler: config } = loadSchedulerConfig(`
apiVersion: kubescheduler.config.k8s.io/v1
kind: KubeSchedulerConfiguration
profiles:
- schedulerName: spreading
- schedulerName: packing
  pluginConfig:
  - name: NodeResourcesFit
    args: {scoringStrategy: {type: MostAllocated}}
  plugins:
    score:
      disabled: [{name: NodeResourcesBalancedAllocation}]
`);
  cluster = await startScheduledCluster({ config });
  for (const name of ['n1', 'n2']) await cluster.addNode(name, { cpu: '10' });
  await cluster.addPod('there', { ...asking('4'), nodeName: 'n1' });
  await cluster.addPod('spread', { ...asking('1'), schedulerName: 'spreading' });
  await cluster.addPod('pack', { ...asking('1'), schedulerName: 'packing' });
  expect([await cluster.nodeOf('spread'), await cluster.nodeOf('pack')]).toEqual(['n2', 'n1']);
  const reporter = async (): Promise<string[]> =>
    ((await cluster.client.events.v1.events.namespace('default').list()).items ?? [])
      .map(({ regarding, reportingController = '' }) => `${regarding.name} ${reportingController}`)
      .sort();
  await expect.poll(reporter).toEqual(['pack packing', 'spread spreading']);
});

test('A second scheduler goes on where the first was stopped', async () => {
  cluster = await startScheduledCluster({ config: loadSchedulerConfig(idle).scheduler });
  const first = createScheduler({ client: cluster.client });
  await first.start();
  await cluster.addNode('n1');
  const names = Array.from({ length: 60 }, (_, i) => `p${i}`);
  await Promise.all(names.map((name) => cluster.addPod(name)));
  await first.stop();
  const second = createScheduler({ client: cluster.client });
  await second.start();
  for (const name of names) expect(await cluster.nodeOf(name)).toBe('n1');
  await second.stop();
});

/** For pods that no test makes. */
const idle = `
apiVersion: kubescheduler.config.k8s.io/v1
kind: KubeSchedulerConfiguration
profiles: [{schedulerName: idle}]
`;
