/** Fields of claims whose feature gates are off: they are dropped, unless the object has some already. */
import type { ResourceClaimSpec, ResourceClaimStatus } from '../../api/gen/types/resource-v1beta1.ts';
import type { StrategyContext } from '../strategy.ts';

type Gates = Pick<StrategyContext, 'enabled'>;

/** Of a claim, or of the claims of a template, which have no status. */
export interface ClaimParts {
  readonly spec: ResourceClaimSpec;
  readonly status?: ResourceClaimStatus;
}

export function dropDisabledFields(claim: ClaimParts, old: ClaimParts | undefined, { enabled }: Gates): void {
  if (!enabled('DRAAdminAccess') && !(old !== undefined && usesAdminAccess(old)))
    for (const part of withAdminAccess(claim)) part.adminAccess = undefined;
  const hadDevices = (old?.status?.devices ?? []).length > 0;
  if (!enabled('DRAResourceClaimDeviceStatus') && !hadDevices && claim.status !== undefined)
    claim.status.devices = undefined;
}

const withAdminAccess = ({ spec, status }: ClaimParts): { adminAccess?: boolean | undefined }[] => [
  ...(spec.devices.requests ?? []),
  ...(status?.allocation?.devices.results ?? []),
];

const usesAdminAccess = (claim: ClaimParts): boolean =>
  withAdminAccess(claim).some(({ adminAccess }) => adminAccess !== undefined);
