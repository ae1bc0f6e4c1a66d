/** The indexes of a Job whose pods each have one. */
import type { Job } from '../../api/gen/types/batch-v1.ts';
import type { Pod } from '../../api/gen/types/core-v1.ts';
import { finishedAtMs } from './backoff.ts';
import { judgeFailure } from './failure-policy.ts';
import { IndexSet } from './index-set.ts';
import { failuresBefore, ignoredFailuresBefore, indexOf, isPodFailed, isTracked } from './job-pods.ts';

export interface JobIndexes {
  /** As the status has them. */
  readonly counted: IndexSet;
  /** With those of pods that are not counted yet. */
  readonly succeeded: IndexSet;
  /** Absent where failures are not counted for each index. */
  readonly failed: IndexSet | undefined;
  /**
   * The last failed pod of each index that waits for another pod. It is kept until then: the next pod takes over its
   * count of failures.
   */
  readonly lastFailures: ReadonlyMap<number, Pod>;
}

export function indexesOf(job: Job, pods: readonly Pod[], active: readonly Pod[]): JobIndexes {
  const { completions = 0, backoffLimitPerIndex } = job.spec;
  const tracked = pods.filter(isTracked);
  const counted = IndexSet.parse(job.status.completedIndexes ?? '', completions);
  const succeeded = counted.union(
    indexSetOf(
      tracked.filter(({ status }) => status?.phase === 'Succeeded'),
      completions,
    ),
  );
  if (backoffLimitPerIndex === undefined) return { counted, succeeded, failed: undefined, lastFailures: new Map() };
  const failed = IndexSet.parse(job.status.failedIndexes ?? '', completions).union(
    indexSetOf(
      tracked.filter((pod) => failsIndex(job, pod)),
      completions,
    ),
  );
  const settled = succeeded.union(failed).union(indexSetOf(active, completions));
  return { counted, succeeded, failed, lastFailures: lastFailuresOf(job, tracked, settled) };
}

export function indexSetOf(pods: readonly Pod[], completions: number): IndexSet {
  return IndexSet.of(pods.map((pod) => indexOf(pod, completions)).filter((index) => index !== undefined));
}

function failsIndex(job: Job, pod: Pod): boolean {
  if (!isPodFailed(pod, job)) return false;
  const { action, counts } = judgeFailure(job.spec, pod);
  return action === 'FailIndex' || (counts && failuresBefore(pod) >= job.spec.backoffLimitPerIndex!);
}

function lastFailuresOf(job: Job, tracked: readonly Pod[], settled: IndexSet): Map<number, Pod> {
  const last = new Map<number, Pod>();
  for (const pod of tracked) {
    const index = indexOf(pod, job.spec.completions ?? 0);
    if (index === undefined || settled.has(index) || !isPodFailed(pod, job)) continue;
    const other = last.get(index);
    if (other === undefined || isLater(pod, other)) last.set(index, pod);
  }
  return last;
}

const failureCount = (pod: Pod): number => failuresBefore(pod) + ignoredFailuresBefore(pod);

const isLater = (pod: Pod, other: Pod): boolean =>
  failureCount(pod) >= failureCount(other) && finishedAtMs(pod) >= finishedAtMs(other);
