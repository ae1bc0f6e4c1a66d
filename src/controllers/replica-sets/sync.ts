/** What a ReplicaSet or ReplicationController should do, and what it says of itself. */
import type { ReplicaSetCondition, ReplicaSetStatus } from '../../api/gen/types/apps-v1.ts';
import type { Pod, PodTemplateSpec } from '../../api/gen/types/core-v1.ts';
import { isEqual } from '../../machinery/equal.ts';
import { matchesLabels, requirementsOfMap } from '../../machinery/label-selector.ts';
import { isPodAvailable, isPodReady } from '../shared/pod-conditions.ts';
import { formatMs } from '../shared/times.ts';

/** Pods that are created or deleted in one sync at most. */
export const burstReplicas = 500;

/** Positive: pods to create. Negative: pods to delete. */
export function podsToChange(wanted: number, active: number): number {
  const difference = wanted - active;
  return Math.sign(difference) * Math.min(Math.abs(difference), burstReplicas);
}

export interface StatusInput {
  readonly before: ReplicaSetStatus;
  readonly generation: number | bigint | undefined;
  readonly template: PodTemplateSpec | undefined;
  readonly minReadySeconds: number;
  /** Active pods, as they were before this sync changed them. */
  readonly pods: readonly Pod[];
  /** Positive when pods were to be created. */
  readonly change: number;
  /** Why they could not be created or deleted. */
  readonly failure: Error | undefined;
  /** Milliseconds since 1970. */
  readonly nowMs: number;
}

export function statusOf(input: StatusInput): ReplicaSetStatus {
  const { before, generation, template, minReadySeconds, pods, nowMs } = input;
  const labels = requirementsOfMap(template?.metadata?.labels);
  const count = (is: (pod: Pod) => boolean): number => pods.reduce((sum, pod) => sum + (is(pod) ? 1 : 0), 0);
  const conditions = conditionsOf(input);
  return {
    ...before,
    replicas: pods.length,
    fullyLabeledReplicas: count(({ metadata }) => matchesLabels(labels, metadata.labels)),
    readyReplicas: count(isPodReady),
    availableReplicas: count((pod) => isPodAvailable(pod, minReadySeconds, nowMs)),
    ...(generation === undefined ? {} : { observedGeneration: generation }),
    ...(conditions.length === 0 && before.conditions === undefined ? {} : { conditions }),
  };
}

const failureType = 'ReplicaFailure';

function conditionsOf({ before, change, failure, nowMs }: StatusInput): ReplicaSetCondition[] {
  const { conditions = [] } = before;
  const had = conditions.some(({ type }) => type === failureType);
  if (failure === undefined) return conditions.filter(({ type }) => type !== failureType);
  if (had) return conditions;
  const condition = {
    type: failureType,
    status: 'True',
    reason: change > 0 ? 'FailedCreate' : 'FailedDelete',
    message: failure.message,
    lastTransitionTime: formatMs(nowMs),
  } as const;
  return [...conditions, condition];
}

/** Counts that are 0 are left out by the server. */
export function isStatusChanged(before: ReplicaSetStatus, after: ReplicaSetStatus): boolean {
  return !isEqual(withCounts(before), withCounts(after));
}

const withCounts = (status: ReplicaSetStatus): ReplicaSetStatus => ({
  ...status,
  replicas: status.replicas ?? 0,
  fullyLabeledReplicas: status.fullyLabeledReplicas ?? 0,
  readyReplicas: status.readyReplicas ?? 0,
  availableReplicas: status.availableReplicas ?? 0,
  observedGeneration: Number(status.observedGeneration ?? 0),
  conditions: status.conditions ?? [],
});
