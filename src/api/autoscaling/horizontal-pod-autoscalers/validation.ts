import type {
  HorizontalPodAutoscaler,
  HorizontalPodAutoscalerSpec,
  HPAScalingPolicy,
  HPAScalingRules,
} from '../../gen/types/autoscaling-v2.ts';
import { forbidden, invalid, notSupported, required } from '../../../machinery/field-error.ts';
import type { FieldErrors } from '../../../machinery/field-errors.ts';
import { FieldPath } from '../../../machinery/field-path.ts';
import { notPositiveMessage } from '../../../machinery/formats/messages.ts';
import { checkNonNegative } from '../../meta/checks.ts';
import { subdomainName } from '../../meta/name-rules.ts';
import { validateBuiltInMeta, validateBuiltInMetaUpdate } from '../../meta/object-meta.ts';
import { checkMetric, checkObjectReference } from './metric-validation.ts';

export interface AutoscalerRules {
  /** Gate HPAScaleToZero: no replicas at all may be enough. */
  readonly scaleToZero: boolean;
}

const specPath = FieldPath.of('spec');
const statusPath = FieldPath.of('status');

export function validateAutoscaler(object: HorizontalPodAutoscaler, rules: AutoscalerRules): FieldErrors {
  const errors = validateBuiltInMeta(object.metadata, { namespaced: true, validateName: subdomainName });
  checkSpec(object.spec, errors, rules);
  return errors;
}

export function validateAutoscalerUpdate(
  object: HorizontalPodAutoscaler,
  old: HorizontalPodAutoscaler,
  rules: AutoscalerRules,
): FieldErrors {
  const errors = validateBuiltInMetaUpdate(object.metadata, old.metadata);
  checkSpec(object.spec, errors, { scaleToZero: rules.scaleToZero || old.spec.minReplicas === 0 });
  return errors;
}

export function validateAutoscalerStatusUpdate(
  object: HorizontalPodAutoscaler,
  old: HorizontalPodAutoscaler,
): FieldErrors {
  const errors = validateBuiltInMetaUpdate(object.metadata, old.metadata);
  for (const member of ['currentReplicas', 'desiredReplicas'] as const)
    checkNonNegative(object.status[member], statusPath.child(member), errors);
  return errors;
}

function checkSpec(spec: HorizontalPodAutoscalerSpec, errors: FieldErrors, { scaleToZero }: AutoscalerRules): void {
  const { minReplicas, maxReplicas = 0, metrics, behavior } = spec;
  const lowest = scaleToZero ? 0 : 1;
  if (minReplicas !== undefined && minReplicas < lowest)
    errors.push(invalid(specPath.child('minReplicas'), minReplicas, `must be greater than or equal to ${lowest}`));
  if (maxReplicas < 1) errors.push(invalid(specPath.child('maxReplicas'), maxReplicas, 'must be greater than 0'));
  if (minReplicas !== undefined && maxReplicas < minReplicas)
    errors.push(invalid(specPath.child('maxReplicas'), maxReplicas, 'must be greater than or equal to `minReplicas`'));
  checkObjectReference(spec.scaleTargetRef, specPath.child('scaleTargetRef'), errors);
  metrics?.forEach((metric, i) => checkMetric(metric, specPath.child('metrics').index(i), errors));
  // Pods that do not run tell nothing: something else has to say when to start one.
  if (minReplicas === 0 && metrics?.some(({ type }) => type === 'Object' || type === 'External') !== true) {
    errors.push(
      forbidden(
        specPath.child('metrics'),
        'must specify at least one Object or External metric to support scaling to zero replicas',
      ),
    );
  }
  checkScalingRules(behavior?.scaleUp, specPath.child('behavior', 'scaleUp'), errors);
  checkScalingRules(behavior?.scaleDown, specPath.child('behavior', 'scaleDown'), errors);
}

const selectPolicies = ['Disabled', 'Max', 'Min'];
const policyTypes = ['Percent', 'Pods'];
const maxWindowSeconds = 3600;
const maxPeriodSeconds = 1800;

function checkScalingRules(rules: HPAScalingRules | undefined, path: FieldPath, errors: FieldErrors): void {
  if (rules === undefined) return;
  const { stabilizationWindowSeconds: window, selectPolicy, policies = [] } = rules;
  const at = path.child('stabilizationWindowSeconds');
  if (window !== undefined && window < 0) errors.push(invalid(at, window, 'must be greater than or equal to zero'));
  if (window !== undefined && window > maxWindowSeconds)
    errors.push(invalid(at, window, `must be less than or equal to ${maxWindowSeconds}`));
  if (selectPolicy !== undefined && !selectPolicies.includes(selectPolicy))
    errors.push(notSupported(path.child('selectPolicy'), selectPolicy, selectPolicies));
  if (policies.length === 0) errors.push(required(path.child('policies'), 'must specify at least one Policy'));
  policies.forEach((policy, i) => checkPolicy(policy, path.child('policies').index(i), errors));
}

function checkPolicy(
  { type = '', value = 0, periodSeconds = 0 }: HPAScalingPolicy,
  path: FieldPath,
  errors: FieldErrors,
): void {
  if (!policyTypes.includes(type)) errors.push(notSupported(path.child('type'), type, policyTypes));
  if (value <= 0) errors.push(invalid(path.child('value'), value, notPositiveMessage));
  if (periodSeconds <= 0) errors.push(invalid(path.child('periodSeconds'), periodSeconds, notPositiveMessage));
  if (periodSeconds > maxPeriodSeconds)
    errors.push(
      invalid(path.child('periodSeconds'), periodSeconds, `must be less than or equal to ${maxPeriodSeconds}`),
    );
}
