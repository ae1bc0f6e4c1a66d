/**
 * `x-kubernetes-validations`: the rules of one schema node, compiled against the type that the node has.
 *
 * For each value that the schema accepts: `rule.program.evaluate({ self: type.adapt(json), oldSelf: … }, budget)`, in
 * the order of the rules, with `type = schemaType(schema, isRoot)`. A rule that uses `oldSelf` is a transition rule: it
 * runs on updates only and only where old and new value can be told to be the same one, unless it has
 * `optionalOldSelf`, for which {@link oldSelfOf} gives the value. The budget of all rules of one object together is
 * `runtimeBudget`; subtract each outcome's cost.
 *
 * @see {@link
 *   https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definitions/#validation-rules |
 *   Validation rules}
 */
import { runToEnd } from '../../machinery/cooperative-scheduling.ts';
import { boolType, type CelType, optionalType, sameType, stringType } from '../check/types.ts';
import { type Environment, environment, type Failure, type Outcome, type Program } from '../environment.ts';
import { CelError, noValue, Optional, type Value } from '../values/values.ts';
import { maxInRequest, type OpenApiSchema, type SchemaType, schemaType, sizesIn } from './schema-type.ts';

export interface RuleSource {
  readonly rule?: string;
  readonly messageExpression?: string;
  readonly optionalOldSelf?: boolean;
}

/** An expression, or what is wrong with it in the words of the API's errors. */
export type Compiled =
  | { readonly program: Program; readonly problem?: undefined }
  | { readonly program?: undefined; readonly problem: string };

export interface CompiledRule {
  readonly rule: Compiled;
  /** Present when there is one. */
  readonly messageExpression?: Compiled;
  /** A transition rule; false for what does not compile. */
  readonly usesOldSelf: boolean;
  readonly optionalOldSelf: boolean;
  /** Estimates for one value, 0 for what does not compile. */
  readonly maxCost: number;
  readonly maxMessageCost: number;
  /** How many values of the node's type one request can hold: the factor where the schemas around set no limit. */
  readonly maxCardinality: number;
}

export type RulesOfSchema = OpenApiSchema & { readonly 'x-kubernetes-validations'?: readonly RuleSource[] };

export interface RuleOptions {
  /** Minor version whose language is spoken; the newest for rules that are stored already. */
  readonly version?: number;
}

const nothing = 'rule is not specified';

/**
 * The rules of a schema node in their order. Undefined when the schema has no type that rules could be about.
 * Compile once and keep the result with the schema.
 *
 * @param isRoot the schema is that of a whole resource
 */
export function compileRules(
  schema: RulesOfSchema,
  isRoot: boolean,
  options: RuleOptions = {},
): CompiledRule[] | undefined {
  return runToEnd(compilingRules(schema, isRoot, options));
}

/** The same, in steps: those of each expression, and one for what a rule costs. */
export function* compilingRules(
  schema: RulesOfSchema,
  isRoot: boolean,
  options: RuleOptions = {},
): Generator<void, CompiledRule[] | undefined> {
  const type = isRoot ? schemaType(schema, true) : schemaType(schema);
  if (type === undefined) return undefined;
  const compiled: CompiledRule[] = [];
  for (const rule of schema['x-kubernetes-validations'] ?? []) {
    compiled.push(yield* compileRule(rule, type, options));
  }
  return compiled;
}

function* compileRule(source: RuleSource, type: SchemaType, options: RuleOptions): Generator<void, CompiledRule> {
  const optionalOldSelf = source.optionalOldSelf === true;
  const env = environmentFor(type, optionalOldSelf, options);
  const rule = yield* compileAs(env, source.rule ?? '', boolType, '', 'cel expression must evaluate to a bool');
  const { messageExpression = '' } = source;
  const message =
    messageExpression === ''
      ? undefined
      : yield* compileAs(
          env,
          messageExpression,
          stringType,
          'messageExpression ',
          'messageExpression must evaluate to a string',
        );
  yield;
  const sizes = sizesIn({ self: type, oldSelf: type });
  return {
    rule,
    optionalOldSelf,
    ...(message === undefined ? {} : { messageExpression: message }),
    usesOldSelf: rule.program?.uses('oldSelf') ?? false,
    maxCost: rule.program?.estimateCost(sizes) ?? 0,
    maxMessageCost: message?.program?.estimateCost(sizes) ?? 0,
    maxCardinality: maxInRequest(type),
  };
}

function environmentFor({ type }: SchemaType, optionalOldSelf: boolean, { version }: RuleOptions): Environment {
  return environment({
    variables: { self: type, oldSelf: optionalOldSelf ? optionalType(type) : type },
    ...(version === undefined ? {} : { version }),
  });
}

function* compileAs(
  env: Environment,
  text: string,
  wanted: CelType,
  prefix: string,
  wrongType: string,
): Generator<void, Compiled> {
  if (text.trim() === '') return { problem: nothing };
  const compiled: Program | Failure = yield* env.compiling(text);
  if ('failure' in compiled) return { problem: `${prefix}${compiled.failure}` };
  return sameType(compiled.type, wanted) ? { program: compiled } : { problem: wrongType };
}

/** `oldSelf` of a rule with `optionalOldSelf`; undefined for a value that was not there. */
export const oldSelfOf = (old: Value | undefined): Value =>
  old === undefined ? noValue : old instanceof CelError ? old : new Optional(old);

/** What the error about a rule says whose evaluation failed, as upstream words it. */
export function evaluationProblem(
  { error, cancelled }: Extract<Outcome, { error: string }>,
  rule: string,
  message: string | undefined,
): string {
  const shown = message === undefined || message === '' ? rule.trim() : message.trim();
  if (cancelled)
    return `'${error}': no further validation rules will be run due to call cost exceeds limit for rule: ${shown}`;
  if (error.startsWith('no such overload'))
    return (
      `'${error}': call arguments did not match a supported operator, function or macro signature ` +
      `for rule: ${shown}`
    );
  return `${error} evaluating rule: ${shown}`;
}

/** The error when the rules of one object have used up what they may cost together. */
export const budgetProblem =
  'validation failed due to running out of cost budget, no further validation rules will be run';
