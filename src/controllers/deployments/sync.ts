/** What is to be done with a Deployment at one look. Reads nothing and writes nothing. */
import type { Deployment, DeploymentCondition, ReplicaSet } from '../../api/gen/types/apps-v1.ts';
import { isRolling, sizeOf } from './limits.ts';
import { byRevision, rollbackAnnotation } from './revisions.ts';
import { isScaled } from './sizes.ts';
import { conditionOf, hasDeadline, withCondition } from './status.ts';

/** Revisions that are kept without a limit. */
const unlimited = 2 ** 31 - 1;

export type RolloutStep = 'scale' | 'rollBack' | 'roll' | 'recreate';

/** A Deployment that is paused, or whose size has changed, is scaled as it is; its rollout goes on later. */
export function nextStep(deployment: Deployment, sets: readonly ReplicaSet[]): RolloutStep {
  if (deployment.spec!.paused === true) return 'scale';
  if (deployment.metadata.annotations?.[rollbackAnnotation] !== undefined) return 'rollBack';
  if (isScaled(deployment, sets)) return 'scale';
  return isRolling(deployment) ? 'roll' : 'recreate';
}

/**
 * Time that a Deployment is paused does not count for its deadline.
 * @returns the conditions with that; undefined when they say so already
 */
export function pauseConditions(deployment: Deployment, nowMs: number): DeploymentCondition[] | undefined {
  const { conditions = [] } = deployment.status ?? {};
  const before = conditionOf(conditions, 'Progressing');
  if (!hasDeadline(deployment) || before?.reason === 'ProgressDeadlineExceeded') return undefined;
  const isPaused = deployment.spec!.paused === true;
  if (isPaused === (before?.reason === 'DeploymentPaused')) return undefined;
  const reason = isPaused ? 'DeploymentPaused' : 'DeploymentResumed';
  const message = isPaused ? 'Deployment is paused' : 'Deployment is resumed';
  return withCondition(conditions, { type: 'Progressing', status: 'Unknown', reason, message }, nowMs);
}

/**
 * The oldest of the ReplicaSets that are kept for rolling back, beyond the limit. One that still has pods stays, and
 * counts.
 */
export function outdatedSets(deployment: Deployment, old: readonly ReplicaSet[]): readonly ReplicaSet[] {
  const { revisionHistoryLimit = unlimited } = deployment.spec!;
  const alive = old.filter(({ metadata }) => metadata.deletionTimestamp === undefined);
  if (revisionHistoryLimit === unlimited || alive.length <= revisionHistoryLimit) return [];
  return alive
    .toSorted(byRevision)
    .slice(0, alive.length - revisionHistoryLimit)
    .filter(isEmpty);
}

const isEmpty = (set: ReplicaSet): boolean =>
  sizeOf(set) === 0 &&
  (set.status?.replicas ?? 0) === 0 &&
  Number(set.metadata.generation ?? 0) <= Number(set.status?.observedGeneration ?? 0);
