import type { ResourceDefinition } from '../strategy.ts';
import { storageClasses, volumeAttributesClasses } from './classes.ts';
import { csiDrivers, csiNodes, csiStorageCapacities } from './csi.ts';
import { volumeAttachments } from './volume-attachments.ts';

export const storage: readonly ResourceDefinition[] = [
  csiDrivers,
  csiNodes,
  csiStorageCapacities,
  storageClasses,
  volumeAttachments,
  volumeAttributesClasses,
];
