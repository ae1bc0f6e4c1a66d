import {
  validateDisruptionBudget,
  validateDisruptionBudgetStatusUpdate,
  validateDisruptionBudgetUpdate,
} from '../../../api/policy/pod-disruption-budgets/validation.ts';
import type { PodDisruptionBudget } from '../../../api/gen/types/policy-v1.ts';
import type { ResourceStrategy, Strategy } from '../../strategy.ts';

export const podDisruptionBudgetStrategy: ResourceStrategy<PodDisruptionBudget> = {
  generation: true,
  allowUnconditionalUpdate: false,
  prepareForCreate: (object) => {
    object.status = {};
  },
  validate: (object) => validateDisruptionBudget(object),
  prepareForUpdate: (object, old) => {
    object.status = old.status;
  },
  validateUpdate: validateDisruptionBudgetUpdate,
  resetFields: [['status']],
};

export const podDisruptionBudgetStatusStrategy: Strategy<PodDisruptionBudget> = {
  prepareForUpdate: (object, old) => {
    object.spec = old.spec;
  },
  validateUpdate: validateDisruptionBudgetStatusUpdate,
  resetFields: [['spec']],
};
