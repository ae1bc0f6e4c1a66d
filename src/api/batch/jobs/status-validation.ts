/**
 * The controller of a Job reports by its status: it may not contradict itself nor take back what is final. Most rules
 * apply only when the field they are about changes, so that an invalid status can still be repaired step by step.
 * @see {@link https://kep.k8s.io/4368 | KEP-4368}
 */
import type { Job, JobSpec, JobStatus, UncountedTerminatedPods } from '../../gen/types/batch-v1.ts';
import { isEqual } from '../../../machinery/equal.ts';
import { duplicate, type FieldError, invalid, omitted, required } from '../../../machinery/field-error.ts';
import type { FieldErrors } from '../../../machinery/field-errors.ts';
import { FieldPath } from '../../../machinery/field-path.ts';
import { goTime } from '../../../machinery/go-quote.ts';
import { validateBuiltInMetaUpdate } from '../../meta/object-meta.ts';
import { checkCounts } from '../../apps/replica-counts.ts';
import { isFinished, trueConditions } from './conditions.ts';
import { countIndexes, firstCommonIndex, IndexesError } from './indexes.ts';
import { shownStruct } from '../../shown-struct.ts';

const statusPath = FieldPath.of('status');
const conditionsPath = statusPath.child('conditions');
const startPath = statusPath.child('startTime');
const completionPath = statusPath.child('completionTime');
const failedIndexesPath = statusPath.child('failedIndexes');
const completedIndexesPath = statusPath.child('completedIndexes');

type ConditionSet = ReadonlySet<string | undefined>;

/** A status and the one before. */
interface Change {
  readonly spec: JobSpec;
  readonly status: JobStatus;
  readonly old: JobStatus;
  readonly conditions: ConditionSet;
  readonly oldConditions: ConditionSet;
  /** Whether a condition holds now and did not, or the other way round. */
  changed(...types: string[]): boolean;
  /** Whether the Job is finished now and was not, or the other way round. */
  readonly isFinishedChanged: boolean;
  differs(...names: (keyof JobStatus)[]): boolean;
}

function changeOf({ spec, status }: Job, { status: old }: Job): Change {
  const conditions = trueConditions(status);
  const oldConditions = trueConditions(old);
  return {
    spec,
    status,
    old,
    conditions,
    oldConditions,
    changed: (...types) => types.some((type) => conditions.has(type) !== oldConditions.has(type)),
    isFinishedChanged: isFinished(conditions) !== isFinished(oldConditions),
    differs: (...names) => names.some((name) => !isEqual(status[name], old[name])),
  };
}

export function validateJobStatusUpdate(job: Job, old: Job): FieldErrors {
  const errors = validateBuiltInMetaUpdate(job.metadata, old.metadata);
  const change = changeOf(job, old);
  checkCounts(job.status, ['active', 'succeeded', 'failed', 'ready', 'terminating'], statusPath, errors);
  checkUncounted(job.status.uncountedTerminatedPods, statusPath.child('uncountedTerminatedPods'), errors);
  checkCompletion(change, errors);
  checkFinished(change, errors);
  checkIndexes(change, errors);
  checkRunningPods(change, errors);
  checkSuccessCriteria(change, errors);
  checkFinalConditions(change, errors);
  checkCounters(change, errors);
  checkTimes(change, errors);
  checkCriteriaChange(change, errors);
  return errors;
}

function checkUncounted(
  { succeeded = [], failed = [] }: UncountedTerminatedPods = {},
  path: FieldPath,
  errors: FieldErrors,
): void {
  const seen = new Set<string>();
  const check = (uids: readonly string[], at: FieldPath): void =>
    uids.forEach((uid, i) => {
      if (uid === '') errors.push(invalid(at.index(i), uid, 'must not be empty'));
      else if (seen.has(uid)) errors.push(duplicate(at.index(i), uid));
      seen.add(uid);
    });
  check(succeeded, path.child('succeeded'));
  check(failed, path.child('failed'));
}

const contradiction = (message: string): FieldError => invalid(conditionsPath, omitted, message);

