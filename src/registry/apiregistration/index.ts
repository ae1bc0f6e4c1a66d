import { apiServiceCells } from '../../api/apiregistration/api-services/table.ts';
import { setApiServiceDefaults } from '../../api/apiregistration/api-services/validation.ts';
import type { APIService } from '../../api/gen/types/apiregistration-v1.ts';
import { defineResource, type ResourceDefinition, type VersionRules } from '../strategy.ts';
import { apiServiceStatusStrategy, apiServiceStrategy } from './api-services/strategy.ts';

export const definitions: readonly ResourceDefinition[] = [
  defineResource<APIService>({
    group: 'apiregistration.k8s.io',
    resource: 'apiservices',
    versions: { v1: { defaults: setApiServiceDefaults } as VersionRules },
    strategy: apiServiceStrategy,
    status: apiServiceStatusStrategy,
    table: { cells: (service, { now }) => apiServiceCells(service, now) },
  }),
];
