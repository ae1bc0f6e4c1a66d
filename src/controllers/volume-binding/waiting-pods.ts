/** Which claims wait for the scheduler, as their pods do. */
import type { Pod } from '../../api/gen/types/core-v1.ts';
import { claimKeys } from '../shared/ephemeral-claims.ts';
import { isPodTerminal } from '../shared/pod-conditions.ts';

/** Keys of the claims of a pod that has no node and is not over. */
export const waitingClaims = (pod: Pod): string[] =>
  (pod.spec.nodeName ?? '') !== '' || isPodTerminal(pod) ? [] : claimKeys(pod);
