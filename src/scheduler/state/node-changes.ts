/** What has changed of a node, as far as scheduling goes. */
import type { Node, NodeCondition } from '../../api/gen/types/core-v1.ts';
import { isEqual } from '../../machinery/equal.ts';
import { actions, type ClusterEvent, clusterEvent } from '../framework/cluster-event.ts';

/** None for a heartbeat. */
export function nodeChanges(before: Node, after: Node): readonly ClusterEvent[] {
  let changed = 0;
  const note = (hasChanged: boolean, action: number): void => {
    if (hasChanged) changed |= action;
  };
  note(before.spec.unschedulable === true && after.spec.unschedulable !== true, actions.updateNodeTaint);
  note(!isEqual(before.status.allocatable, after.status.allocatable), actions.updateNodeAllocatable);
  note(!isEqual(before.metadata.labels, after.metadata.labels), actions.updateNodeLabel);
  note(!isEqual(before.spec.taints, after.spec.taints), actions.updateNodeTaint);
  note(!isSameCondition(before.status.conditions, after.status.conditions), actions.updateNodeCondition);
  note(!isEqual(before.metadata.annotations, after.metadata.annotations), actions.updateNodeAnnotation);
  if (changed === 0) return [];
  return Object.values(actions)
    .filter((action) => (changed & action) !== 0)
    .map((action) => clusterEvent('Node', action));
}

/** Whether they say the same, whenever they said it. */
function isSameCondition(before: readonly NodeCondition[] = [], after: readonly NodeCondition[] = []): boolean {
  if (before.length !== after.length) return false;
  const statuses = new Map(before.map(({ type, status }) => [type, status]));
  return after.every(({ type, status }) => statuses.get(type) === status);
}
