/**
 * Terms that select nodes by labels and by name, for pods and volumes.
 * @see {@link https://kubernetes.io/docs/concepts/scheduling-eviction/assign-pod-node/#node-affinity | Node affinity}
 */
import type {
  NodeSelector,
  NodeSelectorRequirement,
  NodeSelectorTerm,
  PreferredSchedulingTerm,
} from '../../gen/types/core-v1.ts';
import { forbidden, invalid, required } from '../../../machinery/field-error.ts';
import type { FieldErrors } from '../../../machinery/field-errors.ts';
import type { FieldPath } from '../../../machinery/field-path.ts';
import { isDns1123Subdomain, isLabelValue } from '../../../machinery/formats/names.ts';
import { checkFormat } from '../../meta/checks.ts';
import { checkLabelName } from '../../meta/labels.ts';

export interface NodeSelectorRules {
  /** For what was stored before values were checked. */
  readonly allowInvalidValues: boolean;
}

export function checkNodeSelector(
  { nodeSelectorTerms = [] }: NodeSelector,
  path: FieldPath,
  errors: FieldErrors,
  rules: NodeSelectorRules,
): void {
  const at = path.child('nodeSelectorTerms');
  if (nodeSelectorTerms.length === 0) errors.push(required(at, 'must have at least one node selector term'));
  nodeSelectorTerms.forEach((term, i) => checkNodeSelectorTerm(term, at.index(i), errors, rules));
}

export function checkNodeSelectorTerm(
  { matchExpressions, matchFields }: NodeSelectorTerm,
  path: FieldPath,
  errors: FieldErrors,
  rules: NodeSelectorRules,
): void {
  matchExpressions?.forEach((requirement, i) =>
    checkLabelRequirement(requirement, path.child('matchExpressions').index(i), errors, rules),
  );
  matchFields?.forEach((requirement, i) =>
    checkFieldRequirement(requirement, path.child('matchFields').index(i), errors),
  );
}

function checkLabelRequirement(
  { key = '', operator, values = [] }: NodeSelectorRequirement,
  path: FieldPath,
  errors: FieldErrors,
  rules: NodeSelectorRules,
): void {
  const at = path.child('values');
  if (operator === 'In' || operator === 'NotIn') {
    if (values.length === 0) errors.push(required(at, "must be specified when `operator` is 'In' or 'NotIn'"));
  } else if (operator === 'Exists' || operator === 'DoesNotExist') {
    if (values.length > 0)
      errors.push(forbidden(at, "may not be specified when `operator` is 'Exists' or 'DoesNotExist'"));
  } else if (operator === 'Gt' || operator === 'Lt') {
    if (values.length !== 1)
      errors.push(required(at, "must be specified single value when `operator` is 'Lt' or 'Gt'"));
  } else errors.push(invalid(path.child('operator'), operator ?? '', 'not a valid selector operator'));
  checkLabelName(key, path.child('key'), errors);
  if (!rules.allowInvalidValues) values.forEach((value, i) => checkFormat(isLabelValue, value, at.index(i), errors));
}

/** The one field of nodes that can be selected by. */
const nameField = 'metadata.name';

function checkFieldRequirement(
  { key = '', operator, values = [] }: NodeSelectorRequirement,
  path: FieldPath,
  errors: FieldErrors,
): void {
  if (operator === 'In' || operator === 'NotIn') {
    if (values.length !== 1)
      errors.push(
        required(
          path.child('values'),
          "must be only one value when `operator` is 'In' or 'NotIn' for node field selector",
        ),
      );
  } else errors.push(invalid(path.child('operator'), operator ?? '', 'not a valid selector operator'));
  if (key !== nameField) errors.push(invalid(path.child('key'), key, 'not a valid field selector key'));
  else values.forEach((value, i) => checkFormat(isDns1123Subdomain, value, path.child('values').index(i), errors));
}

/** Terms that only prefer may have values that no node can have. */
export function checkPreferredTerms(
  terms: readonly PreferredSchedulingTerm[] | undefined,
  path: FieldPath,
  errors: FieldErrors,
): void {
  terms?.forEach(({ weight, preference }, i) => {
    checkWeight(weight, path.index(i).child('weight'), errors);
    checkNodeSelectorTerm(preference, path.index(i).child('preference'), errors, { allowInvalidValues: true });
  });
}

export function checkWeight(weight = 0, path: FieldPath, errors: FieldErrors): void {
  if (weight <= 0 || weight > 100) errors.push(invalid(path, weight, 'must be in the range 1-100'));
}

export const hasInvalidNodeSelectorValue = (terms: readonly NodeSelectorTerm[] | undefined): boolean =>
  terms?.some(
    ({ matchExpressions }) =>
      matchExpressions?.some(({ values }) => values?.some((value) => isLabelValue(value).length > 0) === true) === true,
  ) === true;
