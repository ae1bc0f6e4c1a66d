import type { ResourceClaimTemplate } from '../../../api/gen/types/resource-v1beta1.ts';
import { defaultStrategy } from '../../generic/strategy.ts';
import type { ResourceStrategy } from '../../strategy.ts';
import { dropDisabledFields } from '../disabled-fields.ts';

const { validate, validateUpdate } = defaultStrategy(true) as ResourceStrategy<ResourceClaimTemplate>;

export const resourceClaimTemplateStrategy: ResourceStrategy<ResourceClaimTemplate> = {
  prepareForCreate: ({ spec }, context) => dropDisabledFields(spec, undefined, context),
  validate: validate!,
  prepareForUpdate: ({ spec }, old, context) => dropDisabledFields(spec, old.spec, context),
  validateUpdate: validateUpdate!,
};
