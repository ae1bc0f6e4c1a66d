/** Makers of volumes, claims and classes for tests, and a reader of them. */
import type { PersistentVolume, PersistentVolumeClaim, Volume } from '../../api/gen/types/core-v1.ts';
import type {
  CSIDriver,
  CSINode,
  CSIStorageCapacity,
  StorageClass,
  VolumeAttachment,
} from '../../api/gen/types/storage-v1.ts';
import type { ObjectMeta } from '../../api/gen/types/meta-v1.ts';
import type { StorageReader } from '../plugins/volumes/storage-reader.ts';

export interface TestStorage {
  readonly claims?: readonly PersistentVolumeClaim[];
  readonly volumes?: readonly PersistentVolume[];
  readonly classes?: readonly StorageClass[];
  readonly csiNodes?: readonly CSINode[];
  readonly csiDrivers?: readonly CSIDriver[];
  readonly capacities?: readonly CSIStorageCapacity[];
  readonly attachments?: readonly VolumeAttachment[];
}

/** What is changed in it later is read then. */
export function testStorage(all: TestStorage): StorageReader {
  const named = <T extends { readonly metadata: ObjectMeta }>(
    objects: readonly T[] = [],
    name: string,
  ): T | undefined => objects.find(({ metadata }) => metadata.name === name);
  return {
    claim: (key) => all.claims?.find(({ metadata }) => `${metadata.namespace ?? ''}/${metadata.name ?? ''}` === key),
    volume: (name) => named(all.volumes, name),
    volumes: () => all.volumes ?? [],
    storageClass: (name) => named(all.classes, name),
    csiNode: (name) => named(all.csiNodes, name),
    csiDriver: (name) => named(all.csiDrivers, name),
    capacities: () => all.capacities ?? [],
    attachmentsOn: (node) => (all.attachments ?? []).filter(({ spec }) => spec.nodeName === node),
  };
}

interface TestClaim {
  readonly metadata?: ObjectMeta;
  readonly spec?: Partial<PersistentVolumeClaim['spec']>;
  readonly phase?: 'Pending' | 'Bound' | 'Lost';
}

/** With a volume it is bound to it. */
export function claim(
  name: string,
  { metadata = {}, spec = {}, phase = 'Pending' }: TestClaim = {},
): PersistentVolumeClaim {
  const bound = spec.volumeName === undefined ? {} : { annotations: { 'pv.kubernetes.io/bind-completed': 'yes' } };
  return {
    metadata: { name, namespace: 'default', uid: `uid-${name}`, resourceVersion: '5', ...bound, ...metadata },
    spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } }, ...spec },
    status: { phase },
  };
}

export function volume(
  name: string,
  { metadata = {}, spec = {} }: { metadata?: ObjectMeta; spec?: Partial<PersistentVolume['spec']> } = {},
): PersistentVolume {
  return {
    metadata: { name, resourceVersion: '5', ...metadata },
    spec: { capacity: { storage: '1Gi' }, accessModes: ['ReadWriteOnce'], ...spec },
    status: { phase: 'Available' },
  } as PersistentVolume;
}

export const storageClass = (name: string, more: Partial<StorageClass> = {}): StorageClass => ({
  metadata: { name },
  provisioner: 'csi.example.com',
  volumeBindingMode: 'WaitForFirstConsumer',
  ...more,
});

/** The volume of a pod that is the claim's. */
export const claimVolume = (claimName: string): Volume =>
  ({ name: claimName, persistentVolumeClaim: { claimName } }) as Volume;

export const onNode = (label: string, ...values: string[]): NonNullable<PersistentVolume['spec']['nodeAffinity']> => ({
  required: { nodeSelectorTerms: [{ matchExpressions: [{ key: label, operator: 'In', values }] }] },
});
