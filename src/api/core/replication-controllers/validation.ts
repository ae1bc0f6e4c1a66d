/**
 * @see {@link https://kubernetes.io/docs/concepts/workloads/controllers/replicationcontroller/ | ReplicationController}
 */
import type { PodTemplateSpec, ReplicationController, ReplicationControllerSpec } from '../../gen/types/core-v1.ts';
import { required } from '../../../machinery/field-error.ts';
import type { FieldErrors } from '../../../machinery/field-errors.ts';
import { FieldPath } from '../../../machinery/field-path.ts';
import { checkReplicaStatus } from '../../apps/replica-counts.ts';
import { checkNonNegative } from '../../meta/checks.ts';
import { subdomainName } from '../../meta/name-rules.ts';
import { validateBuiltInMeta, validateBuiltInMetaUpdate } from '../../meta/object-meta.ts';
import type { PodValidationOptions } from '../pods/validation-option-types.ts';
import { checkPodTemplate } from '../pod-templates/validation.ts';
import { checkAlwaysRunning, mismatchedLabels } from '../pod-templates/workload.ts';

const specPath = FieldPath.of('spec');

export function validateReplicationController(
  { metadata, spec }: ReplicationController,
  rules: PodValidationOptions,
): FieldErrors {
  const errors = validateBuiltInMeta(metadata, { namespaced: true, validateName: subdomainName });
  checkSpec(spec, errors, rules);
  return errors;
}

export function validateReplicationControllerUpdate(
  { metadata, spec }: ReplicationController,
  old: ReplicationController,
  rules: PodValidationOptions,
): FieldErrors {
  const errors = validateBuiltInMetaUpdate(metadata, old.metadata);
  checkSpec(spec, errors, rules);
  return errors;
}

function checkSpec(
  { minReadySeconds, selector = {}, replicas, template }: ReplicationControllerSpec,
  errors: FieldErrors,
  rules: PodValidationOptions,
): void {
  checkNonNegative(minReadySeconds, specPath.child('minReadySeconds'), errors);
  if (Object.keys(selector).length === 0) errors.push(required(specPath.child('selector')));
  checkNonNegative(replicas, specPath.child('replicas'), errors);
  if (template === undefined) errors.push(required(specPath.child('template')));
  else checkTemplate(template, selector, specPath.child('template'), errors, rules);
}

function checkTemplate(
  template: PodTemplateSpec,
  selector: Record<string, string>,
  path: FieldPath,
  errors: FieldErrors,
  rules: PodValidationOptions,
): void {
  const { labels } = template.metadata;
  if (Object.keys(selector).some((key) => labels?.[key] !== selector[key]))
    errors.push(mismatchedLabels(template, path));
  checkPodTemplate(template, path, errors, rules);
  checkAlwaysRunning(template, 'ReplicationController', path, errors);
}

export function validateReplicationControllerStatusUpdate(
  { metadata, status }: ReplicationController,
  old: ReplicationController,
): FieldErrors {
  const errors = validateBuiltInMetaUpdate(metadata, old.metadata);
  checkReplicaStatus(status, errors);
  return errors;
}