function checkCompletion({ status, conditions, changed, differs }: Change, errors: FieldErrors): void {
  const { startTime, completionTime } = status;
  const isComplete = conditions.has('Complete');
  if (changed('Complete', 'Failed') && isComplete && conditions.has('Failed'))
    errors.push(contradiction('cannot set Complete=True and Failed=true conditions'));
  if (changed('Complete', 'FailureTarget') && isComplete && conditions.has('FailureTarget'))
    errors.push(contradiction('cannot set Complete=True and FailureTarget=true conditions'));
  if (changed('Complete') || differs('completionTime')) {
    if (completionTime !== undefined && !isComplete)
      errors.push(
        invalid(
          completionPath,
          goTime(completionTime),
          'cannot set completionTime when there is no Complete=True condition',
        ),
      );
    if (completionTime === undefined && isComplete)
      errors.push(required(completionPath, 'completionTime is required for Complete jobs'));
  }
  if (
    differs('startTime', 'completionTime') &&
    startTime !== undefined &&
    completionTime !== undefined &&
    completionTime < startTime
  ) {
    errors.push(invalid(completionPath, goTime(completionTime), 'completionTime cannot be set before startTime'));
  }
}

function checkFinished(
  { spec, status, conditions, changed, differs, isFinishedChanged }: Change,
  errors: FieldErrors,
): void {
  if (changed('Failed') && conditions.has('Failed') && !conditions.has('FailureTarget'))
    errors.push(contradiction('cannot set Failed=True condition without the FailureTarget=true condition'));
  if (changed('Complete') && conditions.has('Complete') && !conditions.has('SuccessCriteriaMet'))
    errors.push(contradiction('cannot set Complete=True condition without the SuccessCriteriaMet=true condition'));
  if (!isFinished(conditions)) return;
  const { active = 0, startTime, uncountedTerminatedPods: uncounted } = status;
  if ((isFinishedChanged || differs('active')) && active > 0)
    errors.push(invalid(statusPath.child('active'), active, 'active>0 is invalid for finished job'));
  // A suspended Job of nothing is complete without having started.
  const neverStarts = spec.suspend === true && spec.completions === 0;
  if ((isFinishedChanged || differs('startTime')) && startTime === undefined && !neverStarts)
    errors.push(required(startPath, 'startTime is required for finished job'));
  if ((isFinishedChanged || differs('uncountedTerminatedPods')) && uncounted !== undefined && hasUncounted(uncounted)) {
    errors.push(
      invalid(
        statusPath.child('uncountedTerminatedPods'),
        shownStruct('batch/v1.UncountedTerminatedPods', uncounted),
        'uncountedTerminatedPods needs to be empty for finished job',
      ),
    );
  }
}

const hasUncounted = ({ succeeded = [], failed = [] }: UncountedTerminatedPods): boolean =>
  succeeded.length + failed.length > 0;

function checkIndexes({ spec, status, differs }: Change, errors: FieldErrors): void {
  const { completedIndexes: completed = '', failedIndexes: failed } = status;
  const { completions, backoffLimitPerIndex, completionMode } = spec;
  const completedDiffers = differs('completedIndexes');
  const failedDiffers = differs('failedIndexes');
  if (completedDiffers && completions !== undefined)
    checkReadable(completed, completions, 'completedIndexes', completedIndexesPath, errors);
  if (failedDiffers && failed !== undefined && completions !== undefined && backoffLimitPerIndex !== undefined)
    checkReadable(failed, completions, 'failedIndexes', failedIndexesPath, errors);
  if (completedDiffers && completed !== '' && completionMode !== 'Indexed')
    errors.push(
      invalid(
        completedIndexesPath,
        completed,
        'cannot set non-empty completedIndexes when non-indexed completion mode',
      ),
    );
  if (failedDiffers && failed !== undefined && backoffLimitPerIndex === undefined)
    errors.push(
      invalid(failedIndexesPath, failed, 'cannot set non-null failedIndexes when backoffLimitPerIndex is null'),
    );
  if ((completedDiffers || failedDiffers) && failed !== undefined && completions !== undefined)
    checkNoOverlap(completed, failed, completions, errors);
}

