import { describe, expect, test } from 'vitest';
import type { PersistentVolume } from '../../api/gen/types/core-v1.ts';
import { claimOf, refTo, volumeOf } from './testing/objects.ts';
import { reclaimProblem, unbound, volumeVerdict } from './volumes.ts';

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
  readonly reason: string | undefined;
}

describe('a volume that is released', () => {
  test.each<Released>([
    { name: 'is retained', policy: 'Retain', reason: undefined },
    { name: 'cannot be recycled', policy: 'Recycle', reason: 'VolumeFailedRecycle' },
    { name: 'cannot be deleted by no provisioner', policy: 'Delete', reason: 'VolumeFailedDelete' },
    {
      name: 'cannot be deleted by a provisioner that would be here',
      policy: 'Delete',
      annotations: { 'pv.kubernetes.io/provisioned-by': 'kubernetes.io/x' },
      reason: 'VolumeFailedDelete',
    },
    { name: 'is left to its provisioner', policy: 'Delete', annotations: made, reason: undefined },
    {
      name: 'is left to the driver that took it over',
      policy: 'Delete',
      annotations: { 'pv.kubernetes.io/migrated-to': 'csi.example.com' },
      reason: undefined,
    },
  ])('A volume that is released: $name', ({ policy, annotations, reason }) => {
    const volume = volumeOf('a', { claimRef, persistentVolumeReclaimPolicy: policy }, annotations);
    expect(reclaimProblem(volume)?.reason).toBe(reason);
  });
});
