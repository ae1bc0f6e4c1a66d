/** What has changed of a pod, as far as scheduling goes. */
import type { Pod } from '../../api/gen/types/core-v1.ts';
import { podRequests } from '../../api/core/pods/pod-requests.ts';
import { isEqual } from '../../machinery/equal.ts';
import { actions, type ClusterEvent, clusterEvent } from '../framework/cluster-event.ts';

/** At least one event. */
export function podChanges(before: Pod, after: Pod): readonly ClusterEvent[] {
  const resource = (after.spec.nodeName ?? '') === '' ? 'UnscheduledPod' : 'AssignedPod';
  const changed = changedActions(before, after);
  return (changed.length === 0 ? [actions.updateOther] : changed).map((action) => clusterEvent(resource, action));
}

function changedActions(before: Pod, after: Pod): number[] {
  const changed: number[] = [];
  if (!isEqual(before.metadata.labels, after.metadata.labels)) changed.push(actions.updatePodLabel);
  if (asksForLess(before, after)) changed.push(actions.updatePodScaleDown);
  if (gatesOf(before) > 0 && gatesOf(after) === 0) changed.push(actions.updatePodGatesEliminated);
  if ((before.spec.tolerations?.length ?? 0) !== (after.spec.tolerations?.length ?? 0))
    changed.push(actions.updatePodTolerations);
  return changed;
}

const gatesOf = ({ spec }: Pod): number => spec.schedulingGates?.length ?? 0;

function asksForLess(before: Pod, after: Pod): boolean {
  if (isEqual(before.spec.containers, after.spec.containers)) return false;
  const options = { podLevel: false, fromStatus: false, overhead: true };
  const now = podRequests(after, options);
  for (const [name, amount] of podRequests(before, options)) {
    const left = now.get(name);
    if (left === undefined || amount.compare(left) > 0) return true;
  }
  return false;
}
