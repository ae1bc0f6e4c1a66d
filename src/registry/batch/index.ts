import { setCronJobDefaults } from '../../api/batch/cron-jobs/defaults.ts';
import { cronJobCells } from '../../api/batch/cron-jobs/table.ts';
import { setJobDefaults } from '../../api/batch/jobs/defaults.ts';
import { jobCells } from '../../api/batch/jobs/table.ts';
import type { CronJob, Job } from '../../api/gen/types/batch-v1.ts';
import { defineResource, type ResourceDefinition } from '../strategy.ts';
import { cronJobStatusStrategy, cronJobStrategy } from './cron-jobs/strategy.ts';
import { jobStatusStrategy, jobStrategy } from './jobs/strategy.ts';

const group = 'batch';

export const definitions: ResourceDefinition[] = [
  defineResource<Job>({
    group,
    resource: 'jobs',
    versions: { v1: { defaults: setJobDefaults } },
    strategy: jobStrategy,
    status: jobStatusStrategy,
    table: { cells: (job, { now }) => jobCells(job, now) },
  }),
  defineResource<CronJob>({
    group,
    resource: 'cronjobs',
    versions: { v1: { defaults: setCronJobDefaults } },
    strategy: cronJobStrategy,
    status: cronJobStatusStrategy,
    table: { cells: (cronJob, { now }) => cronJobCells(cronJob, now) },
  }),
];
