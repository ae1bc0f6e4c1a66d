import { describe, expect, test } from 'vitest';
import type { PersistentVolumeSpec, Pod, Volume } from '../../api/gen/types/core-v1.ts';
import {
  attachmentName,
  driverVolumeNamed,
  driverVolumeOf,
  mayHaveAttachable,
  pluginOf,
  resolveVolume,
  type VolumeReader,
} from './attachable-volumes.ts';

const pod: Pod = { metadata: { name: 'p', namespace: 'ns', uid: 'pod-uid' }, spec: { nodeName: 'n' }, status: {} };

interface World {
  readonly phase?: string;
  readonly claimUid?: string;
  readonly spec?: PersistentVolumeSpec;
  readonly attachRequired?: boolean;
  readonly migrated?: string;
  readonly owner?: string;
}

const csi: PersistentVolumeSpec = { csi: { driver: 'd.example', volumeHandle: 'h' }, accessModes: ['ReadWriteOnce'] };

const readerOf = ({
  phase = 'Bound',
  claimUid = 'u',
  spec = csi,
  attachRequired,
  migrated,
  owner,
}: World): VolumeReader => ({
  claim: (key) => ({
    metadata: {
      name: key.split('/')[1]!,
      uid: 'u',
      ...(owner === undefined
        ? {}
        : { ownerReferences: [{ apiVersion: 'v1', kind: 'Pod', name: 'p', uid: owner, controller: true }] }),
    },
    spec: { volumeName: 'pv', resources: {} },
    status: { phase: phase as 'Bound' },
  }),
  volume: (name) => ({
    metadata: { name },
    spec: { ...spec, claimRef: { uid: claimUid } },
    status: {},
  }),
  driver: (name) => (attachRequired === undefined ? undefined : { metadata: { name }, spec: { attachRequired } }),
  csiNode: (name) =>
    migrated === undefined
      ? undefined
      : { metadata: { name, annotations: { 'storage.alpha.kubernetes.io/migrated-plugins': migrated } }, spec: {} },
  isGateOn: () => true,
});

const claimed: Volume = { name: 'v', persistentVolumeClaim: { claimName: 'c' } };
const ephemeral: Volume = { name: 'v', ephemeral: {} };

