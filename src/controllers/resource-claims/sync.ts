/** What becomes of a claim, and of what a pod wants to be made. */
import { claimFinalizer } from '../../api/resource/pod-claims.ts';
import type { Pod, PodResourceClaim } from '../../api/gen/types/core-v1.ts';
import type {
  ResourceClaim,
  ResourceClaimConsumerReference,
  ResourceClaimTemplate,
} from '../../api/gen/types/resource-v1beta1.ts';
import type { Input } from '../../client/index.ts';
import { controllerReference } from '../shared/owner-references.ts';

/** By which a claim that was made, and is not in the status of its pod yet, is found again. */
export const podClaimAnnotation = 'resource.kubernetes.io/pod-claim-name';
/** With a hyphen and five random characters a name has 63. */
const maxBase = 57;

/** None of its containers runs, or ever will. */
export const isPodDone = ({ metadata, spec, status }: Pod): boolean =>
  status?.phase === 'Succeeded' ||
  status?.phase === 'Failed' ||
  (metadata.deletionTimestamp !== undefined && (spec?.nodeName ?? '') === '');

function baseName(pod: string, claim: string): string {
  const base = `${pod}-${claim}-`;
  if (base.length <= maxBase) return base;
  const share = (text: string): string => text.slice(0, Math.floor((text.length * maxBase) / base.length));
  return `${share(pod)}-${share(claim)}`;
}

export function claimFrom({ spec }: ResourceClaimTemplate, pod: Pod, { name }: PodResourceClaim): Input<ResourceClaim> {
  const { labels, annotations } = spec.metadata ?? {};
  return {
    metadata: {
      generateName: baseName(pod.metadata.name!, name!),
      namespace: pod.metadata.namespace!,
      annotations: { ...annotations, [podClaimAnnotation]: name! },
      ...(labels === undefined ? {} : { labels }),
      ownerReferences: [controllerReference({ ...pod, apiVersion: 'v1', kind: 'Pod' })],
    },
    spec: spec.spec,
    status: {},
  };
}

export interface ClaimChange {
  /** The claim with the status that it should have. */
  readonly status?: ResourceClaim;
  /** It needs its finalizer no more. */
  readonly release?: boolean;
}

/**
 * A claim that is used no more is allocated no more: its devices are free for others.
 * @param valid of those that it is reserved for
 */
export function afterUse(claim: ResourceClaim, valid: readonly ResourceClaimConsumerReference[]): ClaimChange {
  const { metadata, status = {} } = claim;
  const isHeld = (metadata.finalizers ?? []).includes(claimFinalizer);
  const { allocation, reservedFor: before = [], ...others } = status;
  const isUnused = valid.length === 0;
  if (valid.length < before.length) {
    const kept = isUnused && isHeld ? undefined : allocation;
    const next = {
      ...others,
      ...(kept === undefined ? {} : { allocation: kept }),
      ...(isUnused ? {} : { reservedFor: [...valid] }),
    };
    return { status: { ...claim, status: next }, release: isHeld && kept === undefined };
  }
  if (!isHeld || !isUnused || metadata.deletionTimestamp === undefined) return {};
  return allocation === undefined ? { release: true } : { status: { ...claim, status: others }, release: true };
}

export const withoutFinalizer = (claim: ResourceClaim): ResourceClaim => ({
  ...claim,
  metadata: {
    ...claim.metadata,
    finalizers: (claim.metadata.finalizers ?? []).filter((finalizer) => finalizer !== claimFinalizer),
  },
});
