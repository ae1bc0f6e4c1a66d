/** When a Job that is over is deleted. */
import type { Job } from '../../api/gen/types/batch-v1.ts';
import { finishedCondition } from '../jobs/conditions.ts';
import { timeMs } from '../shared/pod-conditions.ts';

/** Milliseconds since 1970; undefined for a Job that is not over, stays, or goes already. */
export function expiryOf({ metadata, spec, status }: Job): number | undefined {
  const { ttlSecondsAfterFinished: ttlSeconds } = spec;
  if (ttlSeconds === undefined || metadata.deletionTimestamp !== undefined) return undefined;
  const finished = finishedCondition(status.conditions ?? []);
  if (finished === undefined) return undefined;
  if (finished.lastTransitionTime === undefined)
    throw new Error(`unable to find the time when the Job ${metadata.namespace}/${metadata.name} finished`);
  return timeMs(finished.lastTransitionTime) + ttlSeconds * 1000;
}
