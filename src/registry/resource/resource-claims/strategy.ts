/**
 * @NOTE differs from upstream: of claims the metadata is validated, and that status tells of allocated devices only.
 * @see {@link https://kep.k8s.io/4381 | KEP-4381: dynamic resource allocation with structured parameters}
 */
import type { AllocatedDeviceStatus, ResourceClaim } from '../../../api/gen/types/resource-v1beta1.ts';
import { invalid } from '../../../machinery/field-error.ts';
import { FieldErrors } from '../../../machinery/field-errors.ts';
import { FieldPath } from '../../../machinery/field-path.ts';
import { defaultStrategy } from '../../generic/strategy.ts';
import { keepMetadata } from '../../status-metadata.ts';
import type { ResourceStrategy, Strategy } from '../../strategy.ts';
import { dropDisabledFields } from '../disabled-fields.ts';

const { validate, validateUpdate } = defaultStrategy(true) as ResourceStrategy<ResourceClaim>;

type DeviceId = Pick<AllocatedDeviceStatus, 'driver' | 'pool' | 'device'>;
const idOf = ({ driver = '', pool = '', device = '' }: DeviceId): string => `${driver}/${pool}/${device}`;
const allocated = ({ status }: ResourceClaim): Set<string> =>
  new Set((status.allocation?.devices.results ?? []).map(idOf));

/** What drivers said of devices that the claim has no more goes with them. */
function dropDeallocated(claim: ResourceClaim, old: ResourceClaim): void {
  const now = allocated(claim);
  const gone = new Set([...allocated(old)].filter((id) => !now.has(id)));
  const left = (claim.status.devices ?? []).filter((device) => !gone.has(idOf(device)));
  claim.status.devices = left.length === 0 ? undefined : left;
}

function validateStatus(claim: ResourceClaim): FieldErrors {
  const errors = new FieldErrors();
  const known = allocated(claim);
  const path = FieldPath.of('status').child('devices');
  for (const [i, device] of (claim.status.devices ?? []).entries())
    if (!known.has(idOf(device)))
      errors.push(invalid(path.index(i), idOf(device), 'must be an allocated device in the claim'));
  return errors;
}

export const resourceClaimStrategy: ResourceStrategy<ResourceClaim> = {
  prepareForCreate: (claim, context) => {
    claim.status = {};
    dropDisabledFields(claim, undefined, context);
  },
  validate: validate!,
  prepareForUpdate: (claim, old, context) => {
    claim.status = old.status;
    dropDisabledFields(claim, old, context);
  },
  validateUpdate: validateUpdate!,
  resetFields: [['status']],
};

export const resourceClaimStatusStrategy: Strategy<ResourceClaim> = {
  prepareForUpdate: (claim, old, context) => {
    claim.spec = old.spec;
    keepMetadata(claim.metadata, old.metadata);
    dropDeallocated(claim, old);
    dropDisabledFields(claim, old, context);
  },
  validateUpdate: (claim, old, context) =>
    FieldErrors.joined(validateUpdate!(claim, old, context), validateStatus(claim)),
  resetFields: [['spec']],
};
