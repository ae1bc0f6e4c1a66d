/**
 * Conditions in CEL under which a webhook or a policy applies.
 * @see {@link https://kubernetes.io/docs/reference/access-authn-authz/extensible-admission-controllers/#matching-requests-matchconditions | Matching requests: matchConditions}
 */
import type { MatchCondition } from '../gen/types/admissionregistration-v1.ts';
import { type AdmissionUse, admissionEnvironment, boolType, type CelType, compatibilityVersion } from '../../cel/index.ts';
import { duplicate, type FieldError, invalid, required, tooMany } from '../../machinery/field-error.ts';
import type { FieldPath } from '../../machinery/field-path.ts';
import { checkLabelName } from '../meta/labels.ts';

const maxConditions = 64;

export interface ExpressionRules {
  /** Expressions that are stored already: they may be in a newer language than new ones. */
  readonly stored?: ReadonlySet<string>;
  /** What they may use. */
  readonly use?: AdmissionUse;
}

export function checkMatchConditions(conditions: readonly MatchCondition[] = [], path: FieldPath, errors: FieldError[], { stored, use = {} }: ExpressionRules = {}): void {
  if (conditions.length > maxConditions) errors.push(tooMany(path, conditions.length, maxConditions));
  const seen = new Set<string>();
  conditions.forEach(({ name = '', expression = '' }, i) => {
    const at = path.index(i);
    if (expression.trim() === '') errors.push(required(at.child('expression')));
    else checkExpression(expression, at.child('expression'), errors, { stored, use: { authorizer: true, ...use } }, boolType);
    if (name === '') return void errors.push(required(at.child('name')));
    checkLabelName(name, at.child('name'), errors);
    if (seen.has(name)) errors.push(duplicate(at.child('name'), name));
    seen.add(name);
  });
}

/** Compiles the expression; the type is undefined when it does not compile. It must be of one of the types that are given. */
export function checkExpression(expression: string, path: FieldPath, errors: FieldError[], { stored, use = {} }: ExpressionRules, ...expected: readonly CelType[]): CelType | undefined {
  const environment = admissionEnvironment(stored?.has(expression) === true ? use : { ...use, version: compatibilityVersion });
  const compiled = environment.compile(expression, ...expected);
  if (!('failure' in compiled)) return compiled.type;
  errors.push(invalid(path, expression, compiled.failure));
  return undefined;
}
