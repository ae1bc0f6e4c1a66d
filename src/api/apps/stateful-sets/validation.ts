/** @see {@link https://kubernetes.io/docs/concepts/workloads/controllers/statefulset/ | StatefulSets} */
import type {
  RollingUpdateStatefulSetStrategy,
  StatefulSet,
  StatefulSetPersistentVolumeClaimRetentionPolicy,
  StatefulSetSpec,
  StatefulSetUpdateStrategy,
} from '../../gen/types/apps-v1.ts';
import type { PodTemplateSpec } from '../../gen/types/core-v1.ts';
import { isEqual } from '../../../machinery/equal.ts';
import { forbidden, invalid, notSupported, required } from '../../../machinery/field-error.ts';
import type { FieldErrors } from '../../../machinery/field-errors.ts';
import { FieldPath } from '../../../machinery/field-path.ts';
import { checkPodAnnotations } from '../../core/pods/annotations.ts';
import type { PodValidationOptions } from '../../core/pods/validation-option-types.ts';
import {
  checkAlwaysRunning,
  checkSelector,
  checkSelectsTemplate,
  shownSelector,
} from '../../core/pod-templates/workload.ts';
import { understoodSelector } from '../../meta/label-selector.ts';
import { checkNonNegative } from '../../meta/checks.ts';
import { checkAnnotations, checkLabels } from '../../meta/labels.ts';
import { labelName } from '../../meta/name-rules.ts';
import { validateBuiltInMeta, validateBuiltInMetaUpdate } from '../../meta/object-meta.ts';
import { amountOf, checkAtMostAll, checkIntOrPercent, shownIntOrPercent } from '../int-or-percent.ts';
import { checkAtMost, checkCollisionCount, checkCounts } from '../replica-counts.ts';
import { shownStruct } from '../../shown-struct.ts';

const specPath = FieldPath.of('spec');
const templatePath = specPath.child('template');
const statusPath = FieldPath.of('status');

/** The name becomes part of the host names of the pods. */
export function validateStatefulSet({ metadata, spec }: StatefulSet, rules: PodValidationOptions): FieldErrors {
  const errors = validateBuiltInMeta(metadata, { namespaced: true, validateName: labelName });
  checkSpec(spec, errors, rules);
  return errors;
}

const fixedFieldsMessage =
  "updates to statefulset spec for fields other than 'replicas', 'ordinals', 'template', 'updateStrategy', " +
  "'persistentVolumeClaimRetentionPolicy' and 'minReadySeconds' are forbidden";

/** The name is not judged again: old objects may have one with dots. */
export function validateStatefulSetUpdate(
  { metadata, spec }: StatefulSet,
  old: StatefulSet,
  rules: PodValidationOptions,
): FieldErrors {
  const errors = validateBuiltInMetaUpdate(metadata, old.metadata);
  checkSpec(spec, errors, rules);
  const { replicas, template, updateStrategy, minReadySeconds, ordinals, persistentVolumeClaimRetentionPolicy } =
    old.spec;
  if (
    !isEqual(
      { ...spec, replicas, template, updateStrategy, minReadySeconds, ordinals, persistentVolumeClaimRetentionPolicy },
      old.spec,
    )
  )
    errors.push(forbidden(specPath, fixedFieldsMessage));
  return errors;
}

const managementPolicies = ['OrderedReady', 'Parallel'];

function checkSpec(spec: StatefulSetSpec, errors: FieldErrors, rules: PodValidationOptions): void {
  const { podManagementPolicy: policy, selector, template } = spec;
  if (policy === undefined) errors.push(required(specPath.child('podManagementPolicy')));
  else if (!managementPolicies.includes(policy))
    errors.push(invalid(specPath.child('podManagementPolicy'), policy, "must be 'OrderedReady' or 'Parallel'"));
  checkUpdateStrategy(spec.updateStrategy, specPath.child('updateStrategy'), errors);
  checkRetention(
    spec.persistentVolumeClaimRetentionPolicy,
    specPath.child('persistentVolumeClaimRetentionPolicy'),
    errors,
  );
  checkNonNegative(spec.replicas, specPath.child('replicas'), errors);
  checkNonNegative(spec.minReadySeconds, specPath.child('minReadySeconds'), errors);
  checkNonNegative(spec.ordinals?.start, specPath.child('ordinals.start'), errors);
  checkSelector(selector, 'statefulset', specPath.child('selector'), errors);
  const understood = understoodSelector(selector);
  if (understood === undefined) errors.push(invalid(specPath.child('selector'), shownSelector(selector), ''));
  else {
    checkSelectsTemplate(template, understood, templatePath, errors);
    checkTemplate(template, errors, rules);
  }
  checkAlwaysRunning(template, 'StatefulSet', templatePath, errors);
}

