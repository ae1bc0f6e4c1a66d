/** What a StatefulSet says of its pods. */
import type { StatefulSet, StatefulSetStatus } from '../../api/gen/types/apps-v1.ts';
import type { Pod } from '../../api/gen/types/core-v1.ts';
import { isEqual } from '../../machinery/equal.ts';
import { isPodAvailable, isPodReady, isPodTerminating } from '../shared/pod-conditions.ts';
import { replicasOf, revisionOf } from './identity.ts';

export const isRunningAndReady = (pod: Pod): boolean => pod.status.phase === 'Running' && isPodReady(pod);

/** @param nowMs since 1970 */
export const isRunningAndAvailable = (pod: Pod, { spec }: StatefulSet, nowMs: number): boolean =>
  pod.status.phase === 'Running' && isPodAvailable(pod, spec.minReadySeconds ?? 0, nowMs);

export const isUnavailable = (pod: Pod, set: StatefulSet, nowMs: number): boolean =>
  isPodTerminating(pod) || !isRunningAndAvailable(pod, set, nowMs);

export interface StatusInput {
  readonly set: StatefulSet;
  readonly pods: readonly Pod[];
  /** Names of the revisions. */
  readonly current: string;
  readonly update: string;
  readonly collisionCount: number;
  /** Milliseconds since 1970. */
  readonly nowMs: number;
}

export function countedStatus({ set, pods, current, update, collisionCount, nowMs }: StatusInput): StatefulSetStatus {
  const count = (is: (pod: Pod) => boolean): number => pods.reduce((sum, pod) => sum + (is(pod) ? 1 : 0), 0);
  const ofRevision = (revision: string) => (pod: Pod) => !isPodTerminating(pod) && revisionOf(pod) === revision;
  const { conditions } = set.status;
  return {
    observedGeneration: set.metadata.generation ?? 0,
    replicas: pods.length,
    readyReplicas: count(isRunningAndReady),
    currentReplicas: count(ofRevision(current)),
    updatedReplicas: count(ofRevision(update)),
    currentRevision: current,
    updateRevision: update,
    collisionCount,
    availableReplicas: count((pod) => isRunningAndAvailable(pod, set, nowMs)),
    ...(conditions === undefined ? {} : { conditions }),
  };
}

/** When all pods are new and ready, the new revision is the current one. */
export function completed(set: StatefulSet, status: StatefulSetStatus): StatefulSetStatus {
  const wanted = replicasOf(set);
  const isComplete =
    set.spec.updateStrategy.type === 'RollingUpdate' &&
    status.updatedReplicas === wanted &&
    status.readyReplicas === wanted &&
    status.replicas === wanted;
  if (!isComplete) return status;
  return { ...status, currentReplicas: wanted, currentRevision: status.updateRevision! };
}

/** Counts that are 0 are left out by the server. */
export const isStatusChanged = (before: StatefulSetStatus, after: StatefulSetStatus): boolean =>
  !isEqual(withCounts(before), withCounts(after));

const withCounts = (status: StatefulSetStatus): StatefulSetStatus => ({
  ...status,
  observedGeneration: Number(status.observedGeneration ?? 0),
  replicas: status.replicas ?? 0,
  readyReplicas: status.readyReplicas ?? 0,
  currentReplicas: status.currentReplicas ?? 0,
  updatedReplicas: status.updatedReplicas ?? 0,
  availableReplicas: status.availableReplicas ?? 0,
});
