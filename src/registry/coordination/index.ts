import { validateLease, validateLeaseUpdate } from '../../api/coordination/leases/validation.ts';
import type { Lease } from '../../api/gen/types/coordination-v1.ts';
import { ageCell } from '../../api/table/cells.ts';
import { defineResource, type ResourceDefinition } from '../strategy.ts';

/** Fields of coordinated elections (KEP-4355): while their gate is off only what is there stays. */
function dropDisabledFields({ spec }: Lease, old: Lease | undefined): void {
  if (old?.spec.strategy === undefined) spec.strategy = undefined;
  if (old?.spec.preferredHolder === undefined) spec.preferredHolder = undefined;
}

export const coordination: readonly ResourceDefinition[] = [
  defineResource<Lease>({
    group: 'coordination.k8s.io',
    resource: 'leases',
    strategy: {
      allowCreateOnUpdate: true,
      allowUnconditionalUpdate: false,
      prepareForCreate: (object, { enabled }) => {
        if (!enabled('CoordinatedLeaderElection')) dropDisabledFields(object, undefined);
      },
      validate: validateLease,
      prepareForUpdate: (object, old, { enabled }) => {
        if (!enabled('CoordinatedLeaderElection')) dropDisabledFields(object, old);
      },
      validateUpdate: validateLeaseUpdate,
    },
    table: {
      cells: ({ metadata, spec }, { now }) => [
        metadata.name ?? '',
        spec.holderIdentity ?? '',
        ageCell(metadata.creationTimestamp, now),
      ],
    },
  }),
];
