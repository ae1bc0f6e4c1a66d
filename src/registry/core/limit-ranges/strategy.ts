import { randomUUID } from 'node:crypto';
import { validateLimitRange } from '../../../api/core/limit-ranges/validation.ts';
import type { LimitRange } from '../../../api/gen/types/core-v1.ts';
import type { ResourceStrategy } from '../../strategy.ts';

export const limitRangeStrategy: ResourceStrategy<LimitRange> = {
  allowCreateOnUpdate: true,
  // The one kind that gets a name without having asked for one.
  prepareForCreate: ({ metadata }) => {
    if ((metadata.name ?? '') === '') metadata.name = randomUUID();
  },
  validate: validateLimitRange,
  validateUpdate: validateLimitRange,
};
