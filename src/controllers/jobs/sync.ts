/** Where a Job stands, and which pods it should make or delete next. */
import type { Job, JobCondition } from '../../api/gen/types/batch-v1.ts';
import type { Pod } from '../../api/gen/types/core-v1.ts';
import { isPodTerminal } from '../../api/core/pods/is-terminal.ts';
import { isPodActive, isPodReady, isPodTerminating, timeMs } from '../shared/pod-conditions.ts';
import { formatMs } from '../shared/times.ts';
import { type Backoff, nextBackoff, remainingMs, remainingOfIndexMs } from './backoff.ts';
import * as conditions from './conditions.ts';
import { jobFailureOf, judgeFailure } from './failure-policy.ts';
import { indexesOf, indexSetOf, type JobIndexes } from './indexed.ts';
import { IndexSet } from './index-set.ts';
import { indexOf, isIndexed, isPodFailed, isTracked, replacesFailedOnly } from './job-pods.ts';
import { successOf } from './success-policy.ts';
import { podsToRemove } from './victims.ts';

/** Pods that are made or deleted in one sync at most. */
export const maxPodsPerSync = 500;

export interface JobState {
  readonly job: Job;
  readonly pods: readonly Pod[];
  readonly active: readonly Pod[];
  readonly ready: number;
  readonly terminating: number;
  /** Identities of pods that are in the status as not counted yet. */
  readonly uncounted: { readonly succeeded: ReadonlySet<string>; readonly failed: ReadonlySet<string> };
  /** With pods that the status does not count yet. */
  readonly succeeded: number;
  readonly failed: number;
  readonly indexes: JobIndexes | undefined;
  readonly startTime: string | undefined;
  readonly backoff: Backoff;
  /** FailureTarget, Failed or SuccessCriteriaMet: the Job ends, and its active pods are deleted. */
  readonly verdict: JobCondition | undefined;
  /** Milliseconds until the Job fails by its deadline. */
  readonly deadlineInMs: number | undefined;
}

/**
 * @param pods all of the Job
 * @param backoff as it was after the last sync
 * @param nowMs since 1970
 */
export function stateOf(job: Job, pods: readonly Pod[], backoff: Backoff, nowMs: number): JobState {
  const { spec, status } = job;
  const active = pods.filter(isPodActive);
  const uncounted = {
    succeeded: new Set(status.uncountedTerminatedPods?.succeeded),
    failed: new Set(status.uncountedTerminatedPods?.failed),
  };
  const finished = newlyFinished(job, pods, uncounted);
  const failed =
    (status.failed ?? 0) +
    finished.failed.filter((pod) => judgeFailure(spec, pod).counts).length +
    uncounted.failed.size;
  const indexes = isIndexed(spec) ? indexesOf(job, pods, active) : undefined;
  const startTime = status.startTime ?? (spec.suspend === true ? undefined : formatMs(nowMs));
  const deadlineInMs = timeToDeadline(job, startTime, nowMs);
  return {
    job,
    pods,
    active,
    ready: active.filter(isPodReady).length,
    terminating: pods.filter((pod) => isPodTerminating(pod) && !isPodTerminal(pod)).length,
    uncounted,
    succeeded:
      indexes?.succeeded.size ?? (status.succeeded ?? 0) + finished.succeeded.length + uncounted.succeeded.size,
    failed,
    indexes,
    startTime,
    backoff: nextBackoff(backoff, finished.succeeded, finished.failed),
    verdict: verdictOf({ job, pods, failed, indexes, deadlineInMs }, nowMs),
    deadlineInMs,
  };
}

/** Pods that are over and not in the status in any way. */
function newlyFinished(
  job: Job,
  pods: readonly Pod[],
  uncounted: JobState['uncounted'],
): { readonly succeeded: readonly Pod[]; readonly failed: readonly Pod[] } {
  const { spec } = job;
  const valid = pods.filter((pod) => isTracked(pod) && (!isIndexed(spec) || hasIndex(job, pod)));
  return {
    succeeded: valid.filter((pod) => pod.status?.phase === 'Succeeded' && !uncounted.succeeded.has(pod.metadata.uid!)),
    failed: valid.filter((pod) => isPodFailed(pod, job) && !uncounted.failed.has(pod.metadata.uid!)),
  };
}

export const hasIndex = ({ spec }: Job, pod: Pod): boolean => indexOf(pod, spec.completions ?? 0) !== undefined;

function timeToDeadline({ spec }: Job, startTime: string | undefined, nowMs: number): number | undefined {
  const { activeDeadlineSeconds, suspend } = spec;
  if (activeDeadlineSeconds === undefined || startTime === undefined || suspend === true) return undefined;
  return timeMs(startTime) + Number(activeDeadlineSeconds) * 1000 - nowMs;
}

type Judged = Pick<JobState, 'job' | 'pods' | 'failed' | 'indexes' | 'deadlineInMs'>;

