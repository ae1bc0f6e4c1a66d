/** Whether a claim may go. */
import type { PersistentVolumeClaim, Pod } from '../../api/gen/types/core-v1.ts';
import { ephemeralClaimName } from '../../api/core/pods/claims.ts';
import { problemOfClaim } from '../shared/ephemeral-claims.ts';
import { isPodTerminal } from '../../api/core/pods/is-terminal.ts';

/** A pod without a node does not start any more with a claim that is being deleted. */
export function usesClaim(pod: Pod, claim: PersistentVolumeClaim): boolean {
  const { nodeName = '', volumes = [] } = pod.spec ?? {};
  const { name, namespace } = claim.metadata;
  if (nodeName === '' || pod.metadata.namespace !== namespace) return false;
  return volumes.some(
    (volume) =>
      volume.persistentVolumeClaim?.claimName === name ||
      (volume.ephemeral !== undefined &&
        !isShutDown(pod) &&
        ephemeralClaimName(pod, volume) === name &&
        problemOfClaim(pod, claim) === undefined),
  );
}

/** No container of the pod runs, nor will one: its own claims can go before it. */
const isShutDown = (pod: Pod): boolean =>
  isPodTerminal(pod) ||
  (pod.metadata.deletionTimestamp !== undefined && Number(pod.metadata.deletionGracePeriodSeconds ?? -1) === 0);
