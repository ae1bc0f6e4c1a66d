/** Which ResourceClaims a pod uses. @see {@link https://kep.k8s.io/4381 | KEP-4381} */
import type { Pod, PodResourceClaim } from '../gen/types/core-v1.ts';
import type { ResourceClaim } from '../gen/types/resource-v1beta1.ts';

/** Keeps a claim that is allocated from being deleted. */
export const claimFinalizer = 'resource.kubernetes.io/delete-protection';
export const maxConsumers = 256;

export type ClaimOfPod =
  | { readonly name: string /** It was made for the pod, and is its own. */; readonly isGenerated: boolean }
  /** There is none, and none is needed. */
  | 'unneeded'
  /** It is still to be made from its template. */
  | 'missing';

export function claimOf(
  { status }: Pod,
  { name, resourceClaimName, resourceClaimTemplateName }: PodResourceClaim,
): ClaimOfPod {
  if (resourceClaimName !== undefined) return { name: resourceClaimName, isGenerated: false };
  if (resourceClaimTemplateName === undefined) return 'unneeded';
  const made = status?.resourceClaimStatuses?.find((each) => each.name === name);
  if (made === undefined) return 'missing';
  return made.resourceClaimName === undefined ? 'unneeded' : { name: made.resourceClaimName, isGenerated: true };
}

export const isOwnedBy = ({ metadata }: ResourceClaim, pod: Pod): boolean =>
  (metadata.ownerReferences ?? []).some(({ controller, uid }) => controller === true && uid === pod.metadata.uid);

/** Undefined when the claim is one of the pod. */
export const ownerProblem = (claim: ResourceClaim, pod: Pod): string | undefined =>
  isOwnedBy(claim, pod)
    ? undefined
    : `ResourceClaim ${claim.metadata.namespace}/${claim.metadata.name} was not created for pod ` +
      `${pod.metadata.namespace}/${pod.metadata.name} (pod is not owner)`;

export const isReservedFor = ({ status }: ResourceClaim, { metadata }: Pod): boolean =>
  (status?.reservedFor ?? []).some(({ uid }) => uid === metadata.uid);

export const canBeReserved = ({ status }: ResourceClaim): boolean => (status?.reservedFor ?? []).length < maxConsumers;

/** The claim with the pod among those that it is reserved for. */
export const reservedFor = (claim: ResourceClaim, { metadata }: Pod): ResourceClaim => ({
  ...claim,
  status: {
    ...claim.status,
    reservedFor: [...(claim.status?.reservedFor ?? []), { resource: 'pods', name: metadata.name!, uid: metadata.uid! }],
  },
});
