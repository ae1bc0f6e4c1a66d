/**
 * Conditions in CEL under which a webhook or a policy applies.
 * @see {@link https://kubernetes.io/docs/reference/access-authn-authz/extensible-admission-controllers/#matching-requests-matchconditions | Matching requests: matchConditions}
 */
import type { MatchCondition } from '../gen/types/admissionregistration-v1.ts';
import { duplicate, type FieldError, required, tooMany } from '../../machinery/field-error.ts';
import type { FieldPath } from '../../machinery/field-path.ts';
import { checkLabelName } from '../meta/labels.ts';

const maxConditions = 64;

/** @TODO(#3) expressions are not compiled: one that is not CEL, or no boolean, is accepted. */
export function checkMatchConditions(conditions: readonly MatchCondition[] = [], path: FieldPath, errors: FieldError[]): void {
  if (conditions.length > maxConditions) errors.push(tooMany(path, conditions.length, maxConditions));
  const seen = new Set<string>();
  conditions.forEach(({ name = '', expression = '' }, i) => {
    const at = path.index(i);
    if (expression.trim() === '') errors.push(required(at.child('expression')));
    if (name === '') return void errors.push(required(at.child('name')));
    checkLabelName(name, at.child('name'), errors);
    if (seen.has(name)) errors.push(duplicate(at.child('name'), name));
    seen.add(name);
  });
}
