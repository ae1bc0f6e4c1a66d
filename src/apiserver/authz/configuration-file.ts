/**
 * Reads an AuthorizationConfiguration: YAML or JSON, judged as a whole, with the path of each field that is wrong.
 * @see {@link
 *   https://kubernetes.io/docs/reference/access-authn-authz/authorization/#using-configuration-file-for-authorization |
 *   Configuring the API server using an authorization config file}
 */
import { statSync } from 'node:fs';
import path from 'node:path';
import type { Program } from '../../cel/index.ts';
import {
  aggregateText,
  duplicate,
  type FieldError,
  invalid,
  notSupported,
  required,
  tooMany,
} from '../../machinery/field-error.ts';
import { FieldPath } from '../../machinery/field-path.ts';
import { isDns1123Subdomain } from '../../machinery/formats/names.ts';
import { goQuote } from '../../machinery/go-quote.ts';
import { parseYaml } from '../../machinery/json/yaml.ts';
import { isObject, type JsonObject, type JsonValue } from '../../machinery/value.ts';
import { parseDuration } from '../../machinery/duration.ts';
import { compileCondition } from '../../auth/authorization/webhook/match-conditions.ts';

/** Ours is the specification's spelling of the other. */
const groups = ['apiserver.config.k8s.io', 'apiserver.config.orch.io', 'apiserver.orch.io'];
const apiVersions = groups.flatMap((group) => ['v1', 'v1beta1', 'v1alpha1'].map((version) => `${group}/${version}`));
const knownTypes = ['ABAC', 'AlwaysAllow', 'AlwaysDeny', 'Node', 'RBAC', 'Webhook'];
const connectionTypes = ['InClusterConfig', 'KubeConfigFile'];
const maxTimeoutMs = 30_000;
const maxConditions = 64;
const defaultTtlMs = { authorized: 5 * 60_000, unauthorized: 30_000 };

export interface ConfiguredWebhook {
  readonly authorizedTtlMs: number;
  readonly unauthorizedTtlMs: number;
  readonly timeoutMs: number;
  readonly version: string;
  readonly onFailure: 'noOpinion' | 'deny';
  /** Path of a file in kubeconfig format; undefined for the credentials that a pod is given. */
  readonly kubeConfigFile: string | undefined;
  readonly conditions: readonly Program[];
}

export interface ConfiguredAuthorizer {
  readonly type: string;
  readonly name: string;
  /** Of type Webhook only. */
  readonly webhook: ConfiguredWebhook | undefined;
}

/** A step for each expression. Throws an Error whose message names the fields that are wrong. */
export function* readAuthorizationConfiguration(text: string): Generator<void, ConfiguredAuthorizer[]> {
  const { value, problems } = parseYaml(text);
  if (problems.length > 0) throw new Error(problems.join('; '));
  if (!isObject(value)) throw new Error('it holds no AuthorizationConfiguration');
  const { apiVersion, kind } = value;
  if (!apiVersions.includes(apiVersion as string) || kind !== 'AuthorizationConfiguration')
    throw new Error(`no kind ${goQuote(textOf(kind))} is registered for version ${goQuote(textOf(apiVersion))}`);
  const errors: FieldError[] = [];
  checkNames(value, ['apiVersion', 'kind', 'authorizers'], undefined, errors);
  const authorizers = yield* readAuthorizers(listOf(value['authorizers'], FieldPath.of('authorizers'), errors), errors);
  if (errors.length > 0) throw new Error(aggregateText(errors));
  return authorizers;
}

function* readAuthorizers(items: readonly JsonValue[], errors: FieldError[]): Generator<void, ConfiguredAuthorizer[]> {
  const at = FieldPath.of('authorizers');
  if (items.length === 0) errors.push(required(at, 'at least one authorization mode must be defined'));
  const seen = { types: new Set<string>(), names: new Set<string>() };
  const authorizers: ConfiguredAuthorizer[] = [];
  for (const [i, item] of items.entries())
    authorizers.push(yield* readAuthorizer(objectOf(item, at.index(i), errors), at.index(i), seen, errors));
  return authorizers;
}

