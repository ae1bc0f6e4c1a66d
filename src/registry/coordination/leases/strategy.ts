import { validateLease, validateLeaseUpdate } from '../../../api/coordination/leases/validation.ts';
import type { Lease } from '../../../api/gen/types/coordination-v1.ts';
import type { ResourceStrategy } from '../../strategy.ts';

/** Fields of coordinated elections (KEP-4355): while their gate is off only what is there stays. */
function dropDisabledFields({ spec }: Lease, old: Lease | undefined): void {
  if (old?.spec.strategy === undefined) spec.strategy = undefined;
  if (old?.spec.preferredHolder === undefined) spec.preferredHolder = undefined;
}

export const leaseStrategy: ResourceStrategy<Lease> = {
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
};
