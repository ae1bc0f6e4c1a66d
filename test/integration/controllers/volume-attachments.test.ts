import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import type { VolumeAttachment } from '../../../src/api/gen/types/storage-v1.ts';
import type { Client } from '../../../src/client/client.ts';
import { FakeClock } from '../../../src/base/testing/fake-clock.ts';
import { defaultControllerManagerOptions } from '../../../src/controllers/manager/options.ts';
import { allMetrics, MetricRegistry } from '../../../src/server/metrics/metric-registry.ts';
import { type ControllerCluster, type ControllerClusterOptions, startControllerCluster } from './controller-cluster.ts';

const driver = 'csi.example.com';
const inStatus = `kubernetes.io/csi/${driver}^handle`;
const { attachDetach } = defaultControllerManagerOptions;

const startWith = (
  options: Partial<typeof attachDetach>,
  around: Partial<ControllerClusterOptions> = {},
): Promise<ControllerCluster> =>
  startControllerCluster({
    ...around,
    controllers: ['persistentvolume-attach-detach-controller'],
    options: { attachDetach: { ...attachDetach, ...options } },
    serverFlags: ['--disable-admission-plugins=ServiceAccount,StorageObjectInUseProtection'],
  });

/** Two nodes, and a claim that has a volume. */
async function prepare({ core }: Client): Promise<void> {
  const annotations = { 'volumes.kubernetes.io/controller-managed-attach-detach': 'true' };
  for (const name of ['n1', 'n2']) await core.v1.nodes.create({ metadata: { name, annotations } });
  const accessModes = ['ReadWriteOnce' as const];
  const claims = core.v1.persistentvolumeclaims.namespace('default');
  const { metadata } = await claims.create({
    metadata: { name: 'claim', namespace: 'default' },
    spec: { accessModes, resources: { requests: { storage: '1Gi' } }, volumeName: 'pv', storageClassName: '' },
  });
  await core.v1.persistentvolumes.create({
    metadata: { name: 'pv' },
    spec: {
      ...{ accessModes, capacity: { storage: '1Gi' }, csi: { driver, volumeHandle: 'handle' } },
      claimRef: { name: 'claim', namespace: 'default', uid: metadata.uid! },
    },
  });
  await claims.status.patch('claim', { merge: { status: { phase: 'Bound' } } });
}

const addPod = async ({ core }: Client, name: string, nodeName: string): Promise<void> => {
  const volumes = [{ name: 'v', persistentVolumeClaim: { claimName: 'claim' } }];
  const containers = [{ name: 'app', image: 'app:1' }];
  await core.v1.pods.create({ metadata: { name, namespace: 'default' }, spec: { nodeName, containers, volumes } });
};

const removePod = async ({ core }: Client, name: string): Promise<void> => {
  await core.v1.pods.namespace('default').delete(name, { gracePeriodSeconds: 0 });
};

const attachments = async ({ storage }: Client): Promise<VolumeAttachment[]> => [
  ...(await storage.v1.volumeattachments.list()).items,
];

/** The only one there is, for a node. */
const attachmentOn = (client: Client, node: string): Promise<string> =>
  vi.waitFor(async () => {
    const [found, ...others] = await attachments(client);
    expect([found?.spec.nodeName, others]).toEqual([node, []]);
    return found!.metadata.name!;
  }, 5000);

const driverSays = async (client: Client, name: string, status: object): Promise<void> => {
  await client.storage.v1.volumeattachments.status.patch(name, { merge: { status } });
};

const reach = (client: Client, expected: Readonly<Record<string, readonly string[]>>): Promise<void> =>
  vi.waitFor(async () => {
    const { items } = await client.core.v1.nodes.list();
    const names = items.map(({ metadata, status }) => [
      metadata.name,
      status?.volumesAttached?.map(({ name }) => name),
    ]);
    expect(Object.fromEntries(names)).toEqual({ n1: undefined, n2: undefined, ...expected });
  }, 5000);

const eventsOf = async ({ core }: Client, pod: string): Promise<string[]> =>
  (await core.v1.events.namespace('default').list()).items
    .filter(({ involvedObject }) => involvedObject.name === pod)
    .map(({ type, reason, message, source }) => `${type} ${reason} [${source?.component}] ${message}`);

let cluster: ControllerCluster;
let client: Client;

beforeAll(async () => {
  cluster = await startWith({ disableReconcileSync: true });
  client = cluster.client;
  await prepare(client);
});
afterAll(() => cluster[Symbol.asyncDispose]());

