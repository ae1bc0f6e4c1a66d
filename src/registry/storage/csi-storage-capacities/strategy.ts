import {
  validateCsiStorageCapacity,
  validateCsiStorageCapacityUpdate,
} from '../../../api/storage/csi-storage-capacities/validation.ts';
import type { CSIStorageCapacity } from '../../../api/gen/types/storage-v1.ts';
import type { ResourceStrategy } from '../../strategy.ts';

export const csiStorageCapacityStrategy: ResourceStrategy<CSIStorageCapacity> = {
  allowUnconditionalUpdate: false,
  validate: (object) => validateCsiStorageCapacity(object),
  validateUpdate: validateCsiStorageCapacityUpdate,
};
