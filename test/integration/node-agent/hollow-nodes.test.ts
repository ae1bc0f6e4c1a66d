import { expect, test, vi } from 'vitest';
import { isReady, pod, startHollowCluster } from './hollow-cluster.ts';

test('Hollow nodes register Ready, with what an agent says of its machine, and hold leases', async () => {
  await using cluster = await startHollowCluster({ count: 3 });
  const { client } = cluster;
  const leases = client.coordination.v1.leases.namespace('kube-node-lease');
  await vi.waitFor(async () => expect((await leases.list()).items).toHaveLength(3), { timeout: 10_000 });
  const { items } = await client.core.v1.nodes.list();
  expect(items.map(({ metadata }) => metadata.name)).toEqual(['hollow-node-0', 'hollow-node-1', 'hollow-node-2']);
  const [node] = items;
  expect(node!.metadata.labels).toMatchObject({
    'kubernetes.io/hostname': 'hollow-node-0',
    'kubernetes.io/os': 'linux',
  });
  expect(node!.status.conditions).toMatchObject([
    { type: 'MemoryPressure', status: 'False', reason: 'KubeletHasSufficientMemory' },
    { type: 'DiskPressure', status: 'False', reason: 'KubeletHasNoDiskPressure' },
    { type: 'PIDPressure', status: 'False', reason: 'KubeletHasSufficientPID' },
    { type: 'Ready', status: 'True', reason: 'KubeletReady', message: 'kubelet is posting ready status' },
  ]);
  expect(node!.status).toMatchObject({
    capacity: { cpu: '32', memory: '256Gi', pods: '110' },
    allocatable: { cpu: '32', memory: '262044Mi', pods: '110' },
    addresses: [
      { type: 'InternalIP', address: '10.64.0.1' },
      { type: 'Hostname', address: 'hollow-node-0' },
    ],
    nodeInfo: { operatingSystem: 'linux', kubeletVersion: expect.stringMatching(/^v1\.32\./) as string },
  });
  const lease = await leases.get('hollow-node-0');
  expect(lease.spec).toMatchObject({ holderIdentity: 'hollow-node-0', leaseDurationSeconds: 40 });
  expect(lease.metadata.ownerReferences).toMatchObject([{ kind: 'Node', uid: node!.metadata.uid }]);
});

test('A pod that is bound to a hollow node comes to Running and Ready', async () => {
  await using cluster = await startHollowCluster();
  const { client } = cluster;
  await client.core.v1.pods.create(pod({ name: 'web' }));
  const { status, metadata } = await cluster.podUntil('web', isReady);
  expect(status).toMatchObject({
    phase: 'Running',
    hostIP: '10.64.0.1',
    podIP: '10.128.0.2',
    podIPs: [{ ip: '10.128.0.2' }],
    containerStatuses: [
      {
        name: 'main',
        ready: true,
        started: true,
        image: 'registry.example/app:1',
        containerID: expect.stringMatching(/^hollow:\/\/[0-9a-f]{64}$/) as string,
        state: { running: { startedAt: status.startTime } },
      },
    ],
  });
  expect(status.conditions!.map(({ type, status: value }) => `${type}=${value}`)).toEqual([
    'PodReadyToStartContainers=True',
    'Initialized=True',
    'Ready=True',
    'ContainersReady=True',
    'PodScheduled=True',
  ]);
  expect(metadata.managedFields!.filter(({ subresource }) => subresource === 'status')).toHaveLength(1);
});

test('A pod that is deleted ends, shows how, and is gone', async () => {
  await using cluster = await startHollowCluster();
  const pods = cluster.client.core.v1.pods.namespace('default');
  await pods.create(pod({ name: 'web' }));
  await cluster.podUntil('web', isReady);
  const states = cluster.statesUntilGone('web');
  await pods.delete('web');
  const ended = (await states).find(({ status }) => status.phase === 'Succeeded');
  expect(ended!.metadata.deletionGracePeriodSeconds).toBe(30);
  expect(ended!.status).toMatchObject({
    containerStatuses: [{ state: { terminated: { reason: 'Completed' } } }],
    conditions: [
      { type: 'PodReadyToStartContainers', status: 'False' },
      { type: 'Initialized', status: 'True', reason: 'PodCompleted' },
      { type: 'Ready', status: 'False', reason: 'PodCompleted' },
      { type: 'ContainersReady', status: 'False', reason: 'PodCompleted' },
      { type: 'PodScheduled', status: 'True' },
    ],
  });
});

test('A node that was taken for lost is Ready again once it is heard of', async () => {
  await using cluster = await startHollowCluster({ count: 1 });
  const { nodes } = cluster.client.core.v1;
  await vi.waitFor(() => nodes.get('hollow-node-0'), { timeout: 10_000 });
  const lost = {
    type: 'Ready',
    status: 'Unknown',
    reason: 'NodeStatusUnknown',
    message: 'Kubelet stopped posting node status.',
  };
  await nodes.status.patch('hollow-node-0', { strategic: { status: { conditions: [lost] } } });
  await vi.waitFor(async () => {
    const { status } = await nodes.get('hollow-node-0');
    expect(status.conditions!.at(-1)).toMatchObject({ type: 'Ready', status: 'True', reason: 'KubeletReady' });
  });
});

test('A pod has an address of the range that its node was given', async () => {
  await using cluster = await startHollowCluster({ count: 1 });
  const { client } = cluster;
  await vi.waitFor(
    () =>
      client.core.v1.nodes.patch('hollow-node-0', {
        merge: { spec: { podCIDR: '10.9.1.0/24', podCIDRs: ['10.9.1.0/24'] } },
      }),
    { timeout: 10_000 },
  );
  await vi.waitFor(async () => {
    const name = `web-${Math.trunc(cluster.clock.now())}`;
    await client.core.v1.pods.create(pod({ name }));
    const { status } = await cluster.podUntil(name, isReady);
    expect(status.podIP).toMatch(/^10\.9\.1\./);
  });
});

test('Nodes that start again find their pods running, and leave them so', async () => {
  await using cluster = await startHollowCluster({ count: 1, namePrefix: 'first-' });
  const { client } = cluster;
  const second = cluster.startNodes({ count: 1, namePrefix: 'again-' });
  await client.core.v1.pods.create(pod({ name: 'web', nodeName: 'again-0' }));
  const before = await cluster.podUntil('web', isReady);
  await second.stop();
  cluster.startNodes({ count: 1, namePrefix: 'again-' });
  await client.core.v1.pods.create(pod({ name: 'other', nodeName: 'again-0' }));
  const other = await cluster.podUntil('other', isReady);
  const after = await client.core.v1.pods.namespace('default').get('web');
  expect(after.metadata.resourceVersion).toBe(before.metadata.resourceVersion);
  expect(other.status.podIP).not.toBe(after.status.podIP);
});
