/** Which finished Jobs of a CronJob are kept. */
import type { CronJob, Job } from '../../api/gen/types/batch-v1.ts';
import { timeMs } from '../shared/pod-conditions.ts';
import { finishedCondition } from '../jobs/conditions.ts';

/** The oldest of those beyond the limits. */
export function jobsToForget({ spec }: CronJob, jobs: readonly Job[]): Job[] {
  const { successfulJobsHistoryLimit, failedJobsHistoryLimit } = spec;
  return [
    ...oldest(withEnd(jobs, 'Complete'), successfulJobsHistoryLimit),
    ...oldest(withEnd(jobs, 'Failed'), failedJobsHistoryLimit),
  ];
}

const withEnd = (jobs: readonly Job[], type: 'Complete' | 'Failed'): Job[] =>
  jobs.filter(({ status }) => finishedCondition(status.conditions ?? [])?.type === type);

function oldest(jobs: readonly Job[], kept: number | undefined): Job[] {
  if (kept === undefined || jobs.length <= kept) return [];
  return jobs.toSorted(byStart).slice(0, jobs.length - kept);
}

/** Jobs that never started are the youngest. */
function byStart(a: Job, b: Job): number {
  const [first, second] = [startMs(a), startMs(b)];
  if (first !== second) return first < second ? -1 : 1;
  return a.metadata.name! < b.metadata.name! ? -1 : 1;
}

const startMs = ({ status }: Job): number => (status.startTime === undefined ? Infinity : timeMs(status.startTime));
