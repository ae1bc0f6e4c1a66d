import type {
  DeviceClass,
  ResourceClaim,
  ResourceClaimTemplate,
  ResourceSlice,
} from '../../api/gen/types/resource-v1beta1.ts';
import type { ResourceSlice as OldSlice } from '../../api/gen/types/resource-v1alpha3.ts';
import {
  setResourceClaimDefaults,
  setResourceClaimTemplateDefaults,
} from '../../api/resource/resource-claims/defaults.ts';
import { fromOldSlice, toOldSlice } from '../../api/resource/resource-slices/v1alpha3.ts';
import { nameCells, resourceClaimCells, resourceSliceCells } from '../../api/resource/table.ts';
import type { KubeObject } from '../../machinery/object-meta.ts';
import { defineResource, type ResourceDefinition, type VersionRules } from '../strategy.ts';
import { deviceClassStrategy } from './device-classes/strategy.ts';
import { resourceClaimTemplateStrategy } from './resource-claim-templates/strategy.ts';
import { resourceClaimStatusStrategy, resourceClaimStrategy } from './resource-claims/strategy.ts';
import { resourceSliceStrategy } from './resource-slices/strategy.ts';

const group = 'resource.k8s.io';
const claimRules = { defaults: setResourceClaimDefaults } as VersionRules;
const templateRules = { defaults: setResourceClaimTemplateDefaults } as VersionRules;

export const definitions: readonly ResourceDefinition[] = [
  defineResource<DeviceClass>({
    group,
    resource: 'deviceclasses',
    strategy: deviceClassStrategy,
    table: { cells: (object, { now }) => nameCells(object, now) },
  }),
  defineResource<ResourceClaim>({
    group,
    resource: 'resourceclaims',
    versions: { v1alpha3: claimRules, v1beta1: claimRules },
    strategy: resourceClaimStrategy,
    status: resourceClaimStatusStrategy,
    table: { cells: (object, { now }) => resourceClaimCells(object, now) },
  }),
  defineResource<ResourceClaimTemplate>({
    group,
    resource: 'resourceclaimtemplates',
    versions: { v1alpha3: templateRules, v1beta1: templateRules },
    strategy: resourceClaimTemplateStrategy,
    table: { cells: (object, { now }) => nameCells(object, now) },
  }),
  defineResource<ResourceSlice>({
    group,
    resource: 'resourceslices',
    versions: {
      v1alpha3: {
        toStorage: (slice: KubeObject) => fromOldSlice(slice as OldSlice),
        fromStorage: (slice: KubeObject) => toOldSlice(slice as ResourceSlice),
      },
    },
    strategy: resourceSliceStrategy,
    table: { cells: (object, { now }) => resourceSliceCells(object, now) },
  }),
];
