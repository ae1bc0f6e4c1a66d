/** What plugins read of volumes and what belongs to them. */
import type { PersistentVolume, PersistentVolumeClaim } from '../../../api/gen/types/core-v1.ts';
import type {
  CSIDriver,
  CSINode,
  CSIStorageCapacity,
  StorageClass,
  VolumeAttachment,
} from '../../../api/gen/types/storage-v1.ts';
import { attachmentsOfNode, type SchedulerInformers } from '../../informers.ts';

export interface StorageReader {
  /** @param key `namespace/name` */
  claim(key: string): PersistentVolumeClaim | undefined;
  volume(name: string): PersistentVolume | undefined;
  volumes(): Iterable<PersistentVolume>;
  storageClass(name: string): StorageClass | undefined;
  csiNode(name: string): CSINode | undefined;
  csiDriver(name: string): CSIDriver | undefined;
  capacities(): Iterable<CSIStorageCapacity>;
  /** What is attached to a node, or is being attached or detached. */
  attachmentsOn(node: string): readonly VolumeAttachment[];
}

export const storageReader = (informers: SchedulerInformers): StorageReader => ({
  claim: (key) => informers.claims.objects.get(key),
  volume: (name) => informers.volumes.objects.get(name),
  volumes: () => informers.volumes.objects.values(),
  storageClass: (name) => informers.storageClasses.objects.get(name),
  csiNode: (name) => informers.csiNodes.objects.get(name),
  csiDriver: (name) => informers.csiDrivers.objects.get(name),
  capacities: () => informers.csiStorageCapacities.objects.values(),
  attachmentsOn: (node) => informers.volumeAttachments.objects.byIndex(attachmentsOfNode, node),
});

export const claimNotFound = (name: string): string => `persistentvolumeclaim "${name}" not found`;
