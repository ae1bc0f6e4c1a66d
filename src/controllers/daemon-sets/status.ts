/** What a DaemonSet says of its nodes. */
import type { DaemonSetStatus } from '../../api/gen/types/apps-v1.ts';
import { isEqual } from '../../machinery/equal.ts';
import { isPodAvailable, isPodReady } from '../shared/pod-conditions.ts';
import { isUpdated } from './daemon-pod.ts';
import type { DaemonInput } from './sync.ts';

/** Of several pods of a node the one that stays longest is counted. */
export function countedStatus(input: DaemonInput, collisionCount: number): DaemonSetStatus {
  const { set, nodes, pods, placements, hash, generation, nowMs } = input;
  let [desired, current, misscheduled, ready, updated, available] = [0, 0, 0, 0, 0, 0];
  for (const node of nodes) {
    const [pod] = pods.get(node.metadata.name!) ?? [];
    if (placements(node) !== 'run') {
      if (pod !== undefined) misscheduled++;
      continue;
    }
    desired++;
    if (pod === undefined) continue;
    current++;
    if (isPodReady(pod)) ready++;
    if (isPodAvailable(pod, set.spec.minReadySeconds ?? 0, nowMs)) available++;
    if (isUpdated(pod, hash, generation)) updated++;
  }
  return {
    ...set.status,
    ...(collisionCount === (set.status.collisionCount ?? 0) ? {} : { collisionCount }),
    observedGeneration: set.metadata.generation ?? 0,
    desiredNumberScheduled: desired,
    currentNumberScheduled: current,
    numberMisscheduled: misscheduled,
    numberReady: ready,
    updatedNumberScheduled: updated,
    numberAvailable: available,
    numberUnavailable: desired - available,
  };
}

/** Counts that are 0 are left out by the server. */
export const isStatusChanged = (before: DaemonSetStatus, after: DaemonSetStatus): boolean =>
  !isEqual(withCounts(before), withCounts(after));

const withCounts = (status: DaemonSetStatus): DaemonSetStatus => ({
  ...status,
  observedGeneration: Number(status.observedGeneration ?? 0),
  desiredNumberScheduled: status.desiredNumberScheduled ?? 0,
  currentNumberScheduled: status.currentNumberScheduled ?? 0,
  numberMisscheduled: status.numberMisscheduled ?? 0,
  numberReady: status.numberReady ?? 0,
  updatedNumberScheduled: status.updatedNumberScheduled ?? 0,
  numberAvailable: status.numberAvailable ?? 0,
  numberUnavailable: status.numberUnavailable ?? 0,
});
