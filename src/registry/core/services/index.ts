import { setServiceDefaults } from '../../../api/core/services/defaults.ts';
import { serviceCells } from '../../../api/core/services/table.ts';
import type { Service } from '../../../api/gen/types/core-v1.ts';
import { defineResource, type ResourceDefinition } from '../../strategy.ts';
import { serviceStatusStrategy, serviceStrategy } from './strategy.ts';

export const definitions: ResourceDefinition[] = [
  defineResource<Service>({
    group: '',
    resource: 'services',
    versions: { v1: { defaults: setServiceDefaults } },
    strategy: serviceStrategy,
    status: serviceStatusStrategy,
    returnDeletedObject: true,
    table: { cells: (service, { now }) => serviceCells(service, now) },
  }),
];
