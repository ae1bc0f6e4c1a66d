/** Which claims a pod lacks. */
import type { PersistentVolumeClaim, Pod, Volume } from '../../api/gen/types/core-v1.ts';
import { ephemeralClaimName } from '../../api/core/pods/claims.ts';
import type { Input } from '../../client/index.ts';
import { problemOfClaim } from '../shared/ephemeral-claims.ts';
import { controllerReference } from '../shared/owner-references.ts';

/** What is to become of one ephemeral volume. */
export type VolumeStep =
  | { readonly volume: string; readonly do: 'create'; readonly claim: Input<PersistentVolumeClaim> }
  /** The claim of that name is not the pod's. */
  | { readonly volume: string; readonly do: 'refuse'; readonly problem: string };

export const hasEphemeral = ({ spec }: Pod): boolean =>
  (spec?.volumes ?? []).some(({ ephemeral }) => ephemeral !== undefined);

/**
 * In the order of the volumes. A pod that is being deleted gets no claims any more.
 * @param claimOf the claim of the name in the namespace of the pod
 */
export function stepsFor(
  pod: Pod,
  claimOf: (name: string) => PersistentVolumeClaim | undefined,
): readonly VolumeStep[] {
  if (pod.metadata.deletionTimestamp !== undefined) return [];
  return (pod.spec?.volumes ?? []).flatMap((volume): VolumeStep[] => {
    if (volume.ephemeral === undefined) return [];
    const name = volume.name!;
    const claim = claimOf(ephemeralClaimName(pod, volume));
    if (claim === undefined) return [{ volume: name, do: 'create', claim: newClaim(pod, volume) }];
    const problem = problemOfClaim(pod, claim);
    return problem === undefined ? [] : [{ volume: name, do: 'refuse', problem }];
  });
}

function newClaim(pod: Pod, volume: Volume): Input<PersistentVolumeClaim> {
  const { metadata, spec } = volume.ephemeral!.volumeClaimTemplate!;
  const { labels, annotations } = metadata ?? {};
  return {
    metadata: {
      name: ephemeralClaimName(pod, volume),
      namespace: pod.metadata.namespace!,
      ...(labels === undefined ? {} : { labels }),
      ...(annotations === undefined ? {} : { annotations }),
      ownerReferences: [controllerReference({ ...pod, apiVersion: 'v1', kind: 'Pod' })],
    },
    spec,
  };
}