function checkReadable(indexes: string, completions: number, name: string, path: FieldPath, errors: FieldErrors): void {
  try {
    countIndexes(indexes, completions);
  } catch (error) {
    if (!(error instanceof IndexesError)) throw error;
    errors.push(invalid(path, indexes, `error parsing ${name}: ${error.message}`));
  }
}

function checkNoOverlap(completed: string, failed: string, completions: number, errors: FieldErrors): void {
  const common = firstCommonIndex(completed, failed, completions);
  if (common !== undefined)
    errors.push(invalid(failedIndexesPath, failed, `failedIndexes and completedIndexes overlap at index: ${common}`));
}

function checkRunningPods(
  { status: { terminating = 0, ready, active = 0 }, conditions, differs, isFinishedChanged }: Change,
  errors: FieldErrors,
): void {
  if ((isFinishedChanged || differs('terminating')) && terminating > 0 && isFinished(conditions))
    errors.push(invalid(statusPath.child('terminating'), terminating, 'terminating>0 is invalid for finished job'));
  if (differs('ready', 'active') && ready !== undefined && ready > active)
    errors.push(invalid(statusPath.child('ready'), ready, 'cannot set more ready pods than active'));
}

/** These hold whatever changed. */
function checkSuccessCriteria({ spec, conditions }: Change, errors: FieldErrors): void {
  const isMet = conditions.has('SuccessCriteriaMet');
  if (isMet && conditions.has('Failed'))
    errors.push(contradiction('cannot set SuccessCriteriaMet=True and Failed=true conditions'));
  if (isMet && conditions.has('FailureTarget'))
    errors.push(contradiction('cannot set SuccessCriteriaMet=True and FailureTarget=true conditions'));
  if (spec.successPolicy !== undefined && !isMet && conditions.has('Complete'))
    errors.push(contradiction('cannot set Complete=True for Job with SuccessPolicy unless SuccessCriteriaMet=True'));
}

function checkFinalConditions({ conditions, oldConditions }: Change, errors: FieldErrors): void {
  for (const type of ['Failed', 'Complete', 'FailureTarget']) {
    if (oldConditions.has(type) && !conditions.has(type))
      errors.push(contradiction(`cannot disable the terminal ${type}=True condition`));
  }
}

/** An elastic Job that is made smaller forgets successes. */
function checkCounters({ spec, status, old }: Change, errors: FieldErrors): void {
  const { failed = 0, succeeded = 0 } = status;
  if (failed < (old.failed ?? 0))
    errors.push(invalid(statusPath.child('failed'), failed, 'cannot decrease the failed counter'));
  const isElastic =
    spec.completionMode === 'Indexed' && spec.completions !== undefined && spec.completions === spec.parallelism;
  if (!isElastic && succeeded < (old.succeeded ?? 0))
    errors.push(invalid(statusPath.child('succeeded'), succeeded, 'cannot decrease the succeeded counter'));
}

/** A Job that is resumed starts anew. */
const isRestarted = ({ status, conditions, oldConditions }: Change): boolean =>
  status.startTime !== undefined && oldConditions.has('Suspended') && !conditions.has('Suspended');

function checkTimes(change: Change, errors: FieldErrors): void {
  const { spec, status, old, differs } = change;
  const { completionTime } = status;
  if (completionTime !== undefined && old.completionTime !== undefined && differs('completionTime'))
    errors.push(invalid(completionPath, goTime(completionTime), 'completionTime cannot be mutated'));
  if (old.startTime !== undefined && differs('startTime') && spec.suspend !== true && !isRestarted(change))
    errors.push(required(startPath, 'startTime cannot be removed for unsuspended job'));
}

function checkCriteriaChange({ conditions, oldConditions }: Change, errors: FieldErrors): void {
  const isMet = conditions.has('SuccessCriteriaMet');
  const wasMet = oldConditions.has('SuccessCriteriaMet');
  if (wasMet && !isMet) errors.push(contradiction('cannot disable the SuccessCriteriaMet=True condition'));
  if (!wasMet && isMet && oldConditions.has('Complete'))
    errors.push(contradiction('cannot set SuccessCriteriaMet=True for Job already has Complete=true conditions'));
}
