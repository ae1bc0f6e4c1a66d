import { describe, expect, test } from 'vitest';
import type { PersistentVolumeClaimSpec } from '../../api/gen/types/core-v1.ts';
import type { StorageClass } from '../../api/gen/types/storage-v1.ts';
import { hostPathVolume, isOwnFolder, volumeNameFor } from './host-path.ts';
import { markedClaim, markedVolume } from './migration-marks.ts';
import { type Provisioning, provisioningOf } from './provisioning.ts';
import { claimOf, volumeOf } from './testing/objects.ts';

const hostPath = 'kubernetes.io/host-path';
const all = (): boolean => true;
const none = (): boolean => false;

function shown(provisioning: Provisioning): string {
  if (provisioning.by === 'driver') return provisioning.driver;
  if (provisioning.by === 'no one') return provisioning.notice.message;
  const { problem } = provisioning;
  if (problem === undefined) return provisioning.by;
  return `${problem.isOfNode ? 'on another node: ' : ''}${problem.notice.message}`;
}

interface Row {
  readonly name: string;
  readonly storageClass?: Partial<StorageClass>;
  readonly claim?: Partial<PersistentVolumeClaimSpec>;
  readonly disabled?: boolean;
  readonly is: string;
}

describe('the volume of a claim is made', () => {
  test.each<Row>([
    { name: 'by no one without a class', is: 'storageclass.storage.k8s.io "k" not found' },
    { name: 'by a driver', storageClass: { provisioner: 'csi.example.com' }, is: 'csi.example.com' },
    {
      name: 'by the driver that took a type over',
      storageClass: { provisioner: 'kubernetes.io/cinder' },
      is: 'cinder.csi.openstack.org',
    },
    {
      name: 'by no plugin of an unknown name',
      storageClass: { provisioner: 'kubernetes.io/rbd' },
      is: 'no volume plugin matched name: kubernetes.io/rbd',
    },
    {
      name: 'by no plugin for shares',
      storageClass: { provisioner: 'kubernetes.io/nfs' },
      is: 'no provisionable volume plugin matched',
    },
    { name: 'as a folder', storageClass: { provisioner: hostPath }, is: 'host path' },
    {
      name: 'as no folder unless that is enabled',
      storageClass: { provisioner: hostPath },
      disabled: true,
      is: 'Failed to create provisioner: provisioning in volume plugin "kubernetes.io/host-path" is disabled',
    },
    {
      name: 'as no folder with mount options',
      storageClass: { provisioner: hostPath, mountOptions: ['a', 'b'] },
      is: 'Mount options are not supported by the provisioner but StorageClass "k" has mount options [a b]',
    },
    {
      name: 'as no folder for blocks',
      storageClass: { provisioner: hostPath },
      claim: { volumeMode: 'Block' },
      is:
        'on another node: Failed to provision volume with StorageClass "k": ' +
        'kubernetes.io/host-path does not support block volume provisioning',
    },
    {
      name: 'as no folder with data in it',
      storageClass: { provisioner: hostPath },
      claim: { dataSource: { kind: 'VolumeSnapshot', name: 's' } },
      is:
        'plugin "kubernetes.io/host-path" is not a CSI plugin. ' +
        'Only CSI plugin can provision a claim with a datasource',
    },
  ])('The volume of a claim: $name', ({ storageClass, claim, disabled = false, is }) => {
    const found = storageClass === undefined ? undefined : { metadata: { name: 'k' }, ...storageClass };
    const options = { isHostPathEnabled: !disabled, isGateOn: all };
    expect(shown(provisioningOf(claimOf(claim), 'k', found, options))).toBe(is);
  });
});

