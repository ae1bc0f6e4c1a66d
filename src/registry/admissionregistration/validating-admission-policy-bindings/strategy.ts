import { validateBinding } from '../../../api/admissionregistration/validating-admission-policy-bindings/validation.ts';
import type { ValidatingAdmissionPolicyBinding } from '../../../api/gen/types/admissionregistration-v1.ts';
import type { ResourceStrategy } from '../../strategy.ts';
import { commonStrategy } from '../strategy.ts';

export const validatingAdmissionPolicyBindingStrategy: ResourceStrategy<ValidatingAdmissionPolicyBinding> = {
  ...commonStrategy,
  validate: validateBinding,
  validateUpdate: validateBinding,
};
