import type { ResourceClaim, ResourceClaimSpec, ResourceClaimTemplate } from '../../gen/types/resource-v1beta1.ts';

/** The same in all versions. */
export const setResourceClaimDefaults = ({ spec }: ResourceClaim): void => setSpecDefaults(spec);
export const setResourceClaimTemplateDefaults = ({ spec }: ResourceClaimTemplate): void => setSpecDefaults(spec.spec);

/** One device for each request. */
function setSpecDefaults({ devices }: ResourceClaimSpec): void {
  for (const request of devices.requests ?? []) {
    if ((request.allocationMode ?? '') === '') request.allocationMode = 'ExactCount';
    if (request.allocationMode === 'ExactCount' && Number(request.count ?? 0) === 0) request.count = 1;
  }
}
