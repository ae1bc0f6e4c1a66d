import { randomUUID } from 'node:crypto';
import { setLimitRangeDefaults } from '../../../api/core/limit-ranges/defaults.ts';
import { validateLimitRange } from '../../../api/core/limit-ranges/validation.ts';
import type { LimitRange } from '../../../api/gen/types/core-v1.ts';
import { defineResource, type VersionRules } from '../../strategy.ts';

export const limitRanges = defineResource<LimitRange>({
  group: '',
  resource: 'limitranges',
  versions: { v1: { defaults: setLimitRangeDefaults } as VersionRules },
  strategy: {
    allowCreateOnUpdate: true,
    // The one kind that gets a name without having asked for one.
    prepareForCreate: ({ metadata }) => {
      if ((metadata.name ?? '') === '') metadata.name = randomUUID();
    },
    validate: validateLimitRange,
    validateUpdate: validateLimitRange,
  },
});
