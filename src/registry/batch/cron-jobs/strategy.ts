import {
  validateCronJob,
  validateCronJobStatusUpdate,
  validateCronJobUpdate,
} from '../../../api/batch/cron-jobs/validation.ts';
import { jobSpecWarnings } from '../../../api/batch/jobs/warnings.ts';
import type { CronJob } from '../../../api/gen/types/batch-v1.ts';
import { FieldPath } from '../../../machinery/field-path.ts';
import { dropTemplateFields, isChanged, podNameWarnings, templateRules } from '../../core/pods/template.ts';
import type { ResourceStrategy, Strategy } from '../../strategy.ts';

const jobPath = FieldPath.of('spec', 'jobTemplate', 'spec');

export const cronJobStrategy: ResourceStrategy<CronJob> = {
  generation: true,
  prepareForCreate(cronJob, context) {
    cronJob.status = {};
    dropTemplateFields(cronJob.spec.jobTemplate.spec.template, undefined, context);
  },
  validate: (cronJob, context) => validateCronJob(cronJob, templateRules(context)),
  *warningsOnCreate({ metadata, spec }) {
    yield* podNameWarnings(metadata);
    yield* jobSpecWarnings(spec.jobTemplate.spec, jobPath);
  },

  prepareForUpdate(cronJob, old, context) {
    cronJob.status = old.status;
    dropTemplateFields(cronJob.spec.jobTemplate.spec.template, old.spec.jobTemplate.spec.template, context);
  },
  validateUpdate: (cronJob, old, context) =>
    validateCronJobUpdate(
      cronJob,
      old,
      templateRules(context, cronJob.spec.jobTemplate.spec.template, old.spec.jobTemplate.spec.template),
    ),
  *warningsOnUpdate(cronJob, old) {
    if (isChanged(cronJob, old)) yield* jobSpecWarnings(cronJob.spec.jobTemplate.spec, jobPath);
    if (cronJob.spec.schedule?.includes('TZ') === true) yield zoneWarning;
  },
  resetFields: [['status']],
};

const zoneWarning =
  'cannot use TZ or CRON_TZ in spec.spec.schedule, use timeZone instead, see ' +
  'https://kubernetes.io/docs/concepts/workloads/controllers/cron-jobs/ for more details';

export const cronJobStatusStrategy: Strategy<CronJob> = {
  prepareForUpdate(cronJob, old) {
    cronJob.spec = old.spec;
  },
  validateUpdate: validateCronJobStatusUpdate,
  resetFields: [['spec']],
};
