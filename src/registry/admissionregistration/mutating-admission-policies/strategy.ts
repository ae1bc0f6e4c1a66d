import { validateMutatingPolicy } from '../../../api/admissionregistration/mutating-admission-policies/validation.ts';
import type { MutatingAdmissionPolicy } from '../../../api/gen/types/admissionregistration-v1alpha1.ts';
import type { ResourceStrategy } from '../../strategy.ts';
import { commonStrategy } from '../strategy.ts';

export const mutatingAdmissionPolicyStrategy: ResourceStrategy<MutatingAdmissionPolicy> = {
  ...commonStrategy,
  validateInTurns: validateMutatingPolicy,
};
