/** What plugins read of volumes and what belongs to them. */
import type { PersistentVolume, PersistentVolumeClaim, Pod } from '../../../api/gen/types/core-v1.ts';
import type { CSIDriver, CSINode, CSIStorageCapacity, StorageClass } from '../../../api/gen/types/storage-v1.ts';
import type { SchedulerInformers } from '../../informers.ts';
import { ephemeralClaimName } from '../../state/pod-info.ts';

export interface StorageReader {
  /** @param key `namespace/name` */
  claim(key: string): PersistentVolumeClaim | undefined;
  volume(name: string): PersistentVolume | undefined;
  volumes(): Iterable<PersistentVolume>;
  storageClass(name: string): StorageClass | undefined;
  csiNode(name: string): CSINode | undefined;
  csiDriver(name: string): CSIDriver | undefined;
  capacities(): Iterable<CSIStorageCapacity>;
}

export const storageReader = (informers: SchedulerInformers): StorageReader => ({
  claim: (key) => informers.claims.objects.get(key),
  volume: (name) => informers.volumes.objects.get(name),
  volumes: () => informers.volumes.objects.values(),
  storageClass: (name) => informers.storageClasses.objects.get(name),
  csiNode: (name) => informers.csiNodes.objects.get(name),
  csiDriver: (name) => informers.csiDrivers.objects.get(name),
  capacities: () => informers.csiStorageCapacities.objects.values(),
});

/** A claim that a volume of a pod names. */
export interface NamedClaim {
  readonly key: string;
  readonly name: string;
  /** The claim is made for the pod, and goes with it. */
  readonly isEphemeral: boolean;
}

export function namedClaims({ metadata, spec }: Pod): NamedClaim[] {
  const { namespace = '', name: podName = '' } = metadata;
  return (spec.volumes ?? []).flatMap(({ name: volume = '', persistentVolumeClaim, ephemeral }) => {
    const isEphemeral = persistentVolumeClaim === undefined && ephemeral !== undefined;
    const name = isEphemeral ? ephemeralClaimName(podName, volume) : persistentVolumeClaim?.claimName;
    return name === undefined ? [] : [{ key: `${namespace}/${name}`, name, isEphemeral }];
  });
}

export const claimNotFound = (name: string): string => `persistentvolumeclaim "${name}" not found`;
