import {
  validatePolicy,
  validatePolicyStatusUpdate,
} from '../../../api/admissionregistration/validating-admission-policies/validation.ts';
import type { ValidatingAdmissionPolicy } from '../../../api/gen/types/admissionregistration-v1.ts';
import { keepMetadata } from '../../status-metadata.ts';
import type { ResourceStrategy, Strategy } from '../../strategy.ts';
import { commonStrategy } from '../strategy.ts';

export const validatingAdmissionPolicyStrategy: ResourceStrategy<ValidatingAdmissionPolicy> = {
  ...commonStrategy,
  prepareForCreate: (policy) => {
    policy.status = {};
  },
  validateInTurns: validatePolicy,
  prepareForUpdate: (policy, old) => {
    policy.status = old.status;
  },
  resetFields: [['status']],
};

export const validatingAdmissionPolicyStatusStrategy: Strategy<ValidatingAdmissionPolicy> = {
  prepareForUpdate: (policy, old) => {
    policy.spec = old.spec;
    keepMetadata(policy.metadata, old.metadata);
  },
  validateUpdate: validatePolicyStatusUpdate,
  resetFields: [['metadata'], ['spec']],
};
