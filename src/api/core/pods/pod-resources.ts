/** Resources of the pod as a whole. @see {@link https://kep.k8s.io/2837 | KEP-2837} */
import type { PodSpec, ResourceRequirements } from '../../gen/types/core-v1.ts';
import { forbidden, invalid, notSupported } from '../../../machinery/field-error.ts';
import type { FieldErrors } from '../../../machinery/field-errors.ts';
import type { FieldPath } from '../../../machinery/field-path.ts';
import { createMap } from '../../../machinery/value.ts';
import { quantityOf } from '../resources/quantities.ts';
import { checkResourceName, shownResource } from '../resources/resource-amounts.ts';
import { checkRequirements } from './container-resources.ts';
import { aggregateContainerRequests, isPodLevelResource, podLevelResources } from './pod-requests.ts';
import type { PodValidationOptions } from './validation-option-types.ts';

export function checkPodResources(
  spec: PodSpec,
  path: FieldPath,
  errors: FieldErrors,
  rules: PodValidationOptions,
  claims: ReadonlySet<string>,
): void {
  const { resources } = spec;
  if (resources === undefined) return;
  if (resources.claims !== undefined)
    errors.push(forbidden(path.child('claims'), 'claims cannot be set for Resources at pod-level'));
  checkRequirements(resources, path, errors, { rules, claims, checkName: checkPodResourceName });
  checkConsistency(resources, spec, path, errors);
}

function checkPodResourceName(name: string, path: FieldPath, errors: FieldErrors): void {
  if (checkResourceName(name, path, errors) && !isPodLevelResource(name))
    errors.push(notSupported(path, shownResource(name), [...podLevelResources]));
}

/** The pod asks for no less than its containers together, and no container may use more than the pod. */
function checkConsistency(
  { requests, limits }: ResourceRequirements,
  spec: PodSpec,
  path: FieldPath,
  errors: FieldErrors,
): void {
  for (const [name, sum] of aggregateContainerRequests(spec)) {
    const request = requests?.[name] ?? '0';
    if (sum.compare(quantityOf(request)) > 0)
      errors.push(
        invalid(
          path.child('requests').key(name),
          request,
          `must be greater than or equal to aggregate container requests of ${sum.toString()}`,
        ),
      );
  }
  spec.containers?.forEach(({ resources }, i) => {
    for (const name in resources.limits) {
      const limit = resources.limits[name]!;
      const ofPod = limits?.[name];
      if (ofPod === undefined || quantityOf(limit).compare(quantityOf(ofPod)) <= 0) continue;
      errors.push(
        invalid(
          path.child('containers').index(i).key(name).child('limits'),
          limit,
          `must be less than or equal to pod limits of ${ofPod}`,
        ),
      );
    }
  });
}

/** A pod with limits as a whole asks for what its containers ask for together, otherwise for as much as the limit. */
export function setPodResourceDefaults(spec: PodSpec): void {
  const { resources } = spec;
  if (resources?.limits === undefined) return;
  const requests = (resources.requests ??= createMap<string>());
  for (const [name, sum] of aggregateContainerRequests(spec))
    if (isPodLevelResource(name)) requests[name] ??= sum.toString();
  for (const name in resources.limits) if (isPodLevelResource(name)) requests[name] ??= resources.limits[name]!;
  if (Object.keys(requests).length === 0) resources.requests = undefined;
}
