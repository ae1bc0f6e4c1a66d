/**
 * Conditions in CEL under which a webhook or a policy applies.
 * @see {@link
 *   https://kubernetes.io/docs/reference/access-authn-authz/extensible-admission-controllers/#matching-requests-matchconditions
 *   | Matching requests: matchConditions}
 */
import type { MatchCondition } from '../gen/types/admissionregistration-v1.ts';
import {
  type AdmissionUse,
  admissionEnvironment,
  boolType,
  type CelType,
  compatibilityVersion,
} from '../../cel/index.ts';
import { duplicate, invalid, required, tooMany } from '../../machinery/field-error.ts';
import type { FieldErrors } from '../../machinery/field-errors.ts';
import type { FieldPath } from '../../machinery/field-path.ts';
import { checkLabelName } from '../meta/labels.ts';

const maxConditions = 64;

export interface ExpressionRules {
  /** Expressions that are stored already: they may be in a newer language than new ones. */
  readonly stored?: ReadonlySet<string>;
  /** What they may use. */
  readonly use?: AdmissionUse;
}

/** In steps, those of each expression. */
export function* checkMatchConditions(
  conditions: readonly MatchCondition[] = [],
  path: FieldPath,
  errors: FieldErrors,
  { stored, use = {} }: ExpressionRules = {},
): Generator<void, void> {
  if (conditions.length > maxConditions) errors.push(tooMany(path, conditions.length, maxConditions));
  const seen = new Set<string>();
  for (const [i, { name = '', expression = '' }] of conditions.entries()) {
    const at = path.index(i);
    if (expression.trim() === '') errors.push(required(at.child('expression')));
    else
      yield* checkExpression(
        expression,
        at.child('expression'),
        errors,
        { stored, use: { authorizer: true, ...use } },
        boolType,
      );
    checkName(name, seen, at.child('name'), errors);
  }
}

function checkName(name: string, seen: Set<string>, path: FieldPath, errors: FieldErrors): void {
  if (name === '') return void errors.push(required(path));
  checkLabelName(name, path, errors);
  if (seen.has(name)) errors.push(duplicate(path, name));
  seen.add(name);
}

/**
 * Compiles the expression in steps; the type is undefined when it does not compile. It must be of one of the types that
 * are given.
 */
export function* checkExpression(
  expression: string,
  path: FieldPath,
  errors: FieldErrors,
  { stored, use = {} }: ExpressionRules,
  ...expected: readonly CelType[]
): Generator<void, CelType | undefined> {
  const environment = admissionEnvironment(
    stored?.has(expression) === true ? use : { ...use, version: compatibilityVersion },
  );
  const compiled = yield* environment.compiling(expression, ...expected);
  if (!('failure' in compiled)) return compiled.type;
  errors.push(invalid(path, expression, compiled.failure));
  return undefined;
}