/** The pod spec is left alone: it mounts claims that are its volumes only once pods are made. */
function checkTemplate(
  { metadata: { labels, annotations }, spec }: PodTemplateSpec,
  errors: FieldErrors,
  rules: PodValidationOptions,
): void {
  checkLabels(labels, templatePath.child('labels'), errors);
  checkAnnotations(annotations, templatePath.child('annotations'), errors);
  checkPodAnnotations(annotations, spec, templatePath.child('annotations'), errors, rules);
}

function checkUpdateStrategy(strategy: StatefulSetUpdateStrategy, path: FieldPath, errors: FieldErrors): void {
  const { type, rollingUpdate } = strategy;
  const at = path.child('rollingUpdate');
  if (type === undefined) errors.push(required(path));
  else if (type === 'RollingUpdate') {
    if (rollingUpdate !== undefined) checkRollingUpdate(rollingUpdate, at, errors);
  } else if (type !== 'OnDelete')
    errors.push(
      invalid(
        path,
        shownStruct('apps/v1.StatefulSetUpdateStrategy', strategy),
        "must be 'RollingUpdate' or 'OnDelete'",
      ),
    );
  else if (rollingUpdate !== undefined)
    errors.push(
      invalid(
        at,
        shownStruct('apps/v1.RollingUpdateStatefulSetStrategy', rollingUpdate),
        "only allowed for updateStrategy 'RollingUpdate'",
      ),
    );
}

function checkRollingUpdate(
  { partition, maxUnavailable }: RollingUpdateStatefulSetStrategy,
  path: FieldPath,
  errors: FieldErrors,
): void {
  checkNonNegative(partition, path.child('partition'), errors);
  if (maxUnavailable === undefined) return;
  const at = path.child('maxUnavailable');
  checkIntOrPercent(maxUnavailable, at, errors);
  if (amountOf(maxUnavailable) === 0) errors.push(invalid(at, shownIntOrPercent(maxUnavailable), 'cannot be 0'));
  checkAtMostAll(maxUnavailable, at, errors);
}

const retentions = ['Retain', 'Delete'];

function checkRetention(
  policy: StatefulSetPersistentVolumeClaimRetentionPolicy | undefined,
  path: FieldPath,
  errors: FieldErrors,
): void {
  if (policy === undefined) return;
  for (const event of ['whenDeleted', 'whenScaled'] as const) {
    const retention = policy[event] ?? '';
    if (!retentions.includes(retention)) errors.push(notSupported(path.child(event), retention, retentions));
  }
}

export function validateStatefulSetStatusUpdate({ metadata, status }: StatefulSet, old: StatefulSet): FieldErrors {
  const errors = validateBuiltInMetaUpdate(metadata, old.metadata);
  checkCounts(
    status,
    [
      'replicas',
      'readyReplicas',
      'currentReplicas',
      'updatedReplicas',
      'availableReplicas',
      'observedGeneration',
      'collisionCount',
    ],
    statusPath,
    errors,
  );
  checkAtMost(
    status,
    ['readyReplicas', 'currentReplicas', 'updatedReplicas', 'availableReplicas'],
    status.replicas,
    'status.replicas',
    statusPath,
    errors,
  );
  checkAtMost(status, ['availableReplicas'], status.readyReplicas, 'status.readyReplicas', statusPath, errors);
  checkCollisionCount(status, old.status, statusPath, errors);
  return errors;
}
