import { setPriorityClassDefaults } from '../../api/scheduling/priority-classes/validation.ts';
import type { PriorityClass } from '../../api/gen/types/scheduling-v1.ts';
import { ageCell } from '../../api/table/cells.ts';
import { defineResource, type ResourceDefinition, type VersionRules } from '../strategy.ts';
import { priorityClassStrategy } from './priority-classes/strategy.ts';

export const scheduling: readonly ResourceDefinition[] = [
  defineResource<PriorityClass>({
    group: 'scheduling.k8s.io',
    resource: 'priorityclasses',
    versions: { v1: { defaults: setPriorityClassDefaults } as VersionRules },
    strategy: priorityClassStrategy,
    table: {
      cells: ({ metadata, value, globalDefault, preemptionPolicy }, { now }) => [
        metadata.name ?? '',
        value ?? 0,
        globalDefault === true,
        ageCell(metadata.creationTimestamp, now),
        preemptionPolicy ?? '',
      ],
    },
  }),
];
