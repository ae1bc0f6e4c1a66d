import {
  validateNetworkPolicy,
  validateNetworkPolicyUpdate,
} from '../../../api/networking/network-policies/validation.ts';
import type { NetworkPolicy } from '../../../api/gen/types/networking-v1.ts';
import type { ResourceStrategy } from '../../strategy.ts';

export const networkPolicyStrategy: ResourceStrategy<NetworkPolicy> = {
  validate: validateNetworkPolicy,
  validateUpdate: validateNetworkPolicyUpdate,
  generation: true,
};
