import {
  setPriorityClassDefaults,
  validatePriorityClass,
  validatePriorityClassUpdate,
} from '../../api/scheduling/priority-classes/validation.ts';
import type { PriorityClass } from '../../api/gen/types/scheduling-v1.ts';
import { ageCell } from '../../api/table/cells.ts';
import { defineResource, type ResourceDefinition, type VersionRules } from '../strategy.ts';

export const scheduling: readonly ResourceDefinition[] = [
  defineResource<PriorityClass>({
    group: 'scheduling.k8s.io',
    resource: 'priorityclasses',
    versions: { v1: { defaults: setPriorityClassDefaults } as VersionRules },
    strategy: {
      // It has a generation that does not count.
      prepareForCreate: ({ metadata }) => {
        metadata.generation = 1;
      },
      validate: validatePriorityClass,
      validateUpdate: validatePriorityClassUpdate,
    },
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
