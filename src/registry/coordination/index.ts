import type { Lease } from '../../api/gen/types/coordination-v1.ts';
import { ageCell } from '../../api/table/cells.ts';
import { defineResource, type ResourceDefinition } from '../strategy.ts';
import { leaseStrategy } from './leases/strategy.ts';

export const coordination: readonly ResourceDefinition[] = [
  defineResource<Lease>({
    group: 'coordination.k8s.io',
    resource: 'leases',
    strategy: leaseStrategy,
    table: {
      cells: ({ metadata, spec }, { now }) => [
        metadata.name ?? '',
        spec.holderIdentity ?? '',
        ageCell(metadata.creationTimestamp, now),
      ],
    },
  }),
];
