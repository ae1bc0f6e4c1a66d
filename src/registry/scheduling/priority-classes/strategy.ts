import {
  validatePriorityClass,
  validatePriorityClassUpdate,
} from '../../../api/scheduling/priority-classes/validation.ts';
import type { PriorityClass } from '../../../api/gen/types/scheduling-v1.ts';
import type { ResourceStrategy } from '../../strategy.ts';

export const priorityClassStrategy: ResourceStrategy<PriorityClass> = {
  // It has a generation that does not count.
  prepareForCreate: ({ metadata }) => {
    metadata.generation = 1;
  },
  validate: validatePriorityClass,
  validateUpdate: validatePriorityClassUpdate,
};
