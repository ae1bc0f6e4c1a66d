/**
 * Volumes of CSI drivers on a node, with a driver that keeps what it was asked.
 *
 * One file because each test needs the node, the driver and the volumes that are made here.
 */
import { mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { PersistentVolume, PersistentVolumeClaim, Pod, Volume } from '../../../api/gen/types/core-v1.ts';
import type { CSIDriver, VolumeAttachment } from '../../../api/gen/types/storage-v1.ts';
import { silentLogger } from '../../../base/logger.ts';
import { FakeClock } from '../../../base/testing/fake-clock.ts';
import { GrpcError } from '../../../grpc/grpc-error.ts';
import { GrpcCode } from '../../../grpc/status.ts';
import type { ApiObjects } from '../../pods/api-objects.ts';
import { PodTokens } from '../projected/pod-tokens.ts';
import type { VolumeRequest } from '../volume-kind.ts';
import { Attachments } from './attachments.ts';
import { CsiDrivers } from './csi-drivers.ts';
import { noNodeInfo } from './csi-node-info.ts';
import { attachmentName } from './csi-source.ts';
import { CsiVolumes } from './csi-volumes.ts';
import type { NodeAbility } from './gen/csi.ts';
import { startTestDriver } from './testing/csi-driver.ts';

const driverName = 'disk.test';

interface Cluster {
  driver?: CSIDriver['spec'] | undefined;
  attached?: string[];
  attachment?: VolumeAttachment['status'] | undefined;
  readonly inUse: string[][];
  readonly events: string[];
  readonly expanded: string[];
}

/** Volumes of a node with one driver, and an API server that has what the test says. */
async function nodeWith(abilities: readonly NodeAbility[] = [], driver: CSIDriver['spec'] = { attachRequired: false }) {
  const rootDirectory = await mkdtemp(path.join(tmpdir(), 'orch-csi-'));
  const clock = new FakeClock();
  const cluster: Cluster = { driver, inUse: [], events: [], expanded: [] };
  const plugin = await startTestDriver({ name: driverName, endpoint: `${rootDirectory}/csi.sock`, abilities });
  const drivers = new CsiDrivers({ nodeInfo: noNodeInfo, log: silentLogger });
  const registered = { name: driverName, endpoint: `${rootDirectory}/csi.sock`, versions: ['1.0.0'] };
  await drivers.register(registered, new AbortController().signal);
  const objects = {
    csiDriver: () => Promise.resolve(cluster.driver === undefined ? undefined : { metadata: {}, spec: cluster.driver }),
    secret: (_: string, name: string) =>
      Promise.resolve(name === 'absent' ? undefined : { metadata: {}, data: { key: btoa(name) } }),
    token: ({ audience }: { audience: string }) =>
      Promise.resolve({ token: `token of ${audience}`, expiresAtMs: Date.UTC(2026, 0, 2) }),
    volumeAttachment: (name: string) =>
      Promise.resolve(
        name === attachmentName({ driver: driverName, handle: 'h1' }, 'node-1') && cluster.attachment !== undefined
          ? { metadata: { name }, spec: {}, status: cluster.attachment }
          : undefined,
      ),
    volumesAttached: () => cluster.attached ?? [],
    writeVolumesInUse(names: readonly string[]) {
      cluster.inUse.push([...names]);
      return Promise.resolve();
    },
    claimExpanded(_: unknown, size: string) {
      cluster.expanded.push(size);
      return Promise.resolve();
    },
  } as unknown as ApiObjects;
  const begin = (): CsiVolumes =>
    new CsiVolumes({
      drivers,
      attachments: new Attachments({ api: objects, nodeName: 'node-1', clock }),
      objects,
      tokens: new PodTokens(objects, { nowMs: () => Date.UTC(2026, 0, 1), random: () => 0 }),
      rootDirectory,
      nodeName: 'node-1',
      hasSeLinux: false,
      event: (_, type, reason, message) => cluster.events.push(`${type} ${reason} ${message}`),
    });
  onTestFinished(async () => {
    drivers.close();
    await plugin.close();
    await rm(rootDirectory, { recursive: true });
  });
  const request = (pod: Pod, persistent: PersistentVolume | undefined, more: Partial<VolumeRequest> = {}) => ({
    pod,
    volume: { name: 'v' } as Volume,
    path: `${rootDirectory}/pods/${pod.metadata.uid}/volumes/kubernetes.io~csi/${persistent?.metadata.name ?? 'v'}`,
    stateDirectory: stateOf(rootDirectory, pod, persistent),
    persistent,
    objects,
    podIPs: [],
    hostIPs: [],
    nowMs: 0,
    signal: new AbortController().signal,
    ...more,
  });
  return { volumes: begin(), begin, plugin, cluster, clock, request, rootDirectory };
}

const stateOf = (rootDirectory: string, { metadata }: Pod, persistent: PersistentVolume | undefined): string =>
  `${rootDirectory}/pods/${metadata.uid}/plugins/kubernetes.io~csi/${persistent?.metadata.name ?? 'v'}`;

const podOf = (uid: string, spec: Partial<Pod['spec']> = {}): Pod =>
  ({
    metadata: { name: `pod-${uid}`, namespace: 'ns', uid },
    spec: { serviceAccountName: 'sa', containers: [], ...spec },
  }) as unknown as Pod;

const volumeOf = (csi: object = {}, spec: object = {}): PersistentVolume =>
  ({
    metadata: { name: 'pv1' },
    spec: {
      csi: { driver: driverName, volumeHandle: 'h1', fsType: 'ext4', volumeAttributes: { a: 'b' }, ...csi },
      accessModes: ['ReadWriteOnce'],
      mountOptions: ['noatime'],
      capacity: { storage: '2Gi' },
      ...spec,
    },
  }) as unknown as PersistentVolume;

const inline: Partial<VolumeRequest> = { volume: { name: 'v', csi: { driver: driverName, readOnly: true } } };

describe('Volumes of CSI drivers', () => {
  test('A volume is staged once for the node and published for each pod; the last unstages it', async () => {
    const { volumes, plugin, request, rootDirectory } = await nodeWith(['STAGE_UNSTAGE_VOLUME']);
    const mounted = await volumes.setUp(request(podOf('u1'), volumeOf()));
    await volumes.setUp(request(podOf('u2'), volumeOf()));
    expect(await readFile(`${mounted.path}/volume`, 'utf8')).toBe('h1');
    await volumes.tearDown('u1');
    expect(plugin.steps()).toEqual([
      'nodeStageVolume',
      'nodePublishVolume',
      'nodePublishVolume',
      'nodeUnpublishVolume',
    ]);
    await volumes.tearDown('u2');
    expect(plugin.steps().slice(4)).toEqual(['nodeUnpublishVolume', 'nodeUnstageVolume']);
    expect(await readdir(`${rootDirectory}/plugins/kubernetes.io/csi/${driverName}`)).toEqual([]);
    expect(await readdir(`${rootDirectory}/pods/u1/volumes/kubernetes.io~csi`)).toEqual([]);
  });

  test('A driver is told what the volume, its secrets and its class say', async () => {
    const { volumes, plugin, request, rootDirectory } = await nodeWith(['STAGE_UNSTAGE_VOLUME']);
    const secrets = {
      nodeStageSecretRef: { namespace: 'ns', name: 'stage' },
      nodePublishSecretRef: { namespace: 'ns', name: 'publish' },
    };
    await volumes.setUp(request(podOf('u1'), volumeOf(secrets), { isReadOnly: true }));
    const [stage, publish] = plugin.calls.filter(({ name }) => /^node(Stage|Publish)Volume$/.test(name));
    const capability = {
      mount: { fsType: 'ext4', mountFlags: ['noatime'] },
      accessMode: { mode: 'SINGLE_NODE_WRITER' },
    };
    const staging = stage!.request as { stagingTargetPath: string };
    expect(staging.stagingTargetPath).toMatch(
      new RegExp(`^${rootDirectory}/plugins/kubernetes.io/csi/disk.test/[0-9a-f]{64}/globalmount$`),
    );
    expect(stage!.request).toMatchObject({
      volumeId: 'h1',
      volumeCapability: capability,
      secrets: { key: 'stage' },
      volumeContext: { a: 'b' },
    });
    expect(publish!.request).toMatchObject({
      volumeId: 'h1',
      stagingTargetPath: staging.stagingTargetPath,
      targetPath: `${rootDirectory}/pods/u1/volumes/kubernetes.io~csi/pv1/mount`,
      readonly: true,
      secrets: { key: 'publish' },
      volumeContext: { a: 'b' },
    });
  });

  test('A volume that lives with its pod is not staged, and its driver gets the pod and its tokens', async () => {
    const { volumes, plugin, request } = await nodeWith(['STAGE_UNSTAGE_VOLUME'], {
      volumeLifecycleModes: ['Ephemeral'],
      podInfoOnMount: true,
      tokenRequests: [{ audience: 'vault', expirationSeconds: 600 }],
    });
    await volumes.setUp(request(podOf('u1'), undefined, inline));
    expect(plugin.steps()).toEqual(['nodePublishVolume']);
    const { volumeId, volumeContext, readonly } = plugin.calls.at(-1)!.request as Record<string, never>;
    expect(volumeId).toMatch(/^csi-[0-9a-f]{64}$/);
    expect(readonly).toBe(true);
    expect({ ...(volumeContext as object) }).toEqual({
      'csi.storage.k8s.io/pod.name': 'pod-u1',
      'csi.storage.k8s.io/pod.namespace': 'ns',
      'csi.storage.k8s.io/pod.uid': 'u1',
      'csi.storage.k8s.io/serviceAccount.name': 'sa',
      'csi.storage.k8s.io/ephemeral': 'true',
      'csi.storage.k8s.io/serviceAccount.tokens':
        '{"vault":{"token":"token of vault","expirationTimestamp":"2026-01-02T00:00:00Z"}}',
    });
    await volumes.tearDown('u1');
    expect(plugin.steps()).toEqual(['nodePublishVolume', 'nodeUnpublishVolume']);
  });

  test.each([
    { name: 'not at all', republish: false, steps: 1 },
    { name: 'with each sync where the driver asks for it', republish: true, steps: 3 },
  ])('A published volume is published again $name', async ({ republish, steps }) => {
    const { volumes, plugin, request } = await nodeWith([], { attachRequired: false, requiresRepublish: republish });
    for (let sync = 0; sync < 3; sync++) await volumes.setUp(request(podOf('u1'), volumeOf()));
    expect(plugin.steps()).toHaveLength(steps);
  });

  test('A new process publishes again, and takes away what the one before has made', async () => {
    const { volumes, begin, plugin, request, rootDirectory } = await nodeWith(['STAGE_UNSTAGE_VOLUME']);
    await volumes.setUp(request(podOf('u1'), volumeOf()));
    const next = begin();
    await next.start();
    await next.tearDown('u1');
    expect(plugin.steps()).toEqual([
      'nodeStageVolume',
      'nodePublishVolume',
      'nodeUnpublishVolume',
      'nodeUnstageVolume',
    ]);
    await expect(stat(`${rootDirectory}/pods/u1/volumes/kubernetes.io~csi/pv1`)).rejects.toThrow('ENOENT');
  });

  test('A volume that could not be unpublished is tried again, and stays staged until then', async () => {
    const { volumes, plugin, request } = await nodeWith(['STAGE_UNSTAGE_VOLUME']);
    await volumes.setUp(request(podOf('u1'), volumeOf()));
    plugin.override = {
      nodeUnpublishVolume: () => Promise.reject(new GrpcError(GrpcCode.internal, 'it is busy')),
    };
    await expect(volumes.tearDown('u1')).rejects.toThrow('it is busy');
    plugin.override = {};
    await volumes.tearDown('u1');
    expect(plugin.steps().slice(2)).toEqual(['nodeUnpublishVolume', 'nodeUnpublishVolume', 'nodeUnstageVolume']);
  });

  test('A block volume is a link in the directory of the pod, and nothing is left of it', async () => {
    const { volumes, plugin, request, rootDirectory } = await nodeWith(['STAGE_UNSTAGE_VOLUME']);
    const mounted = await volumes.setUp(request(podOf('u1'), volumeOf({}, { volumeMode: 'Block' })));
    expect(mounted.path).toBe(`${rootDirectory}/pods/u1/volumeDevices/kubernetes.io~csi/pv1`);
    expect(plugin.calls.at(-1)!.request).toMatchObject({
      targetPath: `${rootDirectory}/plugins/kubernetes.io/csi/volumeDevices/publish/pv1/u1`,
      volumeCapability: { block: {}, accessMode: { mode: 'SINGLE_NODE_WRITER' } },
    });
    await volumes.tearDown('u1');
    const left = await readdir(`${rootDirectory}/plugins/kubernetes.io/csi/volumeDevices`, { recursive: true });
    expect(left.sort()).toEqual(['publish', 'staging']);
  });

  describe('What holds a volume up is told as upstream tells it', () => {
    test.each([
      {
        name: 'no driver of its name',
        csi: { driver: 'other.test' },
        message:
          'kubernetes.io/csi: attacher.MountDevice failed to create newCsiDriverClient: driver name other.test not ' +
          'found in the list of registered CSI drivers',
        operation: 'MountDevice',
      },
      {
        name: 'a secret that is not there',
        csi: { nodeStageSecretRef: { namespace: 'ns', name: 'absent' } },
        message: 'fetching NodeStageSecretRef ns/absent failed: secrets "absent" not found',
        operation: 'SetUp',
      },
    ])('A volume is held up by $name', async ({ csi, message, operation }) => {
      const { volumes, request } = await nodeWith(['STAGE_UNSTAGE_VOLUME']);
      await expect(volumes.setUp(request(podOf('u1'), volumeOf(csi)))).rejects.toMatchObject({ message, operation });
    });

    test.each([
      { call: 'nodeStageVolume', operation: 'MountDevice' },
      { call: 'nodePublishVolume', operation: 'SetUp' },
    ])('The words of the driver are shown when $call fails', async ({ call, operation }) => {
      const { volumes, plugin, request } = await nodeWith(['STAGE_UNSTAGE_VOLUME']);
      plugin.override = { [call]: () => Promise.reject(new GrpcError(GrpcCode.internal, 'no disk')) };
      await expect(volumes.setUp(request(podOf('u1'), volumeOf()))).rejects.toMatchObject({
        message: 'rpc error: code = Internal desc = no disk',
        operation,
      });
      plugin.override = {};
      await volumes.setUp(request(podOf('u1'), volumeOf()));
    });

    test.each([
      { name: 'has no object', driver: undefined, why: '(no CSIDriver object)' },
      {
        name: 'has no such volumes',
        driver: { volumeLifecycleModes: ['Persistent'] },
        why: '(only supports ["Persistent"])',
      },
    ])('A volume of a pod is refused when its driver $name', async ({ driver, why }) => {
      const { volumes, request, cluster } = await nodeWith();
      cluster.driver = driver;
      await expect(volumes.setUp(request(podOf('u1'), undefined, inline))).rejects.toThrow(
        'kubernetes.io/csi: mounter.SetUpAt failed to check volume lifecycle mode: volume mode "Ephemeral" not ' +
          `supported by driver disk.test ${why}`,
      );
    });
  });

  describe('Volumes that a controller attaches', () => {
    test('A volume is in use, then attached, then its driver hears what the attacher says', async () => {
      const { volumes, plugin, cluster, clock, request } = await nodeWith([], {});
      const setUp = volumes.setUp(request(podOf('u1'), volumeOf()));
      await expect.poll(() => clock.pending).toBe(1);
      expect(cluster.inUse).toEqual([['kubernetes.io/csi/disk.test^h1']]);
      cluster.attached = ['kubernetes.io/csi/disk.test^h1'];
      await clock.advance(300);
      await expect.poll(() => clock.pending).toBe(1);
      expect(plugin.steps()).toEqual([]);
      cluster.attachment = { attached: true, attachmentMetadata: { device: '/dev/x' } };
      await clock.advance(300);
      await setUp;
      expect(plugin.calls.at(-1)!.request).toMatchObject({ publishContext: { device: '/dev/x' } });
      await volumes.tearDown('u1');
      expect(cluster.inUse.at(-1)).toEqual([]);
    });

    test('A volume that is not attached in two minutes is an error', async () => {
      const { volumes, cluster, clock, request } = await nodeWith([], {});
      cluster.attached = ['kubernetes.io/csi/disk.test^h1'];
      const setUp = volumes.setUp(request(podOf('u1'), volumeOf()));
      setUp.catch(() => undefined);
      await expect.poll(() => clock.pending).toBe(1);
      await clock.advance(121_000);
      await expect(setUp).rejects.toThrow(
        'timed out waiting for external-attacher of disk.test CSI driver to attach volume h1',
      );
    });
  });

  test.each([
    { ability: 'GET_VOLUME_STATS' as const, used: 40 },
    { ability: 'VOLUME_CONDITION' as const, used: undefined },
  ])('The use of a volume with a driver of $ability is: $used', async ({ ability, used }) => {
    const { volumes, request, rootDirectory } = await nodeWith([ability]);
    await volumes.setUp(request(podOf('u1'), volumeOf()));
    const directory = `${rootDirectory}/pods/u1/volumes/kubernetes.io~csi/pv1`;
    expect((await volumes.usage(directory))?.usedBytes).toBe(used);
    expect(await volumes.usage(`${rootDirectory}/nowhere`)).toBeUndefined();
  });

  describe('A volume that has grown', () => {
    const claim = (size: string) =>
      ({ metadata: { name: 'c' }, status: { capacity: { storage: size } } }) as unknown as PersistentVolumeClaim;

    test('A file system follows the size of its volume', async () => {
      const { volumes, plugin, cluster, request } = await nodeWith(['STAGE_UNSTAGE_VOLUME', 'EXPAND_VOLUME']);
      await volumes.setUp(request(podOf('u1'), volumeOf(), { claim: claim('1Gi') }));
      expect(plugin.calls.at(-1)).toMatchObject({
        name: 'nodeExpandVolume',
        request: { volumeId: 'h1', capacityRange: { requiredBytes: 2n << 30n } },
      });
      expect(cluster.expanded).toEqual(['2Gi']);
      expect(cluster.events).toEqual([
        'Normal FileSystemResizeSuccessful MountVolume.NodeExpandVolume succeeded for volume "pv1" ',
      ]);
      await volumes.setUp(request(podOf('u1'), volumeOf(), { claim: claim('2Gi') }));
      expect(cluster.expanded).toEqual(['2Gi']);
    });

    test('A file system that does not grow is an event, and the pod runs', async () => {
      const { volumes, plugin, cluster, request } = await nodeWith(['EXPAND_VOLUME']);
      plugin.override = { nodeExpandVolume: () => Promise.reject(new GrpcError(GrpcCode.internal, 'too small')) };
      await volumes.setUp(request(podOf('u1'), volumeOf(), { claim: claim('1Gi') }));
      expect(cluster.events).toEqual([
        'Warning VolumeResizeFailed MountVolume.NodeExpandVolume failed for volume "pv1" : ' +
          'rpc error: code = Internal desc = too small',
      ]);
    });
  });
});
