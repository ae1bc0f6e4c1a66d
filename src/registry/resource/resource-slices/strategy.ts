import type { ResourceSlice } from '../../../api/gen/types/resource-v1beta1.ts';
import {
  validateResourceSlice,
  validateResourceSliceUpdate,
} from '../../../api/resource/resource-slices/validation.ts';
import type { ResourceStrategy } from '../../strategy.ts';

export const resourceSliceStrategy: ResourceStrategy<ResourceSlice> = {
  generation: true,
  validate: validateResourceSlice,
  validateUpdate: validateResourceSliceUpdate,
};
