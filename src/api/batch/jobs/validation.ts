/** @see {@link https://kubernetes.io/docs/concepts/workloads/controllers/job/ | Jobs} */
import type { Job, JobSpec } from '../../gen/types/batch-v1.ts';
import type { PodTemplateSpec } from '../../gen/types/core-v1.ts';
import { invalid } from '../../../machinery/field-error.ts';
import type { FieldErrors } from '../../../machinery/field-errors.ts';
import { FieldPath } from '../../../machinery/field-path.ts';
import { isDns1123Label } from '../../../machinery/formats/names.ts';
import { goStruct } from '../../../machinery/go-quote.ts';
import { isEqual } from '../../../machinery/equal.ts';
import { withoutGatedChanges } from '../../core/pods/gated-update.ts';
import type { PodValidationOptions } from '../../core/pods/validation-option-types.ts';
import { shownSelector } from '../../core/pod-templates/workload.ts';
import { checkImmutable } from '../../meta/checks.ts';
import { hasInvalidSelectorValue } from '../../meta/label-selector.ts';
import { subdomainName } from '../../meta/name-rules.ts';
import { validateBuiltInMeta, validateBuiltInMetaUpdate } from '../../meta/object-meta.ts';
import { checkGeneratedSelector, hasPrefixedLabels } from './generated-selector.ts';
import { checkSelectingJobSpec } from './spec.ts';
import { shownStruct } from '../../shown-struct.ts';

const specPath = FieldPath.of('spec');
const namePath = FieldPath.of('metadata', 'name');

export const validateJob = (job: Job, rules: PodValidationOptions): FieldErrors => checkJob(job, true, rules);

/** Both sets of rules apply, and clients see an error of the spec twice. */
export function validateJobUpdate(job: Job, old: Job, rules: PodValidationOptions): FieldErrors {
  const updateRules = {
    ...rules,
    invalidAffinitySelectorValues: rules.invalidAffinitySelectorValues || hasInvalidSelectorValue(old.spec.selector),
  };
  const errors = checkJob(job, hasPrefixedLabels(old), updateRules);
  errors.push(...validateBuiltInMetaUpdate(job.metadata, old.metadata));
  checkSelectingJobSpec(job.spec, specPath, errors, updateRules);
  checkFixedFields(job.spec, old, errors);
  return errors;
}

function checkJob(job: Job, needsPrefixedLabels: boolean, rules: PodValidationOptions): FieldErrors {
  const errors = validateBuiltInMeta(job.metadata, { namespaced: true, validateName: subdomainName });
  checkGeneratedSelector(job, needsPrefixedLabels, errors);
  checkSelectingJobSpec(job.spec, specPath, errors, rules);
  checkHostNames(job, errors);
  return errors;
}

/** Pods of an indexed Job have its name and their index as host name. */
function checkHostNames(
  { metadata: { name = '' }, spec: { completionMode, completions = 0 } }: Job,
  errors: FieldErrors,
): void {
  if (completionMode !== 'Indexed' || completions <= 0) return;
  const longest = `${name}-${completions - 1}`;
  if (isDns1123Label(longest).length > 0)
    errors.push(invalid(namePath, name, `will not able to create pod with invalid DNS label: ${longest}`));
}

function checkFixedFields(spec: JobSpec, { spec: old, status }: Job, errors: FieldErrors): void {
  checkCompletions(spec, old, errors);
  checkImmutable(spec.selector, old.selector, specPath.child('selector'), errors, shownSelector);
  const isHeld = old.suspend === true && status.startTime === undefined;
  const template = isHeld ? withoutSchedulingChanges(spec.template, old.template) : spec.template;
  checkImmutable(template, old.template, specPath.child('template'), errors, () =>
    goStruct('core.PodTemplateSpec', spec.template),
  );
  checkImmutable(spec.completionMode, old.completionMode, specPath.child('completionMode'), errors);
  checkImmutable(spec.podFailurePolicy, old.podFailurePolicy, specPath.child('podFailurePolicy'), errors, (value) =>
    shownStruct('batch/v1.PodFailurePolicy', value),
  );
  checkImmutable(spec.backoffLimitPerIndex, old.backoffLimitPerIndex, specPath.child('backoffLimitPerIndex'), errors);
  checkImmutable(spec.managedBy, old.managedBy, specPath.child('managedBy'), errors);
  checkImmutable(spec.successPolicy, old.successPolicy, specPath.child('successPolicy'), errors, (value) =>
    shownStruct('batch/v1.SuccessPolicy', value),
  );
}

/** @see {@link https://kep.k8s.io/3715 | KEP-3715: elastic indexed Jobs} */
function checkCompletions(
  { completions, completionMode, parallelism }: JobSpec,
  old: JobSpec,
  errors: FieldErrors,
): void {
  const path = specPath.child('completions');
  if (completionMode !== 'Indexed') return checkImmutable(completions, old.completions, path, errors);
  // Without completions an indexed Job is refused already.
  if (completions === undefined || isEqual(completions, old.completions) || completions === parallelism) return;
  errors.push(invalid(path, completions, 'can only be modified in tandem with spec.parallelism'));
}

/** Where pods may run can change until the first does. */
function withoutSchedulingChanges(template: PodTemplateSpec, old: PodTemplateSpec): PodTemplateSpec {
  const { labels, annotations } = old.metadata;
  const { tolerations, schedulingGates } = old.spec;
  return {
    metadata: { ...template.metadata, labels, annotations },
    spec: { ...withoutGatedChanges(template.spec, old.spec), tolerations, schedulingGates },
  };
}
