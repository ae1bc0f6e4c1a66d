/** What validating and mutating policies have in common: constraints, the kind of parameters, variables. */
import type { MatchResources, ParamKind, Variable } from '../gen/types/admissionregistration-v1.ts';
import { type CelType, dynType } from '../../cel/index.ts';
import { invalid, required } from '../../machinery/field-error.ts';
import type { FieldErrors } from '../../machinery/field-errors.ts';
import type { FieldPath } from '../../machinery/field-path.ts';
import { isDns1035Label, isDns1123Subdomain } from '../../machinery/formats/names.ts';
import { isCelIdentifier } from './cel-identifier.ts';
import { checkExpression, type ExpressionRules } from './match-conditions.ts';
import { checkMatchResources } from './match-resources.ts';

export interface PolicyRules extends ExpressionRules {
  /** Those that are declared so far: one may use the ones before it. */
  readonly variables: Map<string, CelType>;
}

export function checkConstraints(constraints: MatchResources | undefined, path: FieldPath, errors: FieldErrors): void {
  if (constraints === undefined) return void errors.push(required(path));
  checkMatchResources(constraints, path, errors);
  // The rules say which types the expressions are about.
  if ((constraints.resourceRules?.length ?? 0) === 0) errors.push(required(path.child('resourceRules')));
}

export function checkParamKind({ apiVersion = '', kind = '' }: ParamKind, path: FieldPath, errors: FieldErrors): void {
  if (apiVersion === '') errors.push(required(path.child('apiVersion')));
  else checkApiVersion(apiVersion, path.child('apiVersion'), errors);
  if (kind === '') return void errors.push(required(path.child('kind')));
  const messages = isDns1035Label(kind.toLowerCase());
  if (messages.length > 0)
    errors.push(
      invalid(path.child('kind'), kind, `may have mixed case, but should otherwise match: ${messages.join(',')}`),
    );
}

function checkApiVersion(text: string, path: FieldPath, errors: FieldErrors): void {
  const parts = text.split('/');
  if (parts.length > 2) return void errors.push(invalid(path, text, `unexpected GroupVersion string: ${text}`));
  const version = parts.pop()!;
  const group = parts.pop() ?? '';
  const groupMessages = group === '' ? [] : isDns1123Subdomain(group);
  if (groupMessages.length > 0) errors.push(invalid(path, group, groupMessages.join(',')));
  if (version === '') return void errors.push(invalid(path, text, 'version must be specified'));
  const versionMessages = isDns1035Label(version);
  if (versionMessages.length > 0) errors.push(invalid(path, version, versionMessages.join(',')));
}

export function* checkVariable(
  { name = '', expression = '' }: Variable,
  path: FieldPath,
  errors: FieldErrors,
  rules: PolicyRules,
): Generator<void, void> {
  if (name.trim() === '') errors.push(required(path.child('name'), 'name is not specified'));
  else if (!isCelIdentifier(name)) errors.push(invalid(path.child('name'), name, 'name is not a valid CEL identifier'));
  if (expression.trim() === '') errors.push(required(path.child('expression'), 'expression is not specified'));
  const type =
    expression.trim() === '' ? undefined : yield* checkExpression(expression, path.child('expression'), errors, rules);
  rules.variables.set(name, type ?? dynType);
}
