import { forbidden, invalid, required } from '../../machinery/field-error.ts';
import { type FieldErrors, findsErrors } from '../../machinery/field-errors.ts';
import { FieldPath } from '../../machinery/field-path.ts';
import { isLabelValue } from '../../machinery/formats/names.ts';
import {
  type LabelSelector,
  type LabelSelectorRequirement,
  type Requirements,
  requirementsOf,
  SelectorError,
} from '../../machinery/label-selector.ts';
import { selectorText } from '../../machinery/label-selector-text.ts';
import { invalidEach } from './checks.ts';
import { checkLabelName, checkLabels } from './labels.ts';

export interface LabelSelectorRules {
  /** For updates of objects stored before values were checked. */
  readonly allowInvalidValues?: boolean;
  /** For access reviews, which pass on what they do not know. */
  readonly allowUnknownOperators?: boolean;
}

export function checkLabelSelector(
  selector: LabelSelector | undefined,
  path: FieldPath,
  errors: FieldErrors,
  rules: LabelSelectorRules = {},
): void {
  if (selector === undefined) return;
  checkLabels(selector.matchLabels, path.child('matchLabels'), errors);
  selector.matchExpressions?.forEach((requirement, i) =>
    checkRequirement(requirement, path.child('matchExpressions').index(i), errors, rules),
  );
}

function checkRequirement(
  { key = '', operator = '', values = [] }: LabelSelectorRequirement,
  path: FieldPath,
  errors: FieldErrors,
  rules: LabelSelectorRules,
): void {
  if (operator === 'In' || operator === 'NotIn') {
    if (values.length === 0)
      errors.push(required(path.child('values'), "must be specified when `operator` is 'In' or 'NotIn'"));
  } else if (operator === 'Exists' || operator === 'DoesNotExist') {
    if (values.length > 0)
      errors.push(
        forbidden(path.child('values'), "may not be specified when `operator` is 'Exists' or 'DoesNotExist'"),
      );
  } else if (rules.allowUnknownOperators !== true)
    errors.push(invalid(path.child('operator'), operator, 'not a valid selector operator'));
  checkLabelName(key, path.child('key'), errors);
  if (rules.allowInvalidValues !== true)
    values.forEach((value, i) => invalidEach(isLabelValue(value), path.child('values').index(i), value, errors));
}

/** Whether a value of an expression breaks the rules: an object that has one keeps the right to it. */
export const hasInvalidSelectorValue = (selector: LabelSelector | undefined): boolean =>
  selector?.matchExpressions?.some(({ values }) => values?.some((value) => isLabelValue(value).length > 0) === true) ===
  true;

/** Whether anything in it breaks the rules. */
export const hasInvalidSelector = (selector: LabelSelector | undefined): boolean =>
  findsErrors((errors) => checkLabelSelector(selector, FieldPath.root, errors));

export const isEmptySelector = (selector: LabelSelector): boolean =>
  Object.keys(selector.matchLabels ?? {}).length === 0 && (selector.matchExpressions?.length ?? 0) === 0;

/** What the selector means, undefined when it means nothing that can be understood. */
export function understoodSelector(selector: LabelSelector | undefined): Requirements | undefined {
  try {
    return requirementsOf(selector);
  } catch (error) {
    if (error instanceof SelectorError) return undefined;
    throw error;
  }
}

/** How columns show a selector: as text, `<none>` when empty, `<error>` when it is invalid. */
export function formatLabelSelector(selector: LabelSelector | undefined): string {
  const understood = understoodSelector(selector);
  return understood === undefined ? '<error>' : selectorText(understood) || '<none>';
}
