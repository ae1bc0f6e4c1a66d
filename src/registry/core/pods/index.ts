import { setPodDefaults } from '../../../api/core/pods/defaults.ts';
import { podCells, podRowConditions } from '../../../api/core/pods/table.ts';
import type { Pod } from '../../../api/gen/types/core-v1.ts';
import { defineResource, type ResourceDefinition } from '../../strategy.ts';
import { ephemeralContainersStrategy, podStatusStrategy, podStrategy, resizeStrategy } from './strategy.ts';

export const definitions: ResourceDefinition[] = [
  defineResource<Pod>({
    group: '',
    resource: 'pods',
    versions: { v1: { defaults: setPodDefaults } },
    strategy: podStrategy,
    status: podStatusStrategy,
    subresources: { ephemeralcontainers: ephemeralContainersStrategy, resize: resizeStrategy },
    returnDeletedObject: true,
    table: { cells: (pod, { now }) => podCells(pod, now), conditions: podRowConditions },
  }),
];
