/** What the pods of a Job say to it. */
import type { Job, JobSpec } from '../../api/gen/types/batch-v1.ts';
import type { Pod } from '../../api/gen/types/core-v1.ts';
import { isPodTerminating } from '../shared/pod-conditions.ts';

/** On each pod of a Job until it is counted in the status (KEP-2307). */
export const trackingFinalizer = 'batch.kubernetes.io/job-tracking';
export const indexName = 'batch.kubernetes.io/job-completion-index';
export const failureCountName = 'batch.kubernetes.io/job-index-failure-count';
export const ignoredFailureCountName = 'batch.kubernetes.io/job-index-ignored-failure-count';

export const isTracked = ({ metadata }: Pod): boolean => metadata.finalizers?.includes(trackingFinalizer) ?? false;

export const isIndexed = ({ completionMode }: JobSpec): boolean => completionMode === 'Indexed';

/** Pods that are being deleted are replaced once they are gone, not before. */
export const replacesFailedOnly = ({ podReplacementPolicy, podFailurePolicy }: JobSpec): boolean =>
  podReplacementPolicy === 'Failed' || podFailurePolicy !== undefined;

/** A pod that is deleted counts as failed at once, where it is replaced at once. */
export function isPodFailed(pod: Pod, { spec }: Job): boolean {
  const { phase } = pod.status ?? {};
  if (phase === 'Failed') return true;
  return !replacesFailedOnly(spec) && isPodTerminating(pod) && phase !== 'Succeeded';
}

/** The completion index of a pod; undefined where it says none, or one that the Job does not have. */
export function indexOf({ metadata }: Pod, completions: number): number | undefined {
  const text = metadata.annotations?.[indexName] ?? '';
  const index = /^\+?\d{1,10}$/.test(text) ? Number(text) : undefined;
  return index !== undefined && index < completions ? index : undefined;
}

/** How many pods of the index failed before this one, and count against the limit. */
export const failuresBefore = (pod: Pod): number => countOf(pod, failureCountName);

/** How many pods of the index failed before this one by what the failure policy ignores. */
export const ignoredFailuresBefore = (pod: Pod): number => countOf(pod, ignoredFailureCountName);

function countOf({ metadata }: Pod, annotation: string): number {
  const text = metadata.annotations?.[annotation] ?? '';
  const count = /^\+?\d{1,10}$/.test(text) ? Number(text) : 0;
  return count < 2 ** 31 ? count : 0;
}
