import {
  validateResourceQuota,
  validateResourceQuotaStatusUpdate,
  validateResourceQuotaUpdate,
} from '../../../api/core/resource-quotas/validation.ts';
import type { ResourceQuota } from '../../../api/gen/types/core-v1.ts';
import type { ResourceStrategy, Strategy } from '../../strategy.ts';

export const resourceQuotaStrategy: ResourceStrategy<ResourceQuota> = {
  prepareForCreate: (object) => {
    object.status = {};
  },
  validate: validateResourceQuota,
  prepareForUpdate: (object, old) => {
    object.status = old.status;
  },
  validateUpdate: validateResourceQuotaUpdate,
  resetFields: [['status']],
};

export const resourceQuotaStatusStrategy: Strategy<ResourceQuota> = {
  prepareForUpdate: (object, old) => {
    object.spec = old.spec;
  },
  validateUpdate: validateResourceQuotaStatusUpdate,
  resetFields: [['spec']],
};
