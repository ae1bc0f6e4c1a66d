import { expect, test } from 'vitest';
import type { PersistentVolume, PersistentVolumeClaim, PersistentVolumeSpec } from '../../api/gen/types/core-v1.ts';
import { expansionOf, isGrown, isOfClaim } from './sync.ts';

const claim = (request: string, capacity?: string): PersistentVolumeClaim => ({
  metadata: { name: 'c', namespace: 'n', uid: 'u' },
  spec: { resources: { requests: { storage: request } }, volumeName: 'pv' },
  status: { phase: 'Bound', ...(capacity === undefined ? {} : { capacity: { storage: capacity } }) },
});

const volume = (spec: PersistentVolumeSpec, annotations: Record<string, string> = {}): PersistentVolume => ({
  metadata: { name: 'pv', annotations },
  spec: { claimRef: { namespace: 'n', uid: 'u' }, ...spec },
  status: {},
});

const csi = { csi: { driver: 'd.example', volumeHandle: 'h' } };
const disk = { gcePersistentDisk: { pdName: 'd' } };
const external = { message: 'waiting for an external controller to expand this PVC' };

test.each([
  { title: 'as much as there is', of: [claim('1Gi', '1Gi'), volume(csi)], is: undefined },
  { title: 'the same in other units', of: [claim('1Gi', '1024Mi'), volume(csi)], is: undefined },
  { title: 'more than there is', of: [claim('2Gi', '1Gi'), volume(csi)], is: external },
  { title: 'more than there is, of a shared folder', of: [claim('2Gi', '1Gi'), volume({ nfs: {} })], is: external },
  {
    title: 'more than there is, of a type that its driver has taken over',
    of: [claim('2Gi', '1Gi'), volume(disk)],
    is: {
      message: 'CSI migration enabled for kubernetes.io/gce-pd; waiting for external resizer to expand the pvc',
      resizer: 'pd.csi.storage.gke.io',
    },
  },
  {
    title: 'as much as there is while the file system has to follow',
    of: [claim('1Gi', '1Gi'), volume(csi, { 'volume.alpha.kubernetes.io/pre-resize-capacity': '1Gi' })],
    is: external,
  },
] as const)('A claim asks for $title', ({ of, is }) => {
  expect(expansionOf(of[0], of[1], () => true)).toEqual(is);
});

test.each([
  { title: 'a larger request', before: claim('1Gi', '1Gi'), after: claim('2Gi', '1Gi'), is: true },
  { title: 'a larger capacity', before: claim('2Gi', '1Gi'), after: claim('2Gi', '2Gi'), is: true },
  { title: 'a smaller request', before: claim('3Gi', '1Gi'), after: claim('2Gi', '1Gi'), is: false },
  { title: 'no other size', before: claim('2Gi', '1Gi'), after: claim('2Gi', '1Gi'), is: false },
])('Claims are looked at after $title: $is', ({ before, after, is }) => {
  expect(isGrown(before, after)).toBe(is);
});

test('A volume of a claim of the same name that is gone is not expanded.', () => {
  const other = { ...claim('1Gi'), metadata: { name: 'c', namespace: 'n', uid: 'later' } };
  expect([isOfClaim(volume(csi), claim('1Gi')), isOfClaim(volume(csi), other)]).toEqual([true, false]);
});
