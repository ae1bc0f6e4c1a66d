/** @see {@link https://kubernetes.io/docs/concepts/workloads/controllers/replicaset/ | ReplicaSets} */
import type { ReplicaSet, ReplicaSetSpec } from '../../gen/types/apps-v1.ts';
import type { PodTemplateSpec } from '../../gen/types/core-v1.ts';
import { invalid } from '../../../machinery/field-error.ts';
import type { FieldErrors } from '../../../machinery/field-errors.ts';
import { FieldPath } from '../../../machinery/field-path.ts';
import type { LabelSelector } from '../../../machinery/label-selector.ts';
import type { PodValidationOptions } from '../../core/pods/validation-option-types.ts';
import { checkPodTemplate } from '../../core/pod-templates/validation.ts';
import {
  checkAlwaysRunning,
  checkSelector,
  checkSelectsTemplate,
  shownSelector,
} from '../../core/pod-templates/workload.ts';
import { understoodSelector } from '../../meta/label-selector.ts';
import { checkNonNegative } from '../../meta/checks.ts';
import { validateBuiltInMetaUpdate } from '../../meta/object-meta.ts';
import { checkReplicaStatus } from '../replica-counts.ts';
import { judgedAsNewToo, workloadValidation } from '../workload-validation.ts';

const specPath = FieldPath.of('spec');

export const { validate: validateReplicaSet, validateUpdate: validateReplicaSetUpdate } =
  workloadValidation<ReplicaSetSpec>(checkSpec, judgedAsNewToo);

function checkSpec(spec: ReplicaSetSpec, errors: FieldErrors, rules: PodValidationOptions): void {
  checkNonNegative(spec.replicas, specPath.child('replicas'), errors);
  checkNonNegative(spec.minReadySeconds, specPath.child('minReadySeconds'), errors);
  checkReplicatedPods(spec, specPath, errors, rules);
}

interface ReplicatedPods {
  readonly selector?: LabelSelector;
  readonly template: PodTemplateSpec;
}

/**
 * Selector and template as ReplicaSets have them, and Deployments, which make ReplicaSets. Messages name one of the
 * two.
 */
export function checkReplicatedPods(
  { selector, template }: ReplicatedPods,
  path: FieldPath,
  errors: FieldErrors,
  rules: PodValidationOptions,
): void {
  checkSelector(selector, 'deployment', path.child('selector'), errors, {
    allowInvalidValues: rules.invalidAffinitySelectorValues,
  });
  const understood = understoodSelector(selector);
  if (understood === undefined)
    return void errors.push(invalid(path.child('selector'), shownSelector(selector), 'invalid label selector'));
  const at = path.child('template');
  checkSelectsTemplate(template, understood, at, errors);
  checkPodTemplate(template, at, errors, rules);
  checkAlwaysRunning(template, 'ReplicaSet', at, errors);
}

export function validateReplicaSetStatusUpdate({ metadata, status }: ReplicaSet, old: ReplicaSet): FieldErrors {
  const errors = validateBuiltInMetaUpdate(metadata, old.metadata);
  checkReplicaStatus(status, errors);
  return errors;
}
