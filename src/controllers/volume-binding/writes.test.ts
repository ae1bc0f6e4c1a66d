import { expect, test } from 'vitest';
import { claimOf, refTo, volumeOf } from './testing/objects.ts';
import {
  boundClaim,
  boundStatus,
  boundVolume,
  claimForProvisioner,
  claimWithoutNode,
  volumelessStatus,
} from './writes.ts';

const bindCompleted = { 'pv.kubernetes.io/bind-completed': 'yes' };
const byController = { 'pv.kubernetes.io/bound-by-controller': 'yes' };
const provisioners = {
  'volume.beta.kubernetes.io/storage-provisioner': 'csi.example.com',
  'volume.kubernetes.io/storage-provisioner': 'csi.example.com',
};

test.each([
  { name: 'that was chosen is marked so', volume: volumeOf('a'), is: byController },
  { name: 'that was kept is not', volume: volumeOf('a', { claimRef: refTo('c') }), is: undefined },
])('A volume $name', ({ volume, is }) => {
  const bound = boundVolume(volume, claimOf());
  expect(bound?.spec.claimRef).toMatchObject({ kind: 'PersistentVolumeClaim', namespace: 'n', name: 'c', uid: 'u1' });
  expect(bound?.metadata.annotations).toEqual(is);
  expect(boundVolume(bound!, claimOf())).toBeUndefined();
});

test.each([
  { name: 'without a volume', claim: claimOf(), is: { ...byController, ...bindCompleted } },
  { name: 'that names the volume', claim: claimOf({ volumeName: 'a' }), is: bindCompleted },
])('A claim $name says how it got the volume', ({ claim, is }) => {
  const bound = boundClaim(claim, 'a');
  expect(bound).toEqual(claimOf({ volumeName: 'a' }, is));
  expect(boundClaim(bound!, 'a')).toBeUndefined();
});

test('A claim tells its provisioner once that a volume is wanted', () => {
  const asked = claimForProvisioner(claimOf(), 'csi.example.com');
  expect(asked).toEqual(claimOf({}, provisioners));
  expect(claimForProvisioner(asked!, 'csi.example.com')).toBeUndefined();
});

test('A claim has the size and the access modes of its volume when it gets it', () => {
  const large = volumeOf('a', { capacity: { storage: '3Gi' } });
  const status = boundStatus(claimOf(), large)!;
  expect(status).toEqual({ phase: 'Bound', accessModes: ['ReadWriteOnce'], capacity: { storage: '3Gi' } });
  const grown = volumeOf('a', { capacity: { storage: '5Gi' } });
  expect(boundStatus({ ...claimOf(), status }, grown), 'resizing is not for the binder').toBeUndefined();
  expect(volumelessStatus({ ...claimOf(), status }, 'Lost')).toEqual({ phase: 'Lost' });
  expect(volumelessStatus(claimOf(), 'Pending')).toBeUndefined();
});

test.each([
  { name: 'as it was', annotation: '1Gi', capacity: { storage: '1Gi' } },
  { name: 'of the volume where it says no size', annotation: 'much', capacity: { storage: '3Gi' } },
])('A claim of a volume that grew before its file system has the size $name', ({ annotation, capacity }) => {
  const annotations = { 'volume.alpha.kubernetes.io/pre-resize-capacity': annotation };
  const grown = volumeOf('a', { capacity: { storage: '3Gi' } }, annotations);
  expect(boundStatus(claimOf(), grown)?.capacity).toEqual(capacity);
});

test('A claim gives up the node that was chosen for it, and keeps what else is said of it', () => {
  const annotations = { 'volume.kubernetes.io/selected-node': 'n1', a: 'b' };
  expect(claimWithoutNode(claimOf({}, annotations))?.metadata.annotations).toEqual({ a: 'b' });
  expect(claimWithoutNode(claimOf({}, { a: 'b' }))).toBeUndefined();
});

test('A volume without a size is an error', () => {
  expect(() => boundStatus(claimOf(), volumeOf('a', { capacity: {} }))).toThrow(
    'PersistentVolume "a" is without a storage capacity',
  );
});
