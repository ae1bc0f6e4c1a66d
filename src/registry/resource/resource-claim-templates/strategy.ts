import type { ResourceClaimTemplate } from '../../../api/gen/types/resource-v1beta1.ts';
import { subdomainName } from '../../../api/meta/name-rules.ts';
import { validateBuiltInMeta, validateBuiltInMetaUpdate } from '../../../api/meta/object-meta.ts';
import { validateResourceClaimTemplate } from '../../../api/resource/resource-claim-templates/validation.ts';
import type { ResourceStrategy } from '../../strategy.ts';
import { dropDisabledFields } from '../disabled-fields.ts';

export const resourceClaimTemplateStrategy: ResourceStrategy<ResourceClaimTemplate> = {
  prepareForCreate: ({ spec }, context) => dropDisabledFields(spec, undefined, context),
  validate: ({ metadata }) => validateBuiltInMeta(metadata, { namespaced: true, validateName: subdomainName }),
  prepareForUpdate: ({ spec }, old, context) => dropDisabledFields(spec, old.spec, context),
  validateUpdate: ({ metadata }, old) => validateBuiltInMetaUpdate(metadata, old.metadata),
  validateInTurns: validateResourceClaimTemplate,
};