const rows: readonly {
  readonly title: string;
  readonly volume?: Volume;
  readonly world?: World;
  readonly is: unknown;
}[] = [
  {
    title: 'a volume of a driver that is not described is attached',
    is: {
      name: 'kubernetes.io/csi/d.example^h',
      title: 'pv',
      isExclusive: true,
      attachment: { driver: 'd.example', handle: 'h', source: { persistentVolumeName: 'pv' } },
    },
  },
  { title: 'a driver may need no attachment', world: { attachRequired: false }, is: 'none' },
  {
    title: 'a volume for several readers may be on several nodes',
    world: { attachRequired: true, spec: { ...csi, accessModes: ['ReadWriteOnce', 'ReadOnlyMany'] } },
    is: expect.objectContaining({ isExclusive: false }),
  },
  {
    title: 'a volume without modes is left to its driver',
    world: { spec: { csi: csi.csi! } },
    is: expect.objectContaining({ isExclusive: false }),
  },
  { title: 'a claim that is not bound tells nothing', world: { phase: 'Pending' }, is: 'unknown' },
  { title: 'a volume of another claim tells nothing', world: { claimUid: 'other' }, is: 'unknown' },
  { title: 'the claim of an ephemeral volume is its pod’s', volume: ephemeral, world: { owner: 'x' }, is: 'unknown' },
  {
    title: 'an ephemeral volume is attached as others are',
    volume: ephemeral,
    world: { owner: 'pod-uid' },
    is: expect.objectContaining({ name: 'kubernetes.io/csi/d.example^h' }),
  },
  { title: 'a shared folder is not attached', world: { spec: { nfs: { server: 's', path: '/' } } }, is: 'none' },
  {
    title: 'a volume of iSCSI is connected by its node',
    world: { spec: { iscsi: { targetPortal: '10.0.0.1:3260', iqn: 'iqn.a', lun: 2 }, accessModes: ['ReadWriteOnce'] } },
    is: { name: 'kubernetes.io/iscsi/10.0.0.1:3260:iqn.a:2', title: 'pv', isExclusive: true },
  },
  {
    title: 'a volume of iSCSI in a pod may be in several',
    volume: { name: 'v', iscsi: { targetPortal: 'p', iqn: 'i', lun: 0 } },
    is: { name: 'kubernetes.io/iscsi/p:i:0', title: 'v', isExclusive: false },
  },
  {
    title: 'a volume of Fibre Channel has the names of its ports',
    volume: { name: 'v', fc: { targetWWNs: ['a', 'b'], lun: 1 } },
    is: { name: 'kubernetes.io/fc/[a b]:1', title: 'v', isExclusive: false },
  },
  {
    title: 'a volume of Fibre Channel may have a name of its own',
    volume: { name: 'v', fc: { wwids: ['w'] } },
    is: { name: 'kubernetes.io/fc/[w]', title: 'v', isExclusive: false },
  },
  {
    title: 'a volume of a cloud is attached by its driver where the node leaves it to that',
    world: { spec: { awsElasticBlockStore: { volumeID: 'vol-1' } }, migrated: 'kubernetes.io/aws-ebs' },
    is: expect.objectContaining({
      name: 'kubernetes.io/csi/ebs.csi.aws.com^vol-1',
      attachment: { driver: 'ebs.csi.aws.com', handle: 'vol-1', source: { persistentVolumeName: 'pv' } },
    }),
  },
  {
    title: 'a volume of a cloud is not attached to other nodes',
    world: { spec: { awsElasticBlockStore: { volumeID: 'vol-1' } }, migrated: 'kubernetes.io/cinder' },
    is: 'none',
  },
  {
    title: 'a volume of a cloud that stands in a pod goes with the attachment',
    volume: { name: 'v', awsElasticBlockStore: { volumeID: 'vol-1' } },
    world: { migrated: 'kubernetes.io/aws-ebs' },
    is: expect.objectContaining({
      title: 'ebs.csi.aws.com-vol-1',
      attachment: expect.objectContaining({
        source: { inlineVolumeSpec: expect.objectContaining({ accessModes: ['ReadWriteOnce'] }) },
      }),
    }),
  },
  { title: 'a secret is not attached', volume: { name: 'v', secret: {} }, is: 'none' },
];

test.each(rows)('Of the volumes of a pod, $title', ({ volume = claimed, world = {}, is }) => {
  expect(resolveVolume(pod, volume, 'n', readerOf(world))).toEqual(is);
});

test('Pods without such volumes are known without a look at claims.', () => {
  const withVolumes = (volumes: Volume[]): boolean => mayHaveAttachable({ ...pod, spec: { ...pod.spec, volumes } });
  expect([withVolumes([{ name: 'v', emptyDir: {} }]), withVolumes([claimed])]).toEqual([false, true]);
});

describe('names', () => {
  test('The attachment has a name of the volume, the driver and the node, as upstream', () => {
    const name = attachmentName({ driver: 'd.example', handle: 'h' }, 'n');
    expect(name).toBe('csi-c9bcba1d279a5fa4fd20367ba087d6e8df4e8a5e822d1104a6acc787250602ba');
  });

  test.each([
    ['kubernetes.io/csi/d.example^a^b', { driver: 'd.example', handle: 'a^b' }, 'kubernetes.io/csi:d.example'],
    ['kubernetes.io/iscsi/p:i:0', undefined, 'kubernetes.io/iscsi'],
    ['kubernetes.io/csi/none', undefined, 'kubernetes.io/csi'],
  ])('%s is read', (name, volume, plugin) => {
    expect([driverVolumeNamed(name), pluginOf(name)]).toEqual([volume, plugin]);
  });

  test('The volume of an attachment is found by its persistent volume, or in it', () => {
    const reader = readerOf({ spec: { cinder: { volumeID: 'c-1' } } });
    expect([
      driverVolumeOf({ persistentVolumeName: 'pv' }, reader),
      driverVolumeOf({ inlineVolumeSpec: csi }, reader),
      driverVolumeOf({ persistentVolumeName: 'pv' }, { ...reader, volume: () => undefined }),
    ]).toEqual([
      { driver: 'cinder.csi.openstack.org', handle: 'c-1' },
      { driver: 'd.example', handle: 'h' },
      undefined,
    ]);
  });
});
