import {
  validateLeaseCandidate,
  validateLeaseCandidateUpdate,
} from '../../../api/coordination/lease-candidates/validation.ts';
import type { LeaseCandidate } from '../../../api/gen/types/coordination-v1alpha2.ts';
import type { ResourceStrategy } from '../../strategy.ts';

export const leaseCandidateStrategy: ResourceStrategy<LeaseCandidate> = {
  allowCreateOnUpdate: true,
  allowUnconditionalUpdate: false,
  validate: validateLeaseCandidate,
  validateUpdate: validateLeaseCandidateUpdate,
};