/** What was found before stays, whatever pods say later. */
function verdictOf(state: Judged, nowMs: number): JobCondition | undefined {
  const { conditions: known = [] } = state.job.status;
  const met = conditions.heldCondition(known, 'SuccessCriteriaMet');
  if (met !== undefined) return met;
  const target = conditions.heldCondition(known, 'FailureTarget');
  if (target !== undefined)
    return conditions.newCondition('Failed', { reason: target.reason!, message: target.message! }, nowMs);
  const failure = failureOf(state);
  if (failure !== undefined) return conditions.newCondition('FailureTarget', failure, nowMs);
  const success = state.indexes === undefined ? undefined : successOf(state.job.spec, state.indexes.succeeded);
  if (success === undefined) return undefined;
  return conditions.newCondition('SuccessCriteriaMet', { reason: 'SuccessPolicy', message: success }, nowMs);
}

function failureOf({ job, pods, failed, indexes, deadlineInMs }: Judged): conditions.Finding | undefined {
  const { spec } = job;
  const message = jobFailureOf(job, pods);
  if (message !== undefined) return { reason: 'PodFailurePolicy', message };
  if (failed > (spec.backoffLimit ?? defaultBackoffLimit) || hasRestartedTooOften(job, pods))
    return conditions.backoffLimitExceeded;
  if (deadlineInMs !== undefined && deadlineInMs <= 0) return conditions.deadlineExceeded;
  const failedIndexes = indexes?.failed?.size ?? 0;
  if (spec.maxFailedIndexes !== undefined && failedIndexes > spec.maxFailedIndexes)
    return conditions.maxFailedIndexesExceeded;
  if (failedIndexes > 0 && failedIndexes + indexes!.succeeded.size >= (spec.completions ?? 0))
    return conditions.failedIndexes;
  return undefined;
}

const defaultBackoffLimit = 6;

/** Restarts of containers count like failures of pods. */
function hasRestartedTooOften({ spec }: Job, pods: readonly Pod[]): boolean {
  if (spec.template.spec.restartPolicy !== 'OnFailure') return false;
  let restarts = 0;
  for (const { status } of pods) {
    if (status?.phase !== 'Running' && status?.phase !== 'Pending') continue;
    for (const { restartCount } of [...(status.initContainerStatuses ?? []), ...(status.containerStatuses ?? [])])
      restarts += restartCount ?? 0;
  }
  return restarts >= Math.max(1, spec.backoffLimit ?? defaultBackoffLimit);
}

export type Step =
  /** The Job ends: these pods are deleted, and stay tracked until they are counted. */
  | { readonly type: 'end'; readonly pods: readonly Pod[] }
  /** There are too many pods: these are deleted without being counted. */
  | { readonly type: 'remove'; readonly pods: readonly Pod[] }
  | { readonly type: 'create'; readonly count: number; readonly indexes: readonly number[] | undefined }
  /** Pods are missing, and the time for another one has not come. */
  | { readonly type: 'wait'; readonly remainingMs: number }
  | { readonly type: 'none' };

/** @param nowMs since 1970 */
export function nextStep(state: JobState, nowMs: number): Step {
  const { job, active, verdict } = state;
  if (verdict !== undefined) return { type: 'end', pods: active };
  if (job.metadata.deletionTimestamp !== undefined) return { type: 'none' };
  const isSuspended = job.spec.suspend === true;
  const wanted = isSuspended ? 0 : wantedActive(state);
  const removed = podsToRemove(job, active, Math.max(0, active.length - wanted));
  if (removed.length > 0) return { type: 'remove', pods: isSuspended ? removed : removed.slice(0, maxPodsPerSync) };
  const missing = wanted - active.length - (replacesFailedOnly(job.spec) ? state.terminating : 0);
  return missing > 0 ? creation(state, Math.min(missing, maxPodsPerSync), nowMs) : { type: 'none' };
}

function wantedActive({ job, active, succeeded }: JobState): number {
  const { completions, parallelism = 1 } = job.spec;
  // Without a number of completions, the pods find out by themselves when the work is done.
  if (completions === undefined) return succeeded > 0 ? active.length : parallelism;
  return Math.max(0, Math.min(completions - succeeded, parallelism));
}

function creation(state: JobState, count: number, nowMs: number): Step {
  const { job, indexes, backoff } = state;
  if (indexes?.failed === undefined) {
    const remaining = remainingMs(backoff, nowMs);
    if (remaining > 0) return { type: 'wait', remainingMs: remaining };
  }
  if (indexes === undefined) return { type: 'create', count, indexes: undefined };
  const pending = pendingIndexes(state, indexes, count);
  const delays = pending.map((index) => remainingOfIndexMs(indexes.lastFailures.get(index), nowMs));
  const ready = pending.filter((_, i) => delays[i] === 0);
  if (ready.length === 0 && pending.length > 0) return { type: 'wait', remainingMs: Math.min(...delays) };
  return job.spec.completions === 0 || ready.length === 0
    ? { type: 'none' }
    : { type: 'create', count: ready.length, indexes: ready };
}

function pendingIndexes({ job, pods, active }: JobState, indexes: JobIndexes, count: number): number[] {
  const { completions = 0 } = job.spec;
  const terminating = replacesFailedOnly(job.spec)
    ? pods.filter((pod) => isPodTerminating(pod) && !isPodTerminal(pod))
    : [];
  return indexes.succeeded
    .union(indexes.failed ?? IndexSet.empty)
    .union(indexSetOf([...active, ...terminating], completions))
    .firstMissing(count, completions);
}
