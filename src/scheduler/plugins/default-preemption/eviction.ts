/** Removes the victims of a preemption, and nominations that no longer hold. */
import type { Pod, PodCondition } from '../../../api/gen/types/core-v1.ts';
import { undefinedWhenGone } from '../../../client/undefined-when-gone.ts';
import type { Client } from '../../../client/client.ts';
import { formatTime } from '../../../machinery/time.ts';
import type { PodInfo } from '../../state/pod-info.ts';

const reason = 'PreemptionByScheduler';

/** Whether the pod is on its way out because of a preemption. */
export const isPreempted = ({ metadata, status }: Pod): boolean =>
  metadata.deletionTimestamp !== undefined &&
  status.conditions?.some(
    (condition) => condition.type === 'DisruptionTarget' && condition.status === 'True' && condition.reason === reason,
  ) === true;

export function preemptionCondition(preemptor: Pod, nowMs: number): PodCondition {
  return {
    type: 'DisruptionTarget',
    status: 'True',
    reason,
    message: `${preemptor.spec.schedulerName ?? ''}: preempting to accommodate a higher priority pod`,
    lastTransitionTime: formatTime(Math.floor(nowMs / 1000)),
  };
}

/** A victim that is gone already is no failure. */
export async function evict(client: Pick<Client, 'core'>, victim: PodInfo, condition: PodCondition): Promise<void> {
  const pods = client.core.v1.pods.namespace(victim.namespace);
  try {
    if (victim.pod.metadata.deletionTimestamp === undefined)
      await pods.status.patch(victim.name, { strategic: { status: { conditions: [condition] } } });
    await pods.delete(victim.name);
  } catch (error) {
    undefinedWhenGone(error);
  }
}

export async function clearNomination(client: Pick<Client, 'core'>, pod: PodInfo): Promise<void> {
  const pods = client.core.v1.pods.namespace(pod.namespace);
  await pods.status.patch(pod.name, { merge: { status: { nominatedNodeName: null } } }).catch(undefinedWhenGone);
}
