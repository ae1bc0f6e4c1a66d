import type { PersistentVolumeClaim, Pod } from '../../api/gen/types/core-v1.ts';
import { isControlledBy } from './owner-references.ts';

/** The index of pods by the keys of the claims that they name. */
export const claimIndex = 'claim';

/** Why the claim of an ephemeral volume is not the pod's; undefined where it is. */
export function problemOfClaim(pod: Pod, claim: PersistentVolumeClaim): string | undefined {
  if (isControlledBy(claim, pod)) return undefined;
  const [claimName, podName] = [claim, pod].map(({ metadata }) => `${metadata.namespace}/${metadata.name}`);
  return `PVC ${claimName} was not created for pod ${podName} (pod is not owner)`;
}
