import { validateIpAddress, validateIpAddressUpdate } from '../../../api/networking/ip-addresses/validation.ts';
import type { IPAddress } from '../../../api/gen/types/networking-v1beta1.ts';
import type { ResourceStrategy } from '../../strategy.ts';

export const ipAddressStrategy: ResourceStrategy<IPAddress> = {
  validate: validateIpAddress,
  validateUpdate: validateIpAddressUpdate,
};
