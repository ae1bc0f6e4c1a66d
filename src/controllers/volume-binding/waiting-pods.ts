/** Which claims wait for the scheduler, as their pods do. */
import type { Pod } from '../../api/gen/types/core-v1.ts';
import { isPodTerminal } from '../shared/pod-conditions.ts';

/** Keys of the claims of a pod that has no node and is not over. */
export function waitingClaims(pod: Pod): string[] {
  if ((pod.spec.nodeName ?? '') !== '' || isPodTerminal(pod)) return [];
  const { namespace = '', name: podName = '' } = pod.metadata;
  return (pod.spec.volumes ?? []).flatMap(({ name = '', persistentVolumeClaim, ephemeral }) => {
    const claimName = persistentVolumeClaim?.claimName ?? (ephemeral === undefined ? undefined : `${podName}-${name}`);
    return claimName === undefined ? [] : [`${namespace}/${claimName}`];
  });
}
