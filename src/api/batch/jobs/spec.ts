import type { JobSpec } from '../../gen/types/batch-v1.ts';
import { invalid, notSupported, required, tooLong } from '../../../machinery/field-error.ts';
import type { FieldErrors } from '../../../machinery/field-errors.ts';
import type { FieldPath } from '../../../machinery/field-path.ts';
import { byteLength } from '../../../machinery/formats/names.ts';
import { matchesLabels } from '../../../machinery/label-selector.ts';
import type { PodValidationOptions } from '../../core/pods/validation-option-types.ts';
import { checkPodTemplate } from '../../core/pod-templates/validation.ts';
import { mismatchedLabels } from '../../core/pod-templates/workload.ts';
import { checkNonNegative } from '../../meta/checks.ts';
import { checkDomainPrefixedPath } from '../../meta/domains.ts';
import { checkLabelSelector, understoodSelector } from '../../meta/label-selector.ts';
import { checkFailurePolicy } from './failure-policy.ts';
import { checkSuccessPolicy } from './success-policy.ts';

/** The status lists indexes: these bounds keep it small. */
const maxParallelism = 100_000;
const maxFailedIndexes = 100_000;
/** From here on, failures counted for each index need tighter bounds. */
const manyCompletions = 100_000;
const maxParallelismOfMany = 10_000;
const maxFailedIndexesOfMany = 10_000;

const maxManagedByLength = 63;

/** The rules of a Job that has its selector. */
export function checkSelectingJobSpec(
  spec: JobSpec,
  path: FieldPath,
  errors: FieldErrors,
  rules: PodValidationOptions,
): void {
  checkJobSpec(spec, path, errors, rules);
  if (spec.selector === undefined) errors.push(required(path.child('selector')));
  else
    checkLabelSelector(spec.selector, path.child('selector'), errors, {
      allowInvalidValues: rules.invalidAffinitySelectorValues,
    });
  const understood = understoodSelector(spec.selector);
  // Unlike other workloads' even no selector at all is held against the labels.
  if (understood !== undefined && !matchesLabels(understood, spec.template.metadata.labels))
    errors.push(mismatchedLabels(spec.template, path.child('template')));
}

/** All rules but those of the selector, which templates of Jobs do not have. */
export function checkJobSpec(spec: JobSpec, path: FieldPath, errors: FieldErrors, rules: PodValidationOptions): void {
  checkNumbers(spec, path, errors);
  if (spec.managedBy !== undefined) checkManagedBy(spec.managedBy, path.child('managedBy'), errors);
  checkCompletionMode(spec, path, errors);
  checkFailurePolicy(spec, path.child('podFailurePolicy'), errors);
  checkSuccessPolicy(spec, path.child('successPolicy'), errors);
  checkReplacementPolicy(spec, path.child('podReplacementPolicy'), errors);
  checkPodTemplate(spec.template, path.child('template'), errors, rules);
  checkRestartPolicy(spec, path.child('template', 'spec', 'restartPolicy'), errors);
}

const counts = [
  'parallelism',
  'completions',
  'activeDeadlineSeconds',
  'backoffLimit',
  'ttlSecondsAfterFinished',
  'backoffLimitPerIndex',
  'maxFailedIndexes',
] as const;

function checkNumbers(spec: JobSpec, path: FieldPath, errors: FieldErrors): void {
  for (const name of counts) checkNonNegative(spec[name], path.child(name), errors);
  if (spec.maxFailedIndexes !== undefined && spec.backoffLimitPerIndex === undefined)
    errors.push(required(path.child('backoffLimitPerIndex'), 'when maxFailedIndexes is specified'));
}

function checkManagedBy(manager: string, path: FieldPath, errors: FieldErrors): void {
  checkDomainPrefixedPath(manager, path, errors);
  if (byteLength(manager) > maxManagedByLength) errors.push(tooLong(path, maxManagedByLength));
}

const completionModes = ['NonIndexed', 'Indexed'];

