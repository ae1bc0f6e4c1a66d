/**
 * How long a Job waits after a failure before it makes another pod: 10 s after the first one, twice as long after each
 * further one, 10 minutes at most.
 * @see {@link
 *   https://kubernetes.io/docs/concepts/workloads/controllers/job/#pod-backoff-failure-policy | Pod backoff failure
 *   policy}
 */
import type { Pod } from '../../api/gen/types/core-v1.ts';
import { podCondition, timeMs } from '../shared/pod-conditions.ts';
import { failuresBefore, ignoredFailuresBefore } from './job-pods.ts';

const firstMs = 10_000;
const maxMs = 10 * 60_000;

export interface Backoff {
  /** Since the last success. */
  readonly failures: number;
  /** Milliseconds since 1970. */
  readonly lastFailureMs: number;
}

export const noBackoff: Backoff = { failures: 0, lastFailureMs: 0 };

/**
 * @param succeeded pods that were not known to be over before
 * @param failed the same
 */
export function nextBackoff(before: Backoff, succeeded: readonly Pod[], failed: readonly Pod[]): Backoff {
  const failures = failed.map(finishedAtMs);
  if (succeeded.length === 0) {
    if (failures.length === 0) return before;
    return { failures: before.failures + failures.length, lastFailureMs: Math.max(...failures) };
  }
  const lastSuccessMs = Math.max(...succeeded.map(finishedAtMs));
  const later = failures.filter((failureMs) => failureMs > lastSuccessMs);
  return later.length === 0 ? noBackoff : { failures: later.length, lastFailureMs: Math.max(...later) };
}

/** Milliseconds until another pod may be made. @param nowMs since 1970 */
export function remainingMs({ failures, lastFailureMs }: Backoff, nowMs: number): number {
  if (failures === 0) return 0;
  const wholeMs = Math.min(firstMs * 2 ** Math.min(failures - 1, maxDoublings), maxMs);
  return Math.max(0, lastFailureMs + wholeMs - nowMs);
}

/** More than it takes to reach the longest delay. */
const maxDoublings = 30;

/** The same for one index of a Job that counts the failures of each. @param last pod of the index, which failed */
export function remainingOfIndexMs(last: Pod | undefined, nowMs: number): number {
  if (last === undefined) return 0;
  const failures = failuresBefore(last) + ignoredFailuresBefore(last) + 1;
  return remainingMs({ failures, lastFailureMs: finishedAtMs(last) }, nowMs);
}

/** When a pod ended, in milliseconds since 1970, as well as it can be known. */
export function finishedAtMs(pod: Pod): number {
  const { creationTimestamp } = pod.metadata;
  return (
    containersFinishedAtMs(pod) ??
    unreadySinceMs(pod) ??
    deletionAskedAtMs(pod) ??
    (creationTimestamp === undefined ? 0 : timeMs(creationTimestamp))
  );
}

function containersFinishedAtMs({ status }: Pod): number | undefined {
  const times = (status?.containerStatuses ?? []).map(({ state }) => state?.terminated?.finishedAt);
  if (times.length === 0 || times.includes(undefined)) return undefined;
  return Math.max(...times.map((time) => timeMs(time!)));
}

function unreadySinceMs(pod: Pod): number | undefined {
  const ready = podCondition(pod, 'Ready');
  return ready?.status === 'False' && ready.lastTransitionTime !== undefined
    ? timeMs(ready.lastTransitionTime)
    : undefined;
}

/** The timestamp says when the grace period is over. */
const deletionAskedAtMs = ({ metadata }: Pod): number | undefined =>
  metadata.deletionTimestamp === undefined
    ? undefined
    : timeMs(metadata.deletionTimestamp) - Number(metadata.deletionGracePeriodSeconds ?? 0) * 1000;
