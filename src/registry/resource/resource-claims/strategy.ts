/** @see {@link https://kep.k8s.io/4381 | KEP-4381: dynamic resource allocation with structured parameters} */
import type { ResourceClaim } from '../../../api/gen/types/resource-v1beta1.ts';
import { subdomainName } from '../../../api/meta/name-rules.ts';
import { validateBuiltInMeta, validateBuiltInMetaUpdate } from '../../../api/meta/object-meta.ts';
import {
  allocatedDevices,
  deviceId,
  validateResourceClaimStatusUpdate,
} from '../../../api/resource/resource-claims/status-validation.ts';
import { validateResourceClaim } from '../../../api/resource/resource-claims/validation.ts';
import { keepMetadata } from '../../status-metadata.ts';
import type { ResourceStrategy, Strategy } from '../../strategy.ts';
import { dropDisabledFields } from '../disabled-fields.ts';

/** What drivers said of devices that the claim has no more goes with them. */
function dropDeallocated(claim: ResourceClaim, old: ResourceClaim): void {
  const now = allocatedDevices(claim);
  const gone = new Set([...allocatedDevices(old)].filter((id) => !now.has(id)));
  const left = (claim.status.devices ?? []).filter((device) => !gone.has(deviceId(device)));
  claim.status.devices = left.length === 0 ? undefined : left;
}

export const resourceClaimStrategy: ResourceStrategy<ResourceClaim> = {
  prepareForCreate: (claim, context) => {
    claim.status = {};
    dropDisabledFields(claim, undefined, context);
  },
  validate: ({ metadata }) => validateBuiltInMeta(metadata, { namespaced: true, validateName: subdomainName }),
  prepareForUpdate: (claim, old, context) => {
    claim.status = old.status;
    dropDisabledFields(claim, old, context);
  },
  validateUpdate: ({ metadata }, old) => validateBuiltInMetaUpdate(metadata, old.metadata),
  validateInTurns: validateResourceClaim,
  resetFields: [['status']],
};

export const resourceClaimStatusStrategy: Strategy<ResourceClaim> = {
  prepareForUpdate: (claim, old, context) => {
    claim.spec = old.spec;
    keepMetadata(claim.metadata, old.metadata);
    dropDeallocated(claim, old);
    dropDisabledFields(claim, old, context);
  },
  validateUpdate: validateResourceClaimStatusUpdate,
  resetFields: [['spec']],
};
