/** What a Deployment says of itself. */
import type { Deployment, DeploymentCondition, DeploymentStatus, ReplicaSet } from '../../api/gen/types/apps-v1.ts';
import { isEqual } from '../../machinery/equal.ts';
import { timeMs } from '../shared/pod-conditions.ts';
import { formatMs } from '../shared/times.ts';
import { availableOf, maxUnavailableOf, sizeOf, total, wantedOf } from './limits.ts';

type Conditions = readonly DeploymentCondition[];
type Wanted = Required<Pick<DeploymentCondition, 'type' | 'status' | 'reason' | 'message'>>;

/** A deadline of this many seconds is none. */
const noDeadline = 2 ** 31 - 1;

export const hasDeadline = ({ spec }: Deployment): boolean =>
  spec!.progressDeadlineSeconds !== undefined && spec!.progressDeadlineSeconds !== noDeadline;

export const conditionOf = (conditions: Conditions | undefined, type: string): DeploymentCondition | undefined =>
  conditions?.find((condition) => condition.type === type);

/** Leaves a condition with the same status and reason as it is, its message too. */
export function withCondition(conditions: Conditions, wanted: Wanted, nowMs: number): DeploymentCondition[] {
  const before = conditionOf(conditions, wanted.type);
  if (before?.status === wanted.status && before.reason === wanted.reason) return [...conditions];
  const now = formatMs(nowMs);
  const lastTransitionTime = before?.status === wanted.status ? before.lastTransitionTime! : now;
  return [...without(conditions, wanted.type), { ...wanted, lastUpdateTime: now, lastTransitionTime }];
}

export const without = (conditions: Conditions, type: string): DeploymentCondition[] =>
  conditions.filter((condition) => condition.type !== type);

/** Counts, and whether enough pods are available. */
export function countedStatus(
  deployment: Deployment,
  all: readonly ReplicaSet[],
  current: ReplicaSet | undefined,
  nowMs: number,
): DeploymentStatus {
  const { conditions = [], collisionCount } = deployment.status ?? {};
  const available = total(all, availableOf);
  const isAvailable = available >= wantedOf(deployment) - maxUnavailableOf(deployment);
  return {
    observedGeneration: deployment.metadata.generation ?? 0,
    replicas: total(all, ({ status }) => status?.replicas ?? 0),
    updatedReplicas: current?.status?.replicas ?? 0,
    readyReplicas: total(all, ({ status }) => status?.readyReplicas ?? 0),
    availableReplicas: available,
    unavailableReplicas: Math.max(0, total(all, sizeOf) - available),
    ...(collisionCount === undefined ? {} : { collisionCount }),
    conditions: withCondition(
      conditions,
      isAvailable
        ? {
            type: 'Available',
            status: 'True',
            reason: 'MinimumReplicasAvailable',
            message: 'Deployment has minimum availability.',
          }
        : {
            type: 'Available',
            status: 'False',
            reason: 'MinimumReplicasUnavailable',
            message: 'Deployment does not have minimum availability.',
          },
      nowMs,
    ),
  };
}

/** All pods are new and available, and no old ones are left. */
export const isComplete = (deployment: Deployment, status: DeploymentStatus): boolean =>
  status.updatedReplicas === wantedOf(deployment) &&
  status.replicas === wantedOf(deployment) &&
  status.availableReplicas === wantedOf(deployment) &&
  Number(status.observedGeneration ?? 0) >= Number(deployment.metadata.generation ?? 0);

/** The status of a rollout: counts, how it goes on, and what a ReplicaSet failed to do. */
export function rolloutStatus(
  deployment: Deployment,
  all: readonly ReplicaSet[],
  current: ReplicaSet | undefined,
  nowMs: number,
): DeploymentStatus {
  const status = countedStatus(deployment, all, current, nowMs);
  const conditions = withFailure(progressConditions(deployment, status, current, nowMs), all, current, nowMs);
  return { ...status, conditions };
}

