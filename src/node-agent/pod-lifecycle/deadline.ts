/**
 * A pod that may be active for so long and no longer.
 * @see {@link https://kubernetes.io/docs/concepts/workloads/pods/init-containers/#detailed-behavior |
 *   activeDeadlineSeconds}
 */
import type { PodSpec } from '../../api/gen/types/core-v1.ts';
import type { PodEnd } from './pod-status.ts';

export const deadlineExceeded: PodEnd = {
  reason: 'DeadlineExceeded',
  message: 'Pod was active on the node longer than the specified deadline',
};

/** Milliseconds until the deadline, 0 when it has passed; undefined without one. */
export function untilDeadline(
  { activeDeadlineSeconds }: PodSpec,
  startTimeMs: number | undefined,
  nowMs: number,
): number | undefined {
  if (activeDeadlineSeconds === undefined || startTimeMs === undefined) return undefined;
  return Math.max(0, startTimeMs + Number(activeDeadlineSeconds) * 1000 - nowMs);
}
