import { describe, expect, test } from 'vitest';
import type { PersistentVolume } from '../../api/gen/types/core-v1.ts';
import { claimOf, refTo, volumeOf } from './testing/objects.ts';
import { reclaimOf, unbound, volumeVerdict } from './volumes.ts';

const claimRef = refTo('c', 'u1');
const made = { 'pv.kubernetes.io/provisioned-by': 'csi.example.com' };
const byController = { 'pv.kubernetes.io/bound-by-controller': 'yes' };
const deleted = { claimRef, persistentVolumeReclaimPolicy: 'Delete' } as const;

test.each([
  { name: 'of no claim is free', volume: volumeOf('a'), is: { do: 'setPhase', phase: 'Available' } },
  {
    name: 'that is kept for a claim is free',
    volume: volumeOf('a', { claimRef: refTo('c') }),
    claim: claimOf(),
    is: { do: 'setPhase', phase: 'Available' },
  },
  {
    name: 'that its claim has is bound',
    claim: claimOf({ volumeName: 'a' }),
    is: { do: 'setPhase', phase: 'Bound' },
  },
  { name: 'whose claim does not know it yet wakes the claim', claim: claimOf(), is: { do: 'wakeClaim' } },
  {
    name: 'of another mode than its claim is told of',
    claim: claimOf({ volumeMode: 'Block' }),
    is: { do: 'tellOfMode' },
  },
  { name: 'whose claim is gone is released', is: { do: 'release' } },
  { name: 'whose claim has another volume is given up', claim: claimOf({ volumeName: 'b' }), is: { do: 'unbind' } },
  {
    name: 'that was made for a claim that has another volume is released',
    volume: volumeOf('a', deleted, made),
    claim: claimOf({ volumeName: 'b' }),
    is: { do: 'release' },
  },
])('A volume $name', ({ volume = volumeOf('a', { claimRef }), claim, is }) => {
  expect(volumeVerdict(volume, claim)).toEqual(is);
});

test('A volume that was chosen for a claim becomes free, and one that a user kept for a claim stays so', () => {
  expect(unbound(volumeOf('a', { claimRef }, byController))).toEqual(volumeOf('a'));
  expect(unbound(volumeOf('a', { claimRef }))).toEqual(volumeOf('a', { claimRef: refTo('c') }));
});

interface Released {
  readonly name: string;
  readonly policy: NonNullable<PersistentVolume['spec']['persistentVolumeReclaimPolicy']>;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly spec?: Partial<PersistentVolume['spec']>;
  readonly metadata?: Partial<PersistentVolume['metadata']>;
  readonly hostPath?: boolean;
  /** That are on; all when absent. */
  readonly gates?: readonly string[];
  readonly is: string;
}

const madeBy = (provisioner: string): Record<string, string> => ({ 'pv.kubernetes.io/provisioned-by': provisioner });
const folder = { hostPath: { path: '/tmp/hostpath_pv/0d8c0d5e-6d3b-4a3e-9f2f-0f3c7f6f9c11' } };
const ending = { deletionTimestamp: '2026-01-01T00:00:00Z' };
const noDeleter =
  'VolumeFailedDelete: error getting deleter volume plugin for volume "a": no deletable volume plugin matched';

describe('a volume that is released', () => {
  test.each<Released>([
    { name: 'is retained', policy: 'Retain', is: 'nothing' },
    {
      name: 'cannot be recycled when no pod can have it',
      policy: 'Recycle',
      is: 'VolumeFailedRecycle: No recycler plugin found for the volume!',
    },
    { name: 'is emptied when it is a folder', policy: 'Recycle', spec: { hostPath: { path: '/a' } }, is: 'recycle' },
    { name: 'is emptied when it is a share', policy: 'Recycle', spec: { nfs: { server: 's' } }, is: 'recycle' },
    { name: 'cannot be deleted by no provisioner', policy: 'Delete', is: noDeleter },
    {
      name: 'cannot be deleted by a provisioner that would be here',
      policy: 'Delete',
      annotations: madeBy('kubernetes.io/x'),
      is: 'VolumeFailedDelete: no volume plugin matched name: kubernetes.io/x',
    },
    { name: 'is left to its provisioner', policy: 'Delete', annotations: made, is: 'nothing' },
    {
      name: 'is left to the driver that took its type over',
      policy: 'Delete',
      annotations: madeBy('kubernetes.io/aws-ebs'),
      is: 'nothing',
    },
    {
      name: 'is left to the driver that it is marked with',
      policy: 'Delete',
      annotations: { 'pv.kubernetes.io/migrated-to': 'csi.example.com' },
      is: 'nothing',
    },
    { name: 'stays a folder without hostPath provisioning', policy: 'Delete', spec: folder, is: noDeleter },
    {
      name: 'is deleted with its folder',
      policy: 'Delete',
      spec: folder,
      annotations: madeBy('kubernetes.io/host-path'),
      hostPath: true,
      is: 'deleteFolder',
    },
    {
      name: 'stays when its folder is another one',
      policy: 'Delete',
      spec: { hostPath: { path: '/tmp/hostpath_pv/../x' } },
      hostPath: true,
      is:
        'VolumeFailedDelete: host_path deleter only supports /tmp/hostpath_pv/.+ but received provided ' +
        '/tmp/hostpath_pv/../x',
    },
    {
      name: 'is left to its driver when nothing says who made it',
      policy: 'Delete',
      spec: { csi: { driver: 'csi.example.com', volumeHandle: 'h' } },
      is: 'nothing',
    },
    {
      name: 'of a driver cannot be deleted here without the gate',
      policy: 'Delete',
      spec: { csi: { driver: 'csi.example.com', volumeHandle: 'h' } },
      gates: [],
      is: noDeleter,
    },
    {
      name: 'that is being deleted is left to others without the gate',
      policy: 'Delete',
      spec: folder,
      metadata: ending,
      hostPath: true,
      gates: [],
      is: 'nothing',
    },
    {
      name: 'that is being deleted is deleted with its folder',
      policy: 'Delete',
      spec: folder,
      metadata: ending,
      hostPath: true,
      is: 'deleteFolder',
    },
    {
      name: 'that is being deleted is deleted with its folder while it has the finalizer',
      policy: 'Delete',
      spec: folder,
      metadata: { ...ending, finalizers: ['kubernetes.io/pv-controller'] },
      hostPath: true,
      is: 'deleteFolder',
    },
  ])('A volume that is released: $name', ({ policy, annotations, spec, metadata, hostPath = false, gates, is }) => {
    const volume = volumeOf('a', { claimRef, persistentVolumeReclaimPolicy: policy, ...spec }, annotations);
    const verdict = reclaimOf(
      { ...volume, metadata: { ...volume.metadata, ...metadata } },
      { isHostPathEnabled: hostPath, isGateOn: (gate) => gates === undefined || gates.includes(gate) },
    );
    const shown = verdict.do === 'fail' ? `${verdict.notice.reason}: ${verdict.notice.message}` : verdict.do;
    expect(shown).toBe(is);
  });
});
