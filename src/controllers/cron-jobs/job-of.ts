/** The Job of a CronJob for one time of its schedule. */
import type { CronJob, Job } from '../../api/gen/types/batch-v1.ts';
import type { Input } from '../../client/index.ts';
import { formatTime } from '../../machinery/time.ts';
import { controllerReference } from '../shared/owner-references.ts';
import { formatMs } from '../shared/times.ts';
import { offsetOf } from './due.ts';

const timeAnnotation = 'batch.kubernetes.io/cronjob-scheduled-timestamp';

/** The same for each try: a Job is not made twice for a time. */
export const jobName = ({ metadata }: CronJob, atMs: number): string => `${metadata.name}-${Math.floor(atMs / 60_000)}`;

/** @param atMs the time of the schedule, since 1970 */
export function jobOf(cronJob: CronJob, atMs: number): Input<Job> {
  const { jobTemplate, timeZone = '' } = cronJob.spec;
  const { labels, annotations } = jobTemplate.metadata ?? {};
  return {
    metadata: {
      name: jobName(cronJob, atMs),
      namespace: cronJob.metadata.namespace!,
      ...(labels === undefined ? {} : { labels }),
      annotations: { ...annotations, [timeAnnotation]: timeIn(timeZone, atMs) },
      ownerReferences: [controllerReference(cronJob)],
    },
    spec: jobTemplate.spec,
  };
}

/** RFC 3339 in the time of the zone. */
function timeIn(timeZone: string, atMs: number): string {
  const offsetMs = offsetOf(timeZone)(atMs);
  if (offsetMs === 0) return formatMs(atMs);
  const minutes = Math.abs(offsetMs) / 60_000;
  const two = (number: number): string => String(Math.floor(number)).padStart(2, '0');
  const local = formatTime(Math.floor((atMs + offsetMs) / 1000)).slice(0, -1);
  return `${local}${offsetMs < 0 ? '-' : '+'}${two(minutes / 60)}:${two(minutes % 60)}`;
}
