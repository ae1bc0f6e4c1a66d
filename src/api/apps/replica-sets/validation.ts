/** @see {@link https://kubernetes.io/docs/concepts/workloads/controllers/replicaset/ | ReplicaSets} */
import type { ReplicaSet, ReplicaSetSpec } from '../../gen/types/apps-v1.ts';
import type { PodTemplateSpec } from '../../gen/types/core-v1.ts';
import { invalid } from '../../../machinery/field-error.ts';
import { FieldErrors } from '../../../machinery/field-errors.ts';
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
import { checkImmutable, checkNonNegative } from '../../meta/checks.ts';
import { subdomainName } from '../../meta/name-rules.ts';
import { judgedTwice, validateBuiltInMeta, validateBuiltInMetaUpdate } from '../../meta/object-meta.ts';
import { checkReplicaStatus } from '../replica-counts.ts';

const specPath = FieldPath.of('spec');
const metaRules = { namespaced: true, validateName: subdomainName };

export function validateReplicaSet({ metadata, spec }: ReplicaSet, rules: PodValidationOptions): FieldErrors {
  const errors = validateBuiltInMeta(metadata, metaRules);
  checkSpec(spec, errors, rules);
  return errors;
}

export function validateReplicaSetUpdate(
  { metadata, spec }: ReplicaSet,
  old: ReplicaSet,
  rules: PodValidationOptions,
): FieldErrors {
  const specErrors = new FieldErrors();
  checkSpec(spec, specErrors, rules);
  const errors = judgedTwice(metadata, old.metadata, metaRules, specErrors);
  checkImmutable(spec.selector, old.spec.selector, specPath.child('selector'), errors, shownSelector);
  return errors;
}

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
