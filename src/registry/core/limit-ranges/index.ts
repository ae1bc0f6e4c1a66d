import { setLimitRangeDefaults } from '../../../api/core/limit-ranges/defaults.ts';
import type { LimitRange } from '../../../api/gen/types/core-v1.ts';
import { defineResource, type VersionRules } from '../../strategy.ts';
import { limitRangeStrategy } from './strategy.ts';

export const limitRanges = defineResource<LimitRange>({
  group: '',
  resource: 'limitranges',
  versions: { v1: { defaults: setLimitRangeDefaults } as VersionRules },
  strategy: limitRangeStrategy,
});
