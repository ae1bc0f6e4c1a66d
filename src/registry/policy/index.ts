import type { PodDisruptionBudget } from '../../api/gen/types/policy-v1.ts';
import { ageCell } from '../../api/table/cells.ts';
import { defineResource, type ResourceDefinition } from '../strategy.ts';
import { podDisruptionBudgetStatusStrategy, podDisruptionBudgetStrategy } from './pod-disruption-budgets/strategy.ts';

const shareCell = (value: number | string | undefined): string => (value === undefined ? 'N/A' : `${value}`);

export const policy: readonly ResourceDefinition[] = [
  defineResource<PodDisruptionBudget>({
    group: 'policy',
    resource: 'poddisruptionbudgets',
    strategy: podDisruptionBudgetStrategy,
    status: podDisruptionBudgetStatusStrategy,
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
