import { setEndpointsDefaults } from '../../../api/core/endpoints/defaults.ts';
import { endpointsCells } from '../../../api/core/endpoints/table.ts';
import type { Endpoints } from '../../../api/gen/types/core-v1.ts';
import { defineResource, type ResourceDefinition } from '../../strategy.ts';
import { endpointsStrategy } from './strategy.ts';

export const definitions: ResourceDefinition[] = [
  defineResource<Endpoints>({
    group: '',
    resource: 'endpoints',
    versions: { v1: { defaults: setEndpointsDefaults } },
    strategy: endpointsStrategy,
    table: { cells: (endpoints, { now }) => endpointsCells(endpoints, now) },
  }),
];
