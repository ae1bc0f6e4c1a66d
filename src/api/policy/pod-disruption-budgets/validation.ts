/** @see {@link https://kubernetes.io/docs/tasks/run-application/configure-pdb/ | Specifying a disruption budget} */
import type { PodDisruptionBudget, PodDisruptionBudgetSpec } from '../../gen/types/policy-v1.ts';
import { invalid, notSupported } from '../../../machinery/field-error.ts';
import { FieldErrors } from '../../../machinery/field-errors.ts';
import { FieldPath } from '../../../machinery/field-path.ts';
import { isPercent } from '../../../machinery/formats/names.ts';
import { checkNonNegative, invalidEach } from '../../meta/checks.ts';
import { checkConditions } from '../../meta/conditions.ts';
import { checkLabelSelector, hasInvalidSelectorValue, type LabelSelectorRules } from '../../meta/label-selector.ts';
import { validateBuiltInMetaUpdate } from '../../meta/object-meta.ts';
import { goIntOrString, shownStruct } from '../../shown-struct.ts';

const specPath = FieldPath.of('spec');
const statusPath = FieldPath.of('status');
const evictionPolicies = ['AlwaysAllow', 'IfHealthyBudget'];

/** A budget's name has only to fit into a URL, which holds for all objects. */
export function validateDisruptionBudget({ spec }: PodDisruptionBudget, rules: LabelSelectorRules = {}): FieldErrors {
  const errors = new FieldErrors();
  const { minAvailable, maxUnavailable, selector, unhealthyPodEvictionPolicy: policy } = spec;
  if (minAvailable !== undefined && maxUnavailable !== undefined)
    errors.push(
      invalid(
        specPath,
        shownStruct('policy/v1.PodDisruptionBudgetSpec', spec),
        'minAvailable and maxUnavailable cannot be both set',
      ),
    );
  checkShare(minAvailable, specPath.child('minAvailable'), errors);
  checkShare(maxUnavailable, specPath.child('maxUnavailable'), errors);
  checkLabelSelector(selector, specPath.child('selector'), errors, rules);
  if (policy !== undefined && !evictionPolicies.includes(policy))
    errors.push(notSupported(specPath.child('unhealthyPodEvictionPolicy'), policy, evictionPolicies));
  return errors;
}

export const validateDisruptionBudgetUpdate = (object: PodDisruptionBudget, old: PodDisruptionBudget): FieldErrors =>
  validateDisruptionBudget(object, { allowInvalidValues: hasInvalidSelectorValue(old.spec.selector) });

export function validateDisruptionBudgetStatusUpdate(
  object: PodDisruptionBudget,
  old: PodDisruptionBudget,
): FieldErrors {
  const errors = validateBuiltInMetaUpdate(object.metadata, old.metadata);
  checkConditions(object.status.conditions, statusPath.child('conditions'), errors);
  for (const member of ['disruptionsAllowed', 'currentHealthy', 'desiredHealthy', 'expectedPods'] as const)
    checkNonNegative(object.status[member], statusPath.child(member), errors);
  return errors;
}

/** A number of pods, or a share of them up to all. */
function checkShare(value: PodDisruptionBudgetSpec['minAvailable'], path: FieldPath, errors: FieldErrors): void {
  if (typeof value !== 'string') return checkNonNegative(value, path, errors);
  const shown = goIntOrString(value);
  const messages = isPercent(value);
  invalidEach(messages, path, shown, errors);
  if (messages.length === 0 && Number(value.slice(0, -1)) > 100)
    errors.push(invalid(path, shown, 'must not be greater than 100%'));
}
