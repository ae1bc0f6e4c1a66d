/**
 * The claims of the ephemeral volumes of pods: made for one pod, and named after it and the volume.
 * @see {@link https://kubernetes.io/docs/concepts/storage/ephemeral-volumes/#generic-ephemeral-volumes | Generic
 *   ephemeral volumes}
 */
import type { PersistentVolumeClaim, Pod, Volume } from '../../api/gen/types/core-v1.ts';
import { isControlledBy } from './owner-references.ts';

export const ephemeralClaimName = ({ metadata }: Pod, { name }: Volume): string => `${metadata.name}-${name}`;

/** The index of pods by the keys of the claims that they name. */
export const claimIndex = 'claim';

/** Keys of all claims that the pod names, its own ones too. */
export const claimKeys = (pod: Pod): string[] =>
  (pod.spec?.volumes ?? []).flatMap((volume) => {
    const { namespace } = pod.metadata;
    if (volume.persistentVolumeClaim !== undefined) return [`${namespace}/${volume.persistentVolumeClaim.claimName}`];
    return volume.ephemeral === undefined ? [] : [`${namespace}/${ephemeralClaimName(pod, volume)}`];
  });

/** Why the claim is not the pod's; undefined where it is. */
export function problemOfClaim(pod: Pod, claim: PersistentVolumeClaim): string | undefined {
  if (isControlledBy(claim, pod)) return undefined;
  const [claimName, podName] = [claim, pod].map(({ metadata }) => `${metadata.namespace}/${metadata.name}`);
  return `PVC ${claimName} was not created for pod ${podName} (pod is not owner)`;
}
