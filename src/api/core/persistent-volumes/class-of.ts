import type { PersistentVolume, PersistentVolumeClaim } from '../../gen/types/core-v1.ts';
import type { StorageClass } from '../../gen/types/storage-v1.ts';

/** The class of claims and volumes from before there was a field for it. */
const classAnnotation = 'volume.beta.kubernetes.io/storage-class';

export const classOf = ({ metadata, spec }: PersistentVolumeClaim | PersistentVolume): string =>
  metadata.annotations?.[classAnnotation] ?? spec.storageClassName ?? '';

export const waitsForConsumer = (storageClass: StorageClass | undefined): boolean =>
  storageClass?.volumeBindingMode === 'WaitForFirstConsumer';

export const noProvisioner = 'kubernetes.io/no-provisioner';

/** The claim says which class it wants, be it none. */
export const namesClass = ({ metadata, spec }: PersistentVolumeClaim): boolean =>
  metadata.annotations?.[classAnnotation] !== undefined || spec.storageClassName !== undefined;
