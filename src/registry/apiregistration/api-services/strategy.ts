import {
  validateApiService,
  validateApiServiceStatusUpdate,
  validateApiServiceUpdate,
} from '../../../api/apiregistration/api-services/validation.ts';
import type { APIService } from '../../../api/gen/types/apiregistration-v1.ts';
import { timestamp } from '../../generic/timestamp.ts';
import { keepMetadata } from '../../status-metadata.ts';
import type { ResourceStrategy, Strategy } from '../../strategy.ts';

const localCondition = (now: Date): NonNullable<APIService['status']['conditions']>[number] => ({
  type: 'Available',
  status: 'True',
  lastTransitionTime: timestamp(now),
  reason: 'Local',
  message: 'Local APIServices are always available',
});

export const apiServiceStrategy: ResourceStrategy<APIService> = {
  allowUnconditionalUpdate: false,
  prepareForCreate: (service, { now }) => {
    // What the server answers itself is there at once; of the others a controller finds out.
    service.status = service.spec.service === undefined ? { conditions: [localCondition(now)] } : {};
  },
  validate: validateApiService,
  prepareForUpdate: (service, old) => {
    service.status = old.status;
  },
  validateUpdate: validateApiServiceUpdate,
  resetFields: [['status']],
};

export const apiServiceStatusStrategy: Strategy<APIService> = {
  prepareForUpdate: (service, old) => {
    service.spec = old.spec;
    keepMetadata(service.metadata, old.metadata);
  },
  validateUpdate: validateApiServiceStatusUpdate,
  resetFields: [['spec'], ['metadata']],
};
