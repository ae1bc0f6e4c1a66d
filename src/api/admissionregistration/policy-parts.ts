/** What validating and mutating policies have in common: constraints, the kind of parameters, variables. */
import type { MatchCondition, MatchResources, ParamKind, Variable } from '../gen/types/admissionregistration-v1.ts';
import { type CelType, dynType } from '../../cel/index.ts';
import { invalid, required } from '../../machinery/field-error.ts';
import type { FieldErrors } from '../../machinery/field-errors.ts';
import type { FieldPath } from '../../machinery/field-path.ts';
import { isDns1035Label, isDns1123Subdomain } from '../../machinery/formats/names.ts';
import type { ObjectMeta } from '../../machinery/object-meta.ts';
import { isCelIdentifier } from './cel-identifier.ts';
import { checkEnum } from '../meta/checks.ts';
import { subdomainName } from '../meta/name-rules.ts';
import { validateBuiltInMeta } from '../meta/object-meta.ts';
import { checkExpression, checkMatchConditions, type ExpressionRules } from './match-conditions.ts';
import { failurePolicies } from './webhooks.ts';
import { checkMatchResources } from './match-resources.ts';

export interface PolicyRules extends ExpressionRules {
  /** Those that are declared so far: one may use the ones before it. */
  readonly variables: Map<string, CelType>;
}

interface Policy {
  readonly metadata: ObjectMeta;
  readonly spec: {
    readonly failurePolicy?: string;
    readonly paramKind?: ParamKind;
    readonly matchConstraints?: MatchResources;
    readonly matchConditions?: MatchCondition[];
    readonly variables?: Variable[];
  };
}

/**
 * Adds what is wrong with all that does not depend on what a policy does.
 * @param stored expressions of the policy that is replaced
 * @param checkMore what else its constraints have to be
 * @returns the rules for the expressions that come after its variables
 */
export function* checkCommonParts(
  { metadata, spec }: Policy,
  path: FieldPath,
  stored: ReadonlySet<string> | undefined,
  errors: FieldErrors,
  checkMore?: typeof checkConstraints,
): Generator<void, PolicyRules> {
  const { failurePolicy, paramKind, matchConstraints, matchConditions, variables: declared = [] } = spec;
  errors.push(...validateBuiltInMeta(metadata, { namespaced: false, validateName: subdomainName }));
  if (failurePolicy === undefined) errors.push(required(path.child('failurePolicy')));
  else checkEnum(failurePolicy, failurePolicies, path.child('failurePolicy'), errors);
  if (paramKind !== undefined) checkParamKind(paramKind, path.child('paramKind'), errors);
  checkConstraints(matchConstraints, path.child('matchConstraints'), errors);
  checkMore?.(matchConstraints, path.child('matchConstraints'), errors);
  const params = paramKind !== undefined;
  yield* checkMatchConditions(matchConditions, path.child('matchConditions'), errors, { stored, use: { params } });
  const variables = new Map<string, CelType>();
  const rules: PolicyRules = { stored, use: { params, authorizer: true, variables }, variables };
  for (const [i, variable] of declared.entries())
    yield* checkVariable(variable, path.child('variables').index(i), errors, rules);
  return rules;
}

function checkConstraints(constraints: MatchResources | undefined, path: FieldPath, errors: FieldErrors): void {
  if (constraints === undefined) return void errors.push(required(path));
  checkMatchResources(constraints, path, errors);
  // The rules say which types the expressions are about.
  if ((constraints.resourceRules?.length ?? 0) === 0) errors.push(required(path.child('resourceRules')));
}

function checkParamKind({ apiVersion = '', kind = '' }: ParamKind, path: FieldPath, errors: FieldErrors): void {
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

function* checkVariable(
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
