import {
  validateVolumeAttributesClass,
  validateVolumeAttributesClassUpdate,
} from '../../../api/storage/volume-attributes-classes/validation.ts';
import type { VolumeAttributesClass } from '../../../api/gen/types/storage-v1beta1.ts';
import type { ResourceStrategy } from '../../strategy.ts';

export const volumeAttributesClassStrategy: ResourceStrategy<VolumeAttributesClass> = {
  validate: validateVolumeAttributesClass,
  validateUpdate: validateVolumeAttributesClassUpdate,
};
