import { setCustomResourceDefinitionDefaults } from '../../api/apiextensions/custom-resource-definitions/defaults.ts';
import {
  fromOldDefinition,
  oldDefinitionVersion,
} from '../../api/apiextensions/custom-resource-definitions/v1beta1.ts';
import type { CustomResourceDefinition } from '../../api/gen/types/apiextensions-v1.ts';
import { defineResource, type ResourceDefinition, type VersionRules } from '../strategy.ts';
import {
  customResourceDefinitionStatusStrategy,
  customResourceDefinitionStrategy,
} from './custom-resource-definitions/strategy.ts';

export const definitions: readonly ResourceDefinition[] = [
  defineResource<CustomResourceDefinition>({
    group: 'apiextensions.k8s.io',
    resource: 'customresourcedefinitions',
    versions: { v1: { defaults: setCustomResourceDefinitionDefaults } as VersionRules },
    untypedVersions: { [oldDefinitionVersion]: fromOldDefinition },
    strategy: customResourceDefinitionStrategy,
    status: customResourceDefinitionStatusStrategy,
    table: { cells: ({ metadata }) => [metadata.name ?? '', metadata.creationTimestamp ?? null] },
  }),
];
