import { validateServiceCidr, validateServiceCidrUpdate } from '../../../api/networking/service-cidrs/validation.ts';
import type { ServiceCIDR } from '../../../api/gen/types/networking-v1beta1.ts';
import { validateBuiltInMetaUpdate } from '../../../api/meta/object-meta.ts';
import type { ResourceStrategy, Strategy } from '../../strategy.ts';

export const serviceCidrStrategy: ResourceStrategy<ServiceCIDR> = {
  validate: validateServiceCidr,
  validateUpdate: validateServiceCidrUpdate,
};

export const serviceCidrStatusStrategy: Strategy<ServiceCIDR> = {
  prepareForUpdate(range, old) {
    range.spec = old.spec;
  },
  validateUpdate: (range, old) => validateBuiltInMetaUpdate(range.metadata, old.metadata),
  resetFields: [['spec']],
};