function* readAuthorizer(
  fields: JsonObject,
  at: FieldPath,
  seen: { readonly types: Set<string>; readonly names: Set<string> },
  errors: FieldError[],
): Generator<void, ConfiguredAuthorizer> {
  checkNames(fields, ['type', 'name', 'webhook'], at, errors);
  const [type, name] = [textAt(fields, 'type', at, errors), textAt(fields, 'name', at, errors)];
  if (type === '') errors.push(required(at.child('type')));
  else if (!knownTypes.includes(type)) errors.push(notSupported(at.child('type'), type, knownTypes));
  else if (type !== 'Webhook' && seen.types.has(type)) errors.push(duplicate(at.child('type'), type));
  seen.types.add(type);
  checkName(name, type, at.child('name'), seen.names, errors);
  const { webhook } = fields;
  if (type === 'Webhook' && webhook === undefined)
    errors.push(required(at.child('webhook'), 'required when type=Webhook'));
  if (type !== 'Webhook' && webhook !== undefined)
    errors.push(invalid(at.child('webhook'), 'non-null', 'may only be specified when type=Webhook'));
  return {
    type,
    name,
    webhook:
      type === 'Webhook' && webhook !== undefined
        ? yield* readWebhook(objectOf(webhook, at.child('webhook'), errors), at.child('webhook'), errors)
        : undefined,
  };
}

function checkName(name: string, type: string, at: FieldPath, seen: Set<string>, errors: FieldError[]): void {
  if (name === '') errors.push(required(at));
  else if (seen.has(name)) errors.push(duplicate(at, name));
  else if (isDns1123Subdomain(name).length > 0)
    errors.push(invalid(at, name, `authorizer name is invalid: ${isDns1123Subdomain(name).join(', ')}`));
  else if (type !== 'Webhook' && knownTypes.includes(type) && name !== type.toLowerCase())
    errors.push(invalid(at, name, `expected name ${type.toLowerCase()} for authorizer ${type} instead of ${name}`));
  seen.add(name);
}

const webhookFields = [
  'authorizedTTL',
  'unauthorizedTTL',
  'timeout',
  'subjectAccessReviewVersion',
  'matchConditionSubjectAccessReviewVersion',
  'failurePolicy',
  'connectionInfo',
  'matchConditions',
];

function* readWebhook(fields: JsonObject, at: FieldPath, errors: FieldError[]): Generator<void, ConfiguredWebhook> {
  checkNames(fields, webhookFields, at, errors);
  const timeoutMs = durationAt(fields, 'timeout', at, errors);
  if (timeoutMs === undefined) errors.push(required(at.child('timeout')));
  else if (timeoutMs <= 0 || timeoutMs > maxTimeoutMs)
    errors.push(invalid(at.child('timeout'), textOf(fields['timeout']), 'must be > 0s and <= 30s'));
  const { conditions, count } = yield* readConditions(fields, at.child('matchConditions'), errors);
  const conditionVersion = textAt(fields, 'matchConditionSubjectAccessReviewVersion', at, errors);
  const versionAt = at.child('matchConditionSubjectAccessReviewVersion');
  if (conditionVersion === '' && count > 0)
    errors.push(required(versionAt, 'required if match conditions are specified'));
  if (conditionVersion !== '' && conditionVersion !== 'v1')
    errors.push(notSupported(versionAt, conditionVersion, ['v1']));
  return {
    timeoutMs: timeoutMs ?? 0,
    conditions,
    authorizedTtlMs: ttlAt(fields, 'authorizedTTL', defaultTtlMs.authorized, at, errors),
    unauthorizedTtlMs: ttlAt(fields, 'unauthorizedTTL', defaultTtlMs.unauthorized, at, errors),
    version: oneOf(fields, 'subjectAccessReviewVersion', ['v1', 'v1beta1'], at, errors),
    onFailure: oneOf(fields, 'failurePolicy', ['Deny', 'NoOpinion'], at, errors) === 'Deny' ? 'deny' : 'noOpinion',
    kubeConfigFile: readConnectionInfo(
      objectOf(fields['connectionInfo'] ?? {}, at.child('connectionInfo'), errors),
      at.child('connectionInfo'),
      errors,
    ),
  };
}

function ttlAt(fields: JsonObject, name: string, usualMs: number, at: FieldPath, errors: FieldError[]): number {
  const ms = durationAt(fields, name, at, errors) ?? usualMs;
  if (ms < 0) errors.push(invalid(at.child(name), textOf(fields[name]), 'must be > 0s'));
  // As upstream: nothing said is the usual time, and so is zero.
  return ms === 0 ? usualMs : ms;
}

