import type { Job } from '../../gen/types/batch-v1.ts';
import { humanDuration } from '../../../machinery/human-duration.ts';
import { formatLabelSelector } from '../../meta/label-selector.ts';
import { ageCell, containerCells } from '../../table/cells.ts';
import { trueConditions } from './conditions.ts';

export const jobCells = (job: Job, now: Date): (string | number)[] => [
  job.metadata.name ?? '',
  statusCell(job),
  completionsCell(job),
  durationCell(job, now),
  ageCell(job.metadata.creationTimestamp, now),
  ...containerCells(job.spec.template.spec.containers),
  formatLabelSelector(job.spec.selector),
];

function statusCell({ metadata, status }: Job): string {
  const conditions = trueConditions(status);
  if (conditions.has('Complete')) return 'Complete';
  if (conditions.has('Failed')) return 'Failed';
  if (metadata.deletionTimestamp !== undefined) return 'Terminating';
  if (conditions.has('Suspended')) return 'Suspended';
  return conditions.has('FailureTarget') ? 'FailureTarget' : 'Running';
}

/** Without a number of completions any success ends the Job. */
function completionsCell({ spec: { completions, parallelism = 0 }, status: { succeeded = 0 } }: Job): string {
  if (completions !== undefined) return `${succeeded}/${completions}`;
  return parallelism > 1 ? `${succeeded}/1 of ${parallelism}` : `${succeeded}/1`;
}

function durationCell({ status: { startTime, completionTime } }: Job, now: Date): string {
  if (startTime === undefined) return '';
  const end = completionTime === undefined ? now.getTime() : Date.parse(completionTime);
  return humanDuration(end - Date.parse(startTime));
}