test('A volume is attached by its driver, shown in the status of the node, and moves after its pod', async () => {
  await addPod(client, 'first', 'n1');
  const name = await attachmentOn(client, 'n1');
  await driverSays(client, name, { attachError: { message: 'no disk' } });
  const failed =
    'Warning FailedAttachVolume [attachdetach-controller] AttachVolume.Attach failed for volume "pv" : no disk';
  await vi.waitFor(async () => expect(await eventsOf(client, 'first')).toContain(failed), 5000);
  await driverSays(client, name, { attachError: null, attached: true });
  await reach(client, { n1: [inStatus] });
  const succeeded =
    'Normal SuccessfulAttachVolume [attachdetach-controller] AttachVolume.Attach succeeded for volume "pv" ';
  await vi.waitFor(async () => expect(await eventsOf(client, 'first')).toContain(succeeded), 5000);

  // The node has it mounted, and the driver takes its time.
  await client.core.v1.nodes.status.patch('n1', { merge: { status: { volumesInUse: [inStatus] } } });
  await client.storage.v1.volumeattachments.patch(name, {
    merge: { metadata: { finalizers: ['example.com/driver'] } },
  });
  await addPod(client, 'second', 'n2');
  const elsewhere =
    'Warning FailedAttachVolume [attachdetach-controller] Multi-Attach error for volume "pv" ' +
    'Volume is already used by pod(s) first';
  await vi.waitFor(async () => expect(await eventsOf(client, 'second')).toEqual([elsewhere]), 5000);
  await removePod(client, 'first');
  await reach(client, { n1: [inStatus] });
  await client.core.v1.nodes.status.patch('n1', { merge: { status: { volumesInUse: [] } } });
  await reach(client, {});
  await vi.waitFor(async () => {
    const [ending] = await attachments(client);
    expect([ending?.spec.nodeName, ending?.metadata.deletionTimestamp]).toEqual(['n1', expect.any(String)]);
  }, 5000);
  await client.storage.v1.volumeattachments.patch(name, { merge: { metadata: { finalizers: null } } });
  await driverSays(client, await attachmentOn(client, 'n2'), { attached: true });
  await reach(client, { n2: [inStatus] });
});

test('What a driver takes back is noticed, but not with --disable-attach-detach-reconcile-sync', async () => {
  const name = await attachmentOn(client, 'n2');
  await driverSays(client, name, { attached: false });
  // Work that comes after it is done, and the volume still stands there.
  await client.core.v1.nodes.patch('n1', { merge: { metadata: { labels: { seen: 'yes' } } } });
  await reach(client, { n2: [inStatus] });
  await using other = await startWith({ reconcileSyncPeriodMs: 50 });
  await prepare(other.client);
  await addPod(other.client, 'p', 'n1');
  const looked = await attachmentOn(other.client, 'n1');
  await driverSays(other.client, looked, { attached: true });
  await reach(other.client, { n1: [inStatus] });
  await driverSays(other.client, looked, { attached: false });
  await reach(other.client, {});
  await driverSays(other.client, looked, { attached: true });
  await reach(other.client, { n1: [inStatus] });
  await reach(client, { n2: [inStatus] });
});

test.each([
  { name: 'moves after its pod', disableForceDetachOnTimeout: false },
  { name: 'stays with --disable-force-detach-on-timeout', disableForceDetachOnTimeout: true },
])('A volume that a silent node has mounted for six minutes $name', async ({ disableForceDetachOnTimeout }) => {
  const [clock, metrics] = [new FakeClock(), new MetricRegistry(allMetrics)];
  const startMs = Date.now();
  const around = { clock, metrics, wallTime: () => startMs + clock.now() };
  await using silent = await startWith({ disableForceDetachOnTimeout, disableReconcileSync: true }, around);
  const api = silent.client;
  await prepare(api);
  await addPod(api, 'first', 'n1');
  await driverSays(api, await attachmentOn(api, 'n1'), { attached: true });
  await reach(api, { n1: [inStatus] });
  await api.core.v1.nodes.status.patch('n1', { merge: { status: { volumesInUse: [inStatus] } } });
  await removePod(api, 'first');
  // The controller has seen that no pod wants it there.
  const inUse = (): Promise<string> => metrics.getSingleMetricAsString('storage_count_attachable_volumes_in_use');
  await expect.poll(inUse).not.toContain('node="n1"');
  await clock.advance(6 * 60_000 + 1);
  await addPod(api, 'second', 'n2');
  if (!disableForceDetachOnTimeout) return void (await attachmentOn(api, 'n2'));
  const elsewhere =
    'Warning FailedAttachVolume [attachdetach-controller] Multi-Attach error for volume "pv" ' +
    "Volume is already exclusively attached to one node and can't be attached to another";
  await vi.waitFor(async () => expect(await eventsOf(api, 'second')).toEqual([elsewhere]), 5000);
  await reach(api, { n1: [inStatus] });
});
