import { validateBinding } from '../../../api/admissionregistration/mutating-admission-policy-bindings/validation.ts';
import type { MutatingAdmissionPolicyBinding } from '../../../api/gen/types/admissionregistration-v1alpha1.ts';
import type { ResourceStrategy } from '../../strategy.ts';
import { commonStrategy } from '../strategy.ts';

export const mutatingAdmissionPolicyBindingStrategy: ResourceStrategy<MutatingAdmissionPolicyBinding> = {
  ...commonStrategy,
  validate: validateBinding,
  validateUpdate: validateBinding,
};
