/** The writes of a node about its pods: status patches, and the deletion at the end. */
import type { Pod, PodStatus } from '../../../api/gen/types/core-v1.ts';
import { undefinedWhenGone } from '../../../client/undefined-when-gone.ts';
import { ownConditions } from '../../pod-lifecycle/conditions.ts';
import type { PodResource } from './pod-resource.ts';
import { isOwn } from './readiness-gates.ts';

/** The pod as it is then; undefined when it is gone. Rejects with a conflict when another one has its name. */
export function writeStatus(
  pods: PodResource,
  pod: Pod,
  status: PodStatus,
  signal: AbortSignal,
): Promise<Pod | undefined> {
  const order = { '$setElementOrder/conditions': ownConditions.map((type) => ({ type })) };
  const conditions = status.conditions?.filter(isOwn);
  const strategic = { metadata: { uid: pod.metadata.uid }, status: { ...order, ...status, conditions } };
  return pods.patch(pod, { strategic }, 'status', signal).catch(undefinedWhenGone);
}

/** Ends the pod that has ended, unless it is gone already. */
export async function removePod(pods: PodResource, pod: Pod, signal: AbortSignal): Promise<void> {
  const preconditions = { uid: pod.metadata.uid! };
  await pods.delete(pod, { gracePeriodSeconds: 0, preconditions, signal }).catch(undefinedWhenGone);
}
