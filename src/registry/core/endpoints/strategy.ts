import { validateEndpoints, validateEndpointsUpdate } from '../../../api/core/endpoints/validation.ts';
import type { Endpoints } from '../../../api/gen/types/core-v1.ts';
import type { ResourceStrategy } from '../../strategy.ts';

export const endpointsStrategy: ResourceStrategy<Endpoints> = {
  validate: (endpoints) => validateEndpoints(endpoints),
  validateUpdate: validateEndpointsUpdate,
  allowCreateOnUpdate: true,
};
