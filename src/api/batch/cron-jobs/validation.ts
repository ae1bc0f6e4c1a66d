/** @see {@link https://kubernetes.io/docs/concepts/workloads/controllers/cron-jobs/ | CronJobs} */
import type { CronJob, CronJobSpec, JobTemplateSpec } from '../../gen/types/batch-v1.ts';
import { invalid, notSupported, required } from '../../../machinery/field-error.ts';
import type { FieldErrors } from '../../../machinery/field-errors.ts';
import { FieldPath } from '../../../machinery/field-path.ts';
import type { PodValidationOptions } from '../../core/pods/validation-option-types.ts';
import { shownSelector } from '../../core/pod-templates/workload.ts';
import { checkNonNegative } from '../../meta/checks.ts';
import { subdomainName } from '../../meta/name-rules.ts';
import { validateBuiltInMeta, validateBuiltInMetaUpdate } from '../../meta/object-meta.ts';
import { CronParseError, parseCronSchedule } from '../cron-schedule.ts';
import { checkJobSpec } from '../jobs/spec.ts';
import { locationProblem } from '../time-zones.ts';

const specPath = FieldPath.of('spec');
const namePath = FieldPath.of('metadata', 'name');

/** Names of Jobs end in a hyphen and ten digits of time, and may have 63 characters. */
const maxNameLength = 52;

export function validateCronJob({ metadata, spec }: CronJob, rules: PodValidationOptions): FieldErrors {
  const errors = validateBuiltInMeta(metadata, { namespaced: true, validateName: subdomainName });
  checkSpec(spec, undefined, errors, rules);
  const { name = '' } = metadata;
  if (name.length > maxNameLength)
    errors.push(invalid(namePath, name, `must be no more than ${maxNameLength} characters`));
  return errors;
}

export function validateCronJobUpdate(
  { metadata, spec }: CronJob,
  old: CronJob,
  rules: PodValidationOptions,
): FieldErrors {
  const errors = validateBuiltInMetaUpdate(metadata, old.metadata);
  checkSpec(spec, old.spec, errors, rules);
  return errors;
}

export const validateCronJobStatusUpdate = ({ metadata }: CronJob, old: CronJob): FieldErrors =>
  validateBuiltInMetaUpdate(metadata, old.metadata);

const policies = ['Allow', 'Forbid', 'Replace'];

function checkSpec(
  spec: CronJobSpec,
  old: CronJobSpec | undefined,
  errors: FieldErrors,
  rules: PodValidationOptions,
): void {
  const { timeZone, concurrencyPolicy: policy } = spec;
  checkSchedule(spec, old, specPath.child('schedule'), errors);
  checkNonNegative(spec.startingDeadlineSeconds, specPath.child('startingDeadlineSeconds'), errors);
  if (timeZone !== undefined && timeZone !== old?.timeZone) checkTimeZone(timeZone, specPath.child('timeZone'), errors);
  if (policy === undefined) errors.push(required(specPath.child('concurrencyPolicy')));
  else if (!policies.includes(policy)) errors.push(notSupported(specPath.child('concurrencyPolicy'), policy, policies));
  checkJobTemplate(spec.jobTemplate, specPath.child('jobTemplate', 'spec'), errors, rules);
  checkNonNegative(spec.successfulJobsHistoryLimit, specPath.child('successfulJobsHistoryLimit'), errors);
  checkNonNegative(spec.failedJobsHistoryLimit, specPath.child('failedJobsHistoryLimit'), errors);
}

function checkSchedule(
  { schedule = '', timeZone }: CronJobSpec,
  old: CronJobSpec | undefined,
  path: FieldPath,
  errors: FieldErrors,
): void {
  if (schedule === '') return void errors.push(required(path));
  try {
    parseCronSchedule(schedule);
  } catch (error) {
    if (!(error instanceof CronParseError)) throw error;
    errors.push(invalid(path, schedule, error.message));
  }
  if (!schedule.includes('TZ')) return;
  // Schedules with a zone are older than the field, and those that have one may keep it.
  if (old?.schedule?.includes('TZ') !== true)
    errors.push(invalid(path, schedule, 'cannot use TZ or CRON_TZ in schedule, use timeZone field instead'));
  else if (timeZone !== undefined)
    errors.push(invalid(path, schedule, 'cannot use both timeZone field and TZ or CRON_TZ in schedule'));
}

const zonePart = /^(?!-|\.\.?$)[A-Za-z.\-_0-9+]{1,14}$/;

function checkTimeZone(timeZone: string, path: FieldPath, errors: FieldErrors): void {
  if (timeZone === '') return void errors.push(invalid(path, timeZone, 'timeZone must be nil or non-empty string'));
  if (!timeZone.split('/').every((part) => zonePart.test(part)))
    return void errors.push(invalid(path, timeZone, `unknown time zone ${timeZone}`));
  if (timeZone.toLowerCase() === 'local')
    errors.push(
      invalid(path, timeZone, 'timeZone must be an explicit time zone as defined in https://www.iana.org/time-zones'),
    );
  const problem = locationProblem(timeZone);
  if (problem !== undefined) errors.push(invalid(path, timeZone, problem));
}

/** Each Job gets a selector of its own. */
function checkJobTemplate(
  { spec }: JobTemplateSpec,
  path: FieldPath,
  errors: FieldErrors,
  rules: PodValidationOptions,
): void {
  checkJobSpec(spec, path, errors, rules);
  if (spec.selector !== undefined)
    errors.push(invalid(path.child('selector'), shownSelector(spec.selector), '`selector` will be auto-generated'));
  if (spec.manualSelector === true) errors.push(notSupported(path.child('manualSelector'), true, ['nil', 'false']));
}
