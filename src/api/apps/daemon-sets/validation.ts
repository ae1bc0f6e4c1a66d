/** @see {@link https://kubernetes.io/docs/concepts/workloads/controllers/daemonset/ | DaemonSets} */
import type {
  DaemonSet,
  DaemonSetSpec,
  DaemonSetUpdateStrategy,
  RollingUpdateDaemonSet,
} from '../../gen/types/apps-v1.ts';
import { invalid, notSupported, required } from '../../../machinery/field-error.ts';
import type { FieldErrors } from '../../../machinery/field-errors.ts';
import { FieldPath } from '../../../machinery/field-path.ts';
import { matchesLabels } from '../../../machinery/label-selector.ts';
import type { PodValidationOptions } from '../../core/pods/validation-option-types.ts';
import { checkPodTemplate } from '../../core/pod-templates/validation.ts';
import { checkAlwaysRunning, mismatchedLabels, shownSelector } from '../../core/pod-templates/workload.ts';
import { checkNonNegative } from '../../meta/checks.ts';
import { checkLabelSelector, isEmptySelector, understoodSelector } from '../../meta/label-selector.ts';
import { validateBuiltInMetaUpdate } from '../../meta/object-meta.ts';
import { amountOf, checkAtMostAll, checkIntOrPercent, shownIntOrPercent } from '../int-or-percent.ts';
import { checkCollisionCount, checkCounts } from '../replica-counts.ts';
import { judgedAsNewToo, workloadValidation } from '../workload-validation.ts';
import { shownStruct } from '../../shown-struct.ts';

const specPath = FieldPath.of('spec');
const templatePath = specPath.child('template');
const statusPath = FieldPath.of('status');

export const { validate: validateDaemonSet, validateUpdate: validateDaemonSetUpdate } =
  workloadValidation<DaemonSetSpec>(checkSpec, judgedAsNewToo);

function checkSpec(spec: DaemonSetSpec, errors: FieldErrors, rules: PodValidationOptions): void {
  const { selector, template } = spec;
  checkLabelSelector(selector, specPath.child('selector'), errors, {
    allowInvalidValues: rules.invalidAffinitySelectorValues,
  });
  const understood = understoodSelector(selector);
  if (understood !== undefined && !matchesLabels(understood, template.metadata.labels))
    errors.push(mismatchedLabels(template, templatePath));
  if (selector !== undefined && isEmptySelector(selector))
    errors.push(
      invalid(specPath.child('selector'), shownSelector(selector), 'empty selector is invalid for daemonset'),
    );
  checkPodTemplate(template, templatePath, errors, rules);
  checkAlwaysRunning(template, 'DaemonSet', templatePath, errors);
  checkNonNegative(spec.minReadySeconds, specPath.child('minReadySeconds'), errors);
  checkUpdateStrategy(spec.updateStrategy, specPath.child('updateStrategy'), errors);
  checkNonNegative(spec.revisionHistoryLimit, specPath.child('revisionHistoryLimit'), errors);
}

function checkUpdateStrategy(strategy: DaemonSetUpdateStrategy, path: FieldPath, errors: FieldErrors): void {
  const { type, rollingUpdate } = strategy;
  if (type === 'OnDelete') return;
  if (type !== 'RollingUpdate')
    errors.push(
      notSupported(path, shownStruct('apps/v1.DaemonSetUpdateStrategy', strategy), ['RollingUpdate', 'OnDelete']),
    );
  else if (rollingUpdate === undefined) errors.push(required(path.child('rollingUpdate')));
  else checkRollingUpdate(rollingUpdate, path.child('rollingUpdate'), errors);
}

/** A node's pod is either taken away first or joined by the new one. */
function checkRollingUpdate(
  { maxUnavailable = 0, maxSurge = 0 }: RollingUpdateDaemonSet,
  path: FieldPath,
  errors: FieldErrors,
): void {
  const unavailable = path.child('maxUnavailable');
  const surge = path.child('maxSurge');
  checkIntOrPercent(maxUnavailable, unavailable, errors);
  checkIntOrPercent(maxSurge, surge, errors);
  checkAtMostAll(maxUnavailable, unavailable, errors);
  checkAtMostAll(maxSurge, surge, errors);
  const hasUnavailable = amountOf(maxUnavailable) !== 0;
  const hasSurge = amountOf(maxSurge) !== 0;
  if (hasUnavailable && hasSurge)
    errors.push(invalid(surge, shownIntOrPercent(maxSurge), 'may not be set when maxUnavailable is non-zero'));
  else if (!hasUnavailable && !hasSurge) errors.push(required(unavailable, 'cannot be 0 when maxSurge is 0'));
}

const counts = [
  'currentNumberScheduled',
  'numberMisscheduled',
  'desiredNumberScheduled',
  'numberReady',
  'observedGeneration',
  'updatedNumberScheduled',
  'numberAvailable',
  'numberUnavailable',
  'collisionCount',
] as const;

export function validateDaemonSetStatusUpdate({ metadata, status }: DaemonSet, old: DaemonSet): FieldErrors {
  const errors = validateBuiltInMetaUpdate(metadata, old.metadata);
  checkCounts(status, counts, statusPath, errors);
  checkCollisionCount(status, old.status, statusPath, errors);
  return errors;
}
