/** A node with real containers: a CSI driver with real mounts, pods that are resized, and what goes wrong. */
import { execFile } from 'node:child_process';
import { mkdir, readdir, rm, stat } from 'node:fs/promises';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { mountsBelow } from '../../../src/node-agent/volumes/mounts.ts';
import { startTestDriver, type TestDriver } from '../../../src/node-agent/volumes/csi/testing/csi-driver.ts';
import { type NodeCluster, nodeName, startNodeCluster } from '../../node/node-cluster.ts';
import { reasonToSkip } from '../../node/sandbox.ts';

const run = promisify(execFile);
const reason = reasonToSkip();
const driverName = 'disk.csi.test';
const timeout = 60_000;
const cgroupRoot = '/orch-xv';

describe.skipIf(reason !== undefined)(`A real node${reason === undefined ? '' : ` (${reason})`}`, () => {
  let cluster: NodeCluster;
  let driver: TestDriver;
  const namespace = 'default';

  beforeAll(async () => {
    cluster = await startNodeCluster({
      bridge: 'nscsi',
      subnet: '10.98.0.0/16',
      cgroupRoot,
      featureGates: ['InPlacePodVerticalScaling'],
    });
    const { client, rootDirectory, workDirectory } = cluster;
    await client.storage.v1.csidrivers.create({
      metadata: { name: driverName },
      spec: {
        attachRequired: false,
        podInfoOnMount: true,
        volumeLifecycleModes: ['Persistent', 'Ephemeral'],
        fsGroupPolicy: 'File',
      },
    });
    await cluster.startAgent();
    driver = await startTestDriver({
      name: driverName,
      endpoint: `${rootDirectory}/plugins/${driverName}/csi.sock`,
      registry: `${rootDirectory}/plugins_registry/${driverName}-reg.sock`,
      abilities: ['STAGE_UNSTAGE_VOLUME'],
      nodeInfo: { nodeId: 'n-1', maxVolumesPerNode: 5n, accessibleTopology: { segments: { 'csi.test/zone': 'z1' } } },
      async publish({ volumeId = '', targetPath = '', readonly = false }) {
        const source = `${workDirectory}/${volumeId}`;
        await mkdir(source, { recursive: true });
        await mkdir(targetPath, { recursive: true });
        await run('mount', ['--bind', source, targetPath]);
        if (readonly) await run('mount', ['-o', 'remount,bind,ro', targetPath]);
      },
      async unpublish({ targetPath = '' }) {
        await run('umount', [targetPath]).catch(() => undefined);
        await rm(targetPath, { recursive: true, force: true });
      },
    });
  });

  afterAll(async () => {
    await driver?.close();
    await cluster?.[Symbol.asyncDispose]();
  });

  const podOf = (name: string, volume: object, spec: object = {}) => ({
    metadata: { name },
    spec: {
      nodeName,
      terminationGracePeriodSeconds: 1,
      automountServiceAccountToken: false,
      containers: [
        {
          name: 'main',
          image: 'node.test/busybox:1',
          command: ['sh', '-c', 'id > /v/who; sleep 1000'],
          volumeMounts: [{ name: 'v', mountPath: '/v' }],
        },
      ],
      volumes: [{ name: 'v', ...volume }],
      ...spec,
    },
  });
  const phaseOf = async (name: string): Promise<string | undefined> =>
    (await cluster.client.core.v1.pods.namespace(namespace).get(name)).status?.phase;
  const untilGone = (name: string): Promise<void> =>
    vi.waitFor(
      async () => {
        const { items } = await cluster.client.core.v1.pods.namespace(namespace).list();
        expect(items.map(({ metadata }) => metadata.name)).not.toContain(name);
      },
      { timeout },
    );

  test('A driver that registers is in the CSINode, and the node has its topology', { timeout }, async () => {
    const { client } = cluster;
    await vi.waitFor(() => expect(driver.told).toEqual([{ pluginRegistered: true }]), { timeout });
    expect((await client.storage.v1.csinodes.get(nodeName)).spec.drivers).toEqual([
      { name: driverName, nodeID: 'n-1', topologyKeys: ['csi.test/zone'], allocatable: { count: 5 } },
    ]);
    const { labels, annotations } = (await client.core.v1.nodes.get(nodeName)).metadata;
    expect(labels?.['csi.test/zone']).toBe('z1');
    expect(annotations?.['csi.volume.kubernetes.io/nodeid']).toBe('{"disk.csi.test":"n-1"}');
  });

  test('A claim of a CSI volume is mounted for the group of its pod, and nothing is left of it', {
    timeout,
  }, async () => {
    const { client, rootDirectory, workDirectory } = cluster;
    const capacity = { storage: '1Gi' };
    await client.core.v1.persistentvolumes.create({
      metadata: { name: 'pv-a' },
      spec: {
        capacity,
        accessModes: ['ReadWriteOnce'],
        persistentVolumeReclaimPolicy: 'Retain',
        csi: { driver: driverName, volumeHandle: 'h-a' },
        claimRef: { namespace, name: 'claim-a' },
      },
    });
    await client.core.v1.persistentvolumeclaims.namespace(namespace).create({
      metadata: { name: 'claim-a' },
      spec: {
        accessModes: ['ReadWriteOnce'],
        storageClassName: '',
        volumeName: 'pv-a',
        resources: { requests: capacity },
      },
    });
    const pods = client.core.v1.pods.namespace(namespace);
    const source = { persistentVolumeClaim: { claimName: 'claim-a' } };
    await pods.create(podOf('a', source, { securityContext: { fsGroup: 4321, runAsUser: 1001 } }));
    await vi.waitFor(async () => expect(await phaseOf('a')).toBe('Running'), { timeout });
    await vi.waitFor(async () => expect((await stat(`${workDirectory}/h-a/who`)).gid).toBe(4321), { timeout });
    expect(driver.steps()).toEqual(['nodeStageVolume', 'nodePublishVolume']);
    await pods.delete('a');
    await untilGone('a');
    expect(driver.steps().slice(2)).toEqual(['nodeUnpublishVolume', 'nodeUnstageVolume']);
    expect(await mountsBelow(rootDirectory)).toEqual([]);
    expect(await readdir(`${rootDirectory}/plugins/kubernetes.io/csi/${driverName}`)).toEqual([]);
  });

  test('A volume that lives with its pod waits for its driver, and says so', { timeout }, async () => {
    const { client, rootDirectory } = cluster;
    await driver.close();
    await vi.waitFor(
      async () => expect((await client.storage.v1.csinodes.get(nodeName)).spec.drivers ?? []).toEqual([]),
      { timeout },
    );
    const pods = client.core.v1.pods.namespace(namespace);
    await pods.create(podOf('b', { csi: { driver: driverName } }));
    await vi.waitFor(
      async () => {
        await cluster.flush();
        const { items } = await client.core.v1.events.namespace(namespace).list();
        expect(items.map(({ message }) => message)).toContain(
          'MountVolume.SetUp failed for volume "v" : kubernetes.io/csi: mounter.SetUpAt failed to get CSI client: ' +
            `driver name ${driverName} not found in the list of registered CSI drivers`,
        );
      },
      { timeout },
    );
    driver = await startTestDriver({
      name: driverName,
      endpoint: `${rootDirectory}/plugins/${driverName}/csi.sock`,
      registry: `${rootDirectory}/plugins_registry/${driverName}-reg.sock`,
    });
    await vi.waitFor(async () => expect(await phaseOf('b')).toBe('Running'), { timeout });
    expect(driver.calls.at(-1)!.request).toMatchObject({
      volumeContext: { 'csi.storage.k8s.io/pod.name': 'b', 'csi.storage.k8s.io/ephemeral': 'true' },
    });
    await pods.delete('b');
    await untilGone('b');
    expect(driver.steps().at(-1)).toBe('nodeUnpublishVolume');
  });

  const plain = (name: string, resources: object = {}) => ({
    metadata: { name },
    spec: {
      nodeName,
      terminationGracePeriodSeconds: 1,
      automountServiceAccountToken: false,
      containers: [{ name: 'main', image: 'node.test/busybox:1', command: ['sleep', '1000'], resources }],
    },
  });
  const statusOf = async (name: string) => (await cluster.client.core.v1.pods.namespace(namespace).get(name)).status;
  const untilRunning = (name: string): Promise<void> =>
    vi.waitFor(async () => expect(await phaseOf(name)).toBe('Running'), { timeout });

  test('A container gets more memory while it runs', { timeout }, async () => {
    const pods = cluster.client.core.v1.pods.namespace(namespace);
    const amounts = (memory: string) => ({ requests: { cpu: '50m', memory }, limits: { cpu: '100m', memory } });
    const { metadata } = await pods.create(plain('sized', amounts('64Mi')));
    await untilRunning('sized');
    await pods.resize.patch('sized', {
      strategic: { spec: { containers: [{ name: 'main', resources: amounts('96Mi') }] } },
    });
    await vi.waitFor(
      async () => expect((await statusOf('sized'))?.containerStatuses?.[0]?.resources?.limits?.['memory']).toBe('96Mi'),
      { timeout },
    );
    const status = await statusOf('sized');
    expect(status?.containerStatuses?.[0]?.restartCount ?? 0).toBe(0);
    await vi.waitFor(async () => expect((await statusOf('sized'))?.resize ?? '').toBe(''), { timeout });
    const group = `/sys/fs/cgroup/memory${cgroupRoot}/kubepods/burstable/pod${metadata.uid}`;
    const limits = await run('sh', ['-c', `cat ${group}/memory.limit_in_bytes ${group}/*/memory.limit_in_bytes`]).catch(
      () => undefined,
    );
    // Without groups of version 1 the runtime alone says what it has.
    if (limits !== undefined) expect(limits.stdout.split('\n').filter(Boolean)).toContain(String(96 << 20));
    await pods.delete('sized');
    await untilGone('sized');
  });

  test('Containers run on while containerd is killed, and pods start when it is back', { timeout }, async () => {
    const pods = cluster.client.core.v1.pods.namespace(namespace);
    await pods.create(plain('before'));
    await untilRunning('before');
    const id = (await statusOf('before'))?.containerStatuses?.[0]?.containerID;
    await cluster.sandbox.kill();
    await pods.create(plain('during'));
    await cluster.sandbox.revive();
    await untilRunning('during');
    const [container] = (await statusOf('before'))?.containerStatuses ?? [];
    expect(container).toMatchObject({ containerID: id, ready: true });
    expect(container?.restartCount ?? 0).toBe(0);
    for (const name of ['before', 'during']) await pods.delete(name);
    for (const name of ['before', 'during']) await untilGone(name);
  });

  test('A pod that is deleted while the agent is away is ended by the next one', { timeout }, async () => {
    const pods = cluster.client.core.v1.pods.namespace(namespace);
    await pods.create(plain('left'));
    await untilRunning('left');
    await cluster.stopAgent();
    await pods.delete('left', { gracePeriodSeconds: 0 });
    await cluster.startAgent();
    await vi.waitFor(async () => expect((await cluster.runtime.listContainers({})).containers ?? []).toEqual([]), {
      timeout,
    });
  });

  test('After the last pod nothing is left of any', { timeout }, async () => {
    const { runtime, rootDirectory, logDirectory } = cluster;
    await vi.waitFor(
      async () => {
        expect((await runtime.listContainers({})).containers ?? []).toEqual([]);
        expect((await runtime.listPodSandbox({})).items ?? []).toEqual([]);
        expect(await readdir(`${rootDirectory}/pods`)).toEqual([]);
        expect(await readdir(logDirectory)).toEqual([]);
      },
      { timeout },
    );
    expect(await mountsBelow(rootDirectory)).toEqual([]);
    const groups = await run('find', ['/sys/fs/cgroup', '-path', `*${cgroupRoot}/kubepods/*`, '-name', 'pod*']);
    expect(groups.stdout).toBe('');
  });
});