function oneOf(
  fields: JsonObject,
  name: string,
  values: readonly string[],
  at: FieldPath,
  errors: FieldError[],
): string {
  const value = textAt(fields, name, at, errors);
  if (value === '') errors.push(required(at.child(name)));
  else if (!values.includes(value)) errors.push(notSupported(at.child(name), value, values));
  return value;
}

function readConnectionInfo(fields: JsonObject, at: FieldPath, errors: FieldError[]): string | undefined {
  checkNames(fields, ['type', 'kubeConfigFile'], at, errors);
  const type = oneOf(fields, 'type', connectionTypes, at, errors);
  const file = textAt(fields, 'kubeConfigFile', at, errors);
  const fileAt = at.child('kubeConfigFile');
  if (type === 'InClusterConfig' && file !== '')
    errors.push(invalid(fileAt, file, 'can only be set when type=KubeConfigFile'));
  if (type !== 'KubeConfigFile') return undefined;
  if (file === '') errors.push(required(fileAt));
  else if (!path.isAbsolute(file)) errors.push(invalid(fileAt, file, 'must be an absolute path'));
  else if (statSync(file, { throwIfNoEntry: false })?.isFile() !== true)
    errors.push(invalid(fileAt, file, 'must be a regular file'));
  return file;
}

/** @returns also how many there should be: what is wrong is not among the conditions */
function* readConditions(
  fields: JsonObject,
  at: FieldPath,
  errors: FieldError[],
): Generator<void, { readonly conditions: Program[]; readonly count: number }> {
  const items = listOf(fields['matchConditions'], at, errors);
  if (items.length > maxConditions) errors.push(tooMany(at, items.length, maxConditions));
  const seen = new Set<string>();
  const conditions: Program[] = [];
  for (const [i, item] of items.slice(0, maxConditions).entries()) {
    const own = objectOf(item, at.index(i), errors);
    checkNames(own, ['expression'], at.index(i), errors);
    const expression = textAt(own, 'expression', at.index(i), errors).trim();
    const expressionAt = at.index(i).child('expression');
    if (expression === '') errors.push(required(expressionAt));
    else if (seen.has(expression)) errors.push(duplicate(expressionAt, expression));
    else {
      conditions.push(...(yield* compiled(expression, expressionAt, errors)));
      yield;
    }
    seen.add(expression);
  }
  return { conditions, count: items.length };
}

function* compiled(expression: string, at: FieldPath, errors: FieldError[]): Generator<void, Program[]> {
  try {
    return [yield* compileCondition(expression)];
  } catch (error) {
    errors.push(invalid(at, expression, (error as Error).message));
    return [];
  }
}

const textOf = (value: JsonValue | undefined): string =>
  typeof value === 'string' ? value : value === undefined ? '' : JSON.stringify(value);

function checkNames(
  fields: JsonObject,
  known: readonly string[],
  at: FieldPath | undefined,
  errors: FieldError[],
): void {
  for (const name of Object.keys(fields)) {
    if (!known.includes(name))
      errors.push(invalid(at === undefined ? FieldPath.of(name) : at.child(name), name, 'unknown field'));
  }
}

function listOf(value: JsonValue | undefined, at: FieldPath, errors: FieldError[]): readonly JsonValue[] {
  if (value === undefined || value === null) return [];
  if (Array.isArray(value)) return value;
  errors.push(invalid(at, textOf(value), 'must be a list'));
  return [];
}

function objectOf(value: JsonValue | undefined, at: FieldPath, errors: FieldError[]): JsonObject {
  if (isObject(value)) return value;
  errors.push(invalid(at, textOf(value), 'must be an object'));
  return {};
}

function textAt(fields: JsonObject, name: string, at: FieldPath, errors: FieldError[]): string {
  const value = fields[name];
  if (value === undefined || value === null) return '';
  if (typeof value === 'string') return value;
  errors.push(invalid(at.child(name), textOf(value), 'must be a string'));
  return '';
}

function durationAt(fields: JsonObject, name: string, at: FieldPath, errors: FieldError[]): number | undefined {
  const text = textAt(fields, name, at, errors);
  if (text === '') return undefined;
  try {
    return Number(parseDuration(text) / 1_000_000n);
  } catch (error) {
    errors.push(invalid(at.child(name), text, (error as Error).message));
    return undefined;
  }
}
