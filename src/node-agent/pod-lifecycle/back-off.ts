/**
 * How long a container that keeps ending waits before it is started again: the first restart is at once, then 10 s,
 * twice as long after each further end, 300 s at most.
 * @see {@link https://kubernetes.io/docs/concepts/workloads/pods/pod-lifecycle/#restart-policy | Container restart
 *   policy}
 */
import { formatDuration } from '../../machinery/duration.ts';
import type { BackOff, ContainerRecord, PodLike, WaitingReason } from './state.ts';

const firstMs = 10_000;
/** Where the configuration says no other. */
export const usualMaxMs = 300_000;
/** A container that ran so long since the delay was set begins anew. */
const forgottenAfterMs = 2 * usualMaxMs;

/** Milliseconds until the container may be started; 0 at once. */
export function waitBeforeRestart({ newest, backOff }: ContainerRecord, nowMs: number): number {
  if (newest?.state !== 'exited' || backOff === undefined) return 0;
  if (isForgotten(backOff, newest.finishedAtMs)) return 0;
  const leftMs = newest.finishedAtMs + backOff.delayMs - nowMs;
  // A clock that was set back would hold the container up for as long.
  return leftMs > backOff.delayMs ? 0 : Math.max(0, leftMs);
}

/** What the record has once the container is started again. @param maxMs the longest delay */
export function nextBackOff(
  { newest, backOff }: ContainerRecord,
  nowMs: number,
  maxMs = usualMaxMs,
): BackOff | undefined {
  if (newest?.state !== 'exited') return backOff;
  if (backOff === undefined || isForgotten(backOff, newest.finishedAtMs))
    return { delayMs: Math.min(firstMs, maxMs), atMs: nowMs };
  return { delayMs: Math.min(2 * backOff.delayMs, maxMs), atMs: nowMs };
}

const isForgotten = ({ atMs }: BackOff, finishedAtMs: number): boolean => finishedAtMs - atMs > forgottenAfterMs;

/** What the status of a container says that waits for its restart. */
export function crashLoopReason({ metadata }: PodLike, container: string, { delayMs }: BackOff): WaitingReason {
  const { name, namespace, uid } = metadata;
  const delay = formatDuration(BigInt(delayMs) * 1_000_000n);
  return {
    reason: 'CrashLoopBackOff',
    message: `back-off ${delay} restarting failed container=${container} pod=${name}_${namespace}(${uid})`,
  };
}
