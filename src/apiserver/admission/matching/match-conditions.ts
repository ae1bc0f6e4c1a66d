/**
 * Match conditions of webhooks and policies. They are compiled at their first use, and again when the configuration
 * that they stand in changes.
 * @see {@link
 *   https://kubernetes.io/docs/reference/access-authn-authz/extensible-admission-controllers/#matching-requests-matchconditions
 *   | Matching requests: matchConditions}
 */
import type { MatchCondition } from '../../../api/gen/types/admissionregistration-v1.ts';
import { type Authorizer, joinErrors } from '../../../auth/authorization/authorizer.ts';
import {
  adaptAny,
  admissionEnvironment,
  admissionRequest,
  boolType,
  matchConditionsBudget,
  type Program,
  type Value,
} from '../../../cel/index.ts';
import { runCooperatively } from '../../../machinery/cooperative-scheduling.ts';
import type { AdmissionAttributes, ResourceForm } from '../../../registry/admission.ts';
import { AuthorizerAnswers, requestJson } from './expression-input.ts';
import type { VersionedObjects } from './versioned-objects.ts';

export interface ConditionInput {
  readonly attributes: AdmissionAttributes;
  /** In which the objects are seen. */
  readonly form: ResourceForm;
  readonly objects: VersionedObjects;
  /** Of a policy that has parameters. */
  readonly params?: Value;
}

/** `error`: no condition is false, and these failed. What that means is up to the failure policy. */
export type ConditionResult =
  | { readonly matches: boolean; readonly error?: undefined; readonly failed: number }
  | { readonly error: string; readonly failed: number };

export interface MatchConditions {
  evaluate(input: ConditionInput): Promise<ConditionResult>;
}

export interface MatchConditionsOptions {
  readonly authorizer: Authorizer;
  /** Whether expressions may name `params`. */
  readonly params?: boolean;
}

const outOfBudget = 'validation failed due to running out of cost budget, no further validation rules will be run';

interface CompiledCondition {
  readonly expression: string;
  /** Or why it is none. */
  readonly program: Program | string;
}

/** Undefined where there are no conditions. */
export function createMatchConditions(
  conditions: readonly MatchCondition[] | undefined,
  { authorizer, params = false }: MatchConditionsOptions,
): MatchConditions | undefined {
  if (conditions === undefined || conditions.length === 0) return undefined;
  let compiled: Promise<readonly CompiledCondition[]> | undefined;
  return {
    async evaluate(input) {
      compiled ??= compileAll(conditions, params);
      return evaluateAll(await compiled, input, new AuthorizerAnswers(input.attributes, authorizer));
    },
  };
}

async function compileAll(
  conditions: readonly MatchCondition[],
  params: boolean,
): Promise<readonly CompiledCondition[]> {
  const environment = admissionEnvironment({ authorizer: true, params });
  const compiled: CompiledCondition[] = [];
  for (const { expression = '' } of conditions) {
    const program = await runCooperatively(environment.compiling(expression, boolType));
    compiled.push({ expression, program: 'failure' in program ? program.failure : program });
  }
  return compiled;
}

async function evaluateAll(
  conditions: readonly CompiledCondition[],
  input: ConditionInput,
  answers: AuthorizerAnswers,
): Promise<ConditionResult> {
  const bindings = await bindingsOf(input, answers);
  const errors: string[] = [];
  let isFalse = false;
  let left = matchConditionsBudget;
  for (const { expression, program } of conditions) {
    if (typeof program === 'string') {
      errors.push(`compilation error: ${program}`);
      continue;
    }
    const outcome = await answers.evaluate(program, bindings);
    if (outcome.cost > left) return { error: outOfBudget, failed: 0 };
    left -= outcome.cost;
    if ('error' in outcome) errors.push(`expression '${expression}' resulted in error: ${outcome.error}`);
    else isFalse ||= outcome.value !== true;
  }
  const failed = errors.length;
  if (isFalse) return { matches: false, failed };
  return failed === 0 ? { matches: true, failed } : { error: joinErrors(errors), failed };
}

async function bindingsOf(
  { attributes, form, objects, params }: ConditionInput,
  answers: AuthorizerAnswers,
): Promise<Readonly<Record<string, Value>>> {
  const [object, oldObject] = await Promise.all([objects.object(form), objects.oldObject(form)]);
  return {
    object: object === undefined ? null : adaptAny(object),
    oldObject: oldObject === undefined ? null : adaptAny(oldObject),
    request: admissionRequest.adapt(requestJson(attributes, form)),
    namespaceObject: null,
    ...(params === undefined ? {} : { params }),
    ...answers.variables,
  };
}
