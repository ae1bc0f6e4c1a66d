/** Which claims wait for the scheduler, as their pods do. */
import type { Pod } from '../../api/gen/types/core-v1.ts';
import { claimKeys } from '../../api/core/pods/claims.ts';
import { isPodTerminal } from '../../api/core/pods/is-terminal.ts';

/** Keys of the claims of a pod that has no node and is not over. */
export const waitingClaims = (pod: Pod): readonly string[] =>
  (pod.spec.nodeName ?? '') !== '' || isPodTerminal(pod) ? [] : claimKeys(pod);