function checkCompletionMode(spec: JobSpec, path: FieldPath, errors: FieldErrors): void {
  const { completionMode = 'NonIndexed' } = spec;
  if (!completionModes.includes(completionMode))
    errors.push(notSupported(path.child('completionMode'), completionMode, completionModes));
  else if (completionMode === 'Indexed') checkIndexed(spec, path, errors);
  else checkNonIndexed(spec, path, errors);
}

function checkNonIndexed(spec: JobSpec, path: FieldPath, errors: FieldErrors): void {
  for (const name of ['backoffLimitPerIndex', 'maxFailedIndexes'] as const) {
    if (spec[name] !== undefined)
      errors.push(invalid(path.child(name), spec[name], 'requires indexed completion mode'));
  }
}

function checkIndexed(spec: JobSpec, path: FieldPath, errors: FieldErrors): void {
  const { completions, parallelism = 0, maxFailedIndexes: maxFailed } = spec;
  const failedPath = path.child('maxFailedIndexes');
  if (completions === undefined) errors.push(required(path.child('completions'), 'when completion mode is Indexed'));
  if (parallelism > maxParallelism)
    errors.push(
      invalid(
        path.child('parallelism'),
        parallelism,
        `must be less than or equal to ${maxParallelism} when completion mode is Indexed`,
      ),
    );
  if (completions !== undefined && maxFailed !== undefined && maxFailed > completions)
    errors.push(invalid(failedPath, maxFailed, 'must be less than or equal to completions'));
  if (maxFailed !== undefined && maxFailed > maxFailedIndexes)
    errors.push(invalid(failedPath, maxFailed, `must be less than or equal to ${maxFailedIndexes}`));
  if (completions !== undefined && completions > manyCompletions && spec.backoffLimitPerIndex !== undefined)
    checkMany(spec, path, errors);
}

function checkMany(
  { parallelism = 0, maxFailedIndexes: maxFailed }: JobSpec,
  path: FieldPath,
  errors: FieldErrors,
): void {
  const detail = (max: number): string =>
    `must be less than or equal to ${max} when completions are above ${manyCompletions} and used with ` +
    'backoff limit per index';
  const failedPath = path.child('maxFailedIndexes');
  if (maxFailed === undefined)
    errors.push(required(failedPath, `must be specified when completions is above ${manyCompletions}`));
  if (parallelism > maxParallelismOfMany)
    errors.push(invalid(path.child('parallelism'), parallelism, detail(maxParallelismOfMany)));
  if (maxFailed !== undefined && maxFailed > maxFailedIndexesOfMany)
    errors.push(invalid(failedPath, maxFailed, detail(maxFailedIndexesOfMany)));
}

/** A failure policy judges pods once they are gone: there is nothing to judge while they terminate. */
function checkReplacementPolicy(
  { podReplacementPolicy: policy, podFailurePolicy }: JobSpec,
  path: FieldPath,
  errors: FieldErrors,
): void {
  if (policy === undefined) return;
  const supported = podFailurePolicy === undefined ? ['Failed', 'TerminatingOrFailed'] : ['Failed'];
  if (!supported.includes(policy)) errors.push(notSupported(path, policy, supported));
}

const restartPolicies = ['OnFailure', 'Never'];

/** `Always` is the default of pods: it counts as not said. */
function checkRestartPolicy({ template, podFailurePolicy }: JobSpec, path: FieldPath, errors: FieldErrors): void {
  const { restartPolicy = 'Always' } = template.spec;
  if (restartPolicy === 'Always') errors.push(required(path, 'valid values: "OnFailure", "Never"'));
  else if (!restartPolicies.includes(restartPolicy)) errors.push(notSupported(path, restartPolicy, restartPolicies));
  else if (podFailurePolicy !== undefined && restartPolicy !== 'Never')
    errors.push(invalid(path, restartPolicy, 'only "Never" is supported when podFailurePolicy is specified'));
}
