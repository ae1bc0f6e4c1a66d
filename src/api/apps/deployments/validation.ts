/** @see {@link https://kubernetes.io/docs/concepts/workloads/controllers/deployment/ | Deployments} */
import type {
  Deployment,
  DeploymentSpec,
  DeploymentStatus,
  DeploymentStrategy,
  RollingUpdateDeployment,
} from '../../gen/types/apps-v1.ts';
import { forbidden, invalid, notSupported, required } from '../../../machinery/field-error.ts';
import type { FieldErrors } from '../../../machinery/field-errors.ts';
import { FieldPath } from '../../../machinery/field-path.ts';
import type { PodValidationOptions } from '../../core/pods/validation-option-types.ts';
import { checkNonNegative } from '../../meta/checks.ts';
import { validateBuiltInMetaUpdate } from '../../meta/object-meta.ts';
import { amountOf, checkAtMostAll, checkIntOrPercent, shownIntOrPercent } from '../int-or-percent.ts';
import { checkReplicatedPods } from '../replica-sets/validation.ts';
import { checkAtMost, checkCollisionCount, checkCounts } from '../replica-counts.ts';
import { judgedOnce, workloadValidation } from '../workload-validation.ts';
import { shownStruct } from '../../shown-struct.ts';

const specPath = FieldPath.of('spec');
const statusPath = FieldPath.of('status');

export const { validate: validateDeployment, validateUpdate: validateDeploymentUpdate } =
  workloadValidation<DeploymentSpec>(checkSpec, judgedOnce);

function checkSpec(spec: DeploymentSpec, errors: FieldErrors, rules: PodValidationOptions): void {
  checkNonNegative(spec.replicas, specPath.child('replicas'), errors);
  checkReplicatedPods(spec, specPath, errors, rules);
  checkStrategy(spec.strategy, specPath.child('strategy'), errors);
  checkNonNegative(spec.minReadySeconds, specPath.child('minReadySeconds'), errors);
  checkNonNegative(spec.revisionHistoryLimit, specPath.child('revisionHistoryLimit'), errors);
  checkDeadline(spec, specPath.child('progressDeadlineSeconds'), errors);
}

function checkDeadline(
  { progressDeadlineSeconds: deadline, minReadySeconds = 0 }: DeploymentSpec,
  path: FieldPath,
  errors: FieldErrors,
): void {
  if (deadline === undefined) return;
  checkNonNegative(deadline, path, errors);
  if (deadline <= minReadySeconds) errors.push(invalid(path, deadline, 'must be greater than minReadySeconds'));
}

function checkStrategy(strategy: DeploymentStrategy, path: FieldPath, errors: FieldErrors): void {
  const { type, rollingUpdate } = strategy;
  const at = path.child('rollingUpdate');
  if (type === 'Recreate') {
    if (rollingUpdate !== undefined)
      errors.push(forbidden(at, "may not be specified when strategy `type` is 'Recreate'"));
  } else if (type !== 'RollingUpdate')
    errors.push(notSupported(path, shownStruct('apps/v1.DeploymentStrategy', strategy), ['Recreate', 'RollingUpdate']));
  else if (rollingUpdate === undefined) errors.push(required(at, 'this should be defaulted and never be nil'));
  else checkRollingUpdate(rollingUpdate, at, errors);
}

function checkRollingUpdate(
  { maxUnavailable = 0, maxSurge = 0 }: RollingUpdateDeployment,
  path: FieldPath,
  errors: FieldErrors,
): void {
  const unavailable = path.child('maxUnavailable');
  checkIntOrPercent(maxUnavailable, unavailable, errors);
  checkIntOrPercent(maxSurge, path.child('maxSurge'), errors);
  if (amountOf(maxUnavailable) === 0 && amountOf(maxSurge) === 0)
    errors.push(invalid(unavailable, shownIntOrPercent(maxUnavailable), 'may not be 0 when `maxSurge` is 0'));
  checkAtMostAll(maxUnavailable, unavailable, errors);
}

export function validateDeploymentStatusUpdate({ metadata, status }: Deployment, old: Deployment): FieldErrors {
  const errors = validateBuiltInMetaUpdate(metadata, old.metadata);
  checkStatus(status, errors);
  checkCollisionCount(status, old.status, statusPath, errors);
  return errors;
}

function checkStatus(status: DeploymentStatus, errors: FieldErrors): void {
  checkCounts(
    status,
    [
      'observedGeneration',
      'replicas',
      'updatedReplicas',
      'readyReplicas',
      'availableReplicas',
      'unavailableReplicas',
      'collisionCount',
    ],
    statusPath,
    errors,
  );
  checkAtMost(
    status,
    ['updatedReplicas', 'readyReplicas', 'availableReplicas'],
    status.replicas,
    'status.replicas',
    statusPath,
    errors,
  );
  checkAtMost(status, ['availableReplicas'], status.readyReplicas, 'readyReplicas', statusPath, errors);
}
