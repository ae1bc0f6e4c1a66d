import type { ResourceClaim, ResourceClaimTemplate } from '../../api/gen/types/resource-v1beta1.ts';
import { defineResource, type ResourceDefinition } from '../strategy.ts';
import { resourceClaimTemplateStrategy } from './resource-claim-templates/strategy.ts';
import { resourceClaimStatusStrategy, resourceClaimStrategy } from './resource-claims/strategy.ts';

const group = 'resource.k8s.io';

export const definitions: readonly ResourceDefinition[] = [
  defineResource<ResourceClaim>({
    group,
    resource: 'resourceclaims',
    strategy: resourceClaimStrategy,
    status: resourceClaimStatusStrategy,
  }),
  defineResource<ResourceClaimTemplate>({
    group,
    resource: 'resourceclaimtemplates',
    strategy: resourceClaimTemplateStrategy,
  }),
];