describe('a folder', () => {
  const storageClass = { metadata: { name: 'k' }, provisioner: hostPath };

  test('Becomes the volume of the claim, and is deleted with it', () => {
    const volume = hostPathVolume(claimOf(), storageClass, '/tmp/hostpath_pv/x', all);
    expect(volume.metadata).toMatchObject({
      name: volumeNameFor(claimOf()),
      finalizers: ['kubernetes.io/pv-controller'],
      annotations: { 'pv.kubernetes.io/provisioned-by': hostPath, 'pv.kubernetes.io/bound-by-controller': 'yes' },
    });
    expect(volume.spec).toMatchObject({
      accessModes: ['ReadWriteOnce'],
      capacity: { storage: '2Gi' },
      claimRef: { namespace: 'n', name: 'c', uid: 'u1' },
      hostPath: { path: '/tmp/hostpath_pv/x' },
      persistentVolumeReclaimPolicy: 'Delete',
      storageClassName: 'k',
    });
  });

  test.each([
    { title: 'a class that retains volumes', reclaimPolicy: 'Retain' as const, isGateOn: all },
    { title: 'the gate HonorPVReclaimPolicy off', reclaimPolicy: 'Delete' as const, isGateOn: none },
  ])('A volume that is a folder has no finalizer with $title', ({ reclaimPolicy, isGateOn }) => {
    const volume = hostPathVolume(claimOf(), { ...storageClass, reclaimPolicy }, '/x', isGateOn);
    expect(volume.metadata.finalizers).toBeUndefined();
  });

  test.each([
    ['/tmp/hostpath_pv/0d8c0d5e-6d3b-4a3e-9f2f-0f3c7f6f9c11', true],
    ['/tmp/hostpath_pv/0d8c0d5e-6d3b-4a3e-9f2f-0f3c7f6f9c11/..', false],
    ['/tmp/hostpath_pv/', false],
    ['/tmp/hostpath_pv/../../etc', false],
    ['/home/tmp/hostpath_pv/0d8c0d5e-6d3b-4a3e-9f2f-0f3c7f6f9c11', false],
    ['/etc', false],
  ])('%s is one that may be deleted: %s', (path, is) => {
    expect(isOwnFolder(path)).toBe(is);
  });
});

describe('marks of volumes and claims from before CSI', () => {
  const mark = 'pv.kubernetes.io/migrated-to';
  const provisioner = 'volume.kubernetes.io/storage-provisioner';
  const beta = 'volume.beta.kubernetes.io/storage-provisioner';
  test.each<{ title: string; annotations: Record<string, string>; is: string | undefined }>([
    { title: 'is marked', annotations: { [provisioner]: 'kubernetes.io/aws-ebs' }, is: 'ebs.csi.aws.com' },
    {
      title: 'is marked by the older annotation',
      annotations: { [beta]: 'kubernetes.io/gce-pd' },
      is: 'pd.csi.storage.gke.io',
    },
    { title: 'loses a mark that is wrong', annotations: { [provisioner]: 'x.example', [mark]: 'y' }, is: undefined },
    {
      title: 'is left when it is marked',
      annotations: { [provisioner]: 'kubernetes.io/aws-ebs', [mark]: 'ebs.csi.aws.com' },
      is: 'none',
    },
    { title: 'is left when it names none', annotations: { [mark]: 'y' }, is: 'none' },
  ])('A claim of a provisioner $title', ({ annotations, is }) => {
    const marked = markedClaim(claimOf({}, annotations), all);
    expect(marked === undefined ? 'none' : marked.metadata.annotations?.[mark]).toBe(is);
  });

  const by = (name: string): Record<string, string> => ({ 'pv.kubernetes.io/provisioned-by': name });
  const kept = ['kubernetes.io/pv-controller'];
  test.each([
    {
      title: 'of a type that a driver took over has its mark',
      made: by('kubernetes.io/aws-ebs'),
      finalizers: kept,
      is: ['ebs.csi.aws.com', []],
    },
    { title: 'that is deleted here has the finalizer', made: by(hostPath), policy: 'Delete', is: [undefined, kept] },
    { title: 'that is retained does not', made: by(hostPath), policy: 'Retain', finalizers: kept, is: [undefined, []] },
    { title: 'of a driver is left', made: by('x.example'), policy: 'Delete', is: 'left' },
    { title: 'of a user is left', made: {}, policy: 'Delete', is: 'left' },
    { title: 'is left with the gate off', made: by(hostPath), policy: 'Delete', gate: none, is: 'left' },
    { title: 'that is being deleted gets none', made: by(hostPath), policy: 'Delete', ending: true, is: 'left' },
  ])('A volume $title', ({ made, policy, finalizers, ending = false, gate = all, is }) => {
    const volume = volumeOf('a', { persistentVolumeReclaimPolicy: policy as 'Delete' }, made);
    const metadata = {
      ...volume.metadata,
      ...(finalizers === undefined ? {} : { finalizers }),
      ...(ending ? { deletionTimestamp: '2026-01-01T00:00:00Z' } : {}),
    };
    const marked = markedVolume({ ...volume, metadata }, gate);
    expect(marked === undefined ? 'left' : [marked.metadata.annotations?.[mark], marked.metadata.finalizers]).toEqual(
      is,
    );
  });
});
