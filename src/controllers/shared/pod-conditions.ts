/** What controllers ask of a pod. */
import type { Pod, PodCondition } from '../../api/gen/types/core-v1.ts';
import { parseTime } from '../../machinery/time.ts';
import { isPodTerminal } from '../../api/core/pods/is-terminal.ts';

export const podCondition = (pod: Pod, type: string): PodCondition | undefined =>
  pod.status?.conditions?.find((condition) => condition.type === type);

export const isPodReady = (pod: Pod): boolean => podCondition(pod, 'Ready')?.status === 'True';

export const isPodTerminating = ({ metadata }: Pod): boolean => metadata.deletionTimestamp !== undefined;

/** Counts as a replica: neither over nor about to be. */
export const isPodActive = (pod: Pod): boolean => !isPodTerminal(pod) && !isPodTerminating(pod);

/** Milliseconds since 1970, when the pod became ready. Undefined for a pod that is not ready, or does not say. */
export function readySinceMs(pod: Pod): number | undefined {
  const ready = podCondition(pod, 'Ready');
  if (ready?.status !== 'True' || ready.lastTransitionTime === undefined) return undefined;
  return timeMs(ready.lastTransitionTime);
}

export const timeMs = (text: string): number => {
  const { seconds, nanos } = parseTime(text);
  return seconds * 1000 + nanos / 1e6;
};

/** Ready, and for so long. @param nowMs since 1970 */
export function isPodAvailable(pod: Pod, minReadySeconds: number, nowMs: number): boolean {
  if (!isPodReady(pod)) return false;
  if (minReadySeconds === 0) return true;
  const since = readySinceMs(pod);
  return since !== undefined && since + minReadySeconds * 1000 <= nowMs;
}

/**
 * Milliseconds until the next of the ready pods is available; undefined when none waits for that.
 * @param nowMs since 1970
 */
export function untilAvailableMs(pods: readonly Pod[], minReadySeconds: number, nowMs: number): number | undefined {
  if (minReadySeconds === 0) return undefined;
  const waits = pods.flatMap((pod) => {
    const since = readySinceMs(pod);
    return since === undefined ? [] : [since + minReadySeconds * 1000 - nowMs];
  });
  const left = waits.filter((wait) => wait > 0);
  return left.length === 0 ? undefined : Math.min(...left);
}