function progressConditions(
  deployment: Deployment,
  status: DeploymentStatus,
  current: ReplicaSet | undefined,
  nowMs: number,
): Conditions {
  const conditions = status.conditions!;
  if (!hasDeadline(deployment)) return without(conditions, 'Progressing');
  const before = conditionOf(deployment.status?.conditions, 'Progressing');
  const wasComplete = status.replicas === status.updatedReplicas && before?.reason === 'NewReplicaSetAvailable';
  if (wasComplete) return conditions;
  const subject =
    current === undefined ? `Deployment "${deployment.metadata.name}"` : `ReplicaSet "${current.metadata.name}"`;
  const type = 'Progressing';
  if (isComplete(deployment, status)) {
    const message = `${subject} has successfully progressed.`;
    return withCondition(conditions, { type, status: 'True', reason: 'NewReplicaSetAvailable', message }, nowMs);
  }
  if (isProgressing(deployment.status ?? {}, status)) {
    const wanted = {
      type,
      status: 'True',
      reason: 'ReplicaSetUpdated',
      message: `${subject} is progressing.`,
    } as const;
    // Written anew each time: the deadline counts from the last progress.
    const lastTransitionTime = before?.status === 'True' ? before.lastTransitionTime! : formatMs(nowMs);
    return [...without(conditions, type), { ...wanted, lastUpdateTime: formatMs(nowMs), lastTransitionTime }];
  }
  if (isTimedOut(deployment, status, nowMs)) {
    const message = `${subject} has timed out progressing.`;
    return withCondition(conditions, { type, status: 'False', reason: 'ProgressDeadlineExceeded', message }, nowMs);
  }
  return conditions;
}

const isProgressing = (before: DeploymentStatus, after: DeploymentStatus): boolean =>
  (after.updatedReplicas ?? 0) > (before.updatedReplicas ?? 0) ||
  oldPods(after) < oldPods(before) ||
  (after.readyReplicas ?? 0) > (before.readyReplicas ?? 0) ||
  (after.availableReplicas ?? 0) > (before.availableReplicas ?? 0);

const oldPods = ({ replicas = 0, updatedReplicas = 0 }: DeploymentStatus): number => replicas - updatedReplicas;

export function isTimedOut(deployment: Deployment, status: DeploymentStatus, nowMs: number): boolean {
  const condition = conditionOf(status.conditions, 'Progressing');
  if (!hasDeadline(deployment) || condition === undefined || condition.reason === 'NewReplicaSetAvailable')
    return false;
  return condition.reason === 'ProgressDeadlineExceeded' || deadlineMs(deployment, condition) < nowMs;
}

const deadlineMs = ({ spec }: Deployment, { lastUpdateTime }: DeploymentCondition): number =>
  timeMs(lastUpdateTime!) + spec!.progressDeadlineSeconds! * 1000;

/** Milliseconds after which a rollout that does not go on is to be looked at; undefined for one that ended. */
export function nextLookMs(deployment: Deployment, status: DeploymentStatus, nowMs: number): number | undefined {
  const condition = conditionOf(deployment.status?.conditions, 'Progressing');
  if (!hasDeadline(deployment) || condition === undefined) return undefined;
  if (isComplete(deployment, status) || condition.reason === 'ProgressDeadlineExceeded') return undefined;
  return Math.max(0, deadlineMs(deployment, condition) - nowMs) + 1000;
}

/** What the new ReplicaSet could not do counts more than what an old one could not. */
function withFailure(
  conditions: Conditions,
  all: readonly ReplicaSet[],
  current: ReplicaSet | undefined,
  nowMs: number,
): DeploymentCondition[] {
  const others = without(conditions, 'ReplicaFailure');
  const sets = current === undefined ? all : [current, ...all];
  const failure = sets.flatMap(({ status }) => status?.conditions ?? []).find(({ type }) => type === 'ReplicaFailure');
  if (failure === undefined) return others;
  const { status, reason = '', message = '' } = failure;
  return withCondition(conditions, { type: 'ReplicaFailure', status: status!, reason, message }, nowMs);
}

/** Counts that are 0 are left out by the server. */
export const isStatusChanged = (before: DeploymentStatus | undefined, after: DeploymentStatus): boolean =>
  !isEqual(withCounts(before ?? {}), withCounts(after));

const withCounts = (status: DeploymentStatus): DeploymentStatus => ({
  ...status,
  replicas: status.replicas ?? 0,
  updatedReplicas: status.updatedReplicas ?? 0,
  readyReplicas: status.readyReplicas ?? 0,
  availableReplicas: status.availableReplicas ?? 0,
  unavailableReplicas: status.unavailableReplicas ?? 0,
  observedGeneration: Number(status.observedGeneration ?? 0),
  conditions: (status.conditions ?? []).toSorted((a, b) => (a.type! < b.type! ? -1 : 1)),
});
