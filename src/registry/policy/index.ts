import {
  validateDisruptionBudget,
  validateDisruptionBudgetStatusUpdate,
  validateDisruptionBudgetUpdate,
} from '../../api/policy/pod-disruption-budgets/validation.ts';
import type { PodDisruptionBudget } from '../../api/gen/types/policy-v1.ts';
import { ageCell } from '../../api/table/cells.ts';
import { defineResource, type ResourceDefinition } from '../strategy.ts';

const shareCell = (value: number | string | undefined): string => (value === undefined ? 'N/A' : `${value}`);

export const policy: readonly ResourceDefinition[] = [
  defineResource<PodDisruptionBudget>({
    group: 'policy',
    resource: 'poddisruptionbudgets',
    strategy: {
      generation: true,
      allowUnconditionalUpdate: false,
      prepareForCreate: (object) => {
        object.status = {};
      },
      validate: (object) => validateDisruptionBudget(object),
      prepareForUpdate: (object, old) => {
        object.status = old.status;
      },
      validateUpdate: validateDisruptionBudgetUpdate,
      resetFields: [['status']],
    },
    status: {
      prepareForUpdate: (object, old) => {
        object.spec = old.spec;
      },
      validateUpdate: validateDisruptionBudgetStatusUpdate,
      resetFields: [['spec']],
    },
    table: {
      cells: ({ metadata, spec, status }, { now }) => [
        metadata.name ?? '',
        shareCell(spec.minAvailable),
        shareCell(spec.maxUnavailable),
        status.disruptionsAllowed ?? 0,
        ageCell(metadata.creationTimestamp, now),
      ],
    },
  }),
];
