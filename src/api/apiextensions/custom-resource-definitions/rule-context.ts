/**
 * Rules in CEL, compiled where they stand: what they may cost depends on how often the place occurs in an object, and
 * whether they may look at the old value on whether it can be found.
 * @see {@link
 *   https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definitions/#resource-use-by-validation-functions
 *   | Resource use by validation functions}
 */
import type {
  CustomResourceDefinitionSpec,
  JSONSchemaProps,
  ValidationRule,
} from '../../gen/types/apiextensions-v1.ts';
import { type CompiledRule, compatibilityVersion, compilingRules } from '../../../cel/index.ts';
import { forbidden, invalid } from '../../../machinery/field-error.ts';
import type { FieldErrors } from '../../../machinery/field-errors.ts';
import type { FieldPath } from '../../../machinery/field-path.ts';
import { goQuote, GoSyntax } from '../../../machinery/go-quote.ts';
import { runToEnd } from '../../../machinery/cooperative-scheduling.ts';

/** Largest estimated cost of a rule, over all values that it is about. */
const maxRuleCost = 10_000_000;
/** Of all rules of a definition. */
const maxTotalCost = 100_000_000;
/** Of rules that are to blame, so many are named; those that cost next to nothing are not. */
const maxNamed = 4;
const minNamedCost = maxTotalCost / 100;
const advice =
  '(try simplifying the rule, or adding maxItems, maxProperties, and maxLength where arrays, maps, and ' +
  'strings are declared)';

/** Rules and messages of a definition, in all versions. */
export function rulesOf({ versions = [] }: CustomResourceDefinitionSpec): Set<string> {
  const found = new Set<string>();
  for (const { schema } of versions) collectRules(schema?.openAPIV3Schema, found);
  return found;
}

function collectRules(schema: JSONSchemaProps | undefined, found: Set<string>): void {
  if (schema === undefined) return;
  for (const { rule = '', messageExpression = '' } of schema['x-kubernetes-validations'] ?? [])
    found.add(rule).add(messageExpression);
  for (const inside of schemasInside(schema)) collectRules(inside, found);
}

/** What the rules of one definition may cost together. */
export class RuleTotals {
  #total = 0;
  readonly #costs: { readonly path: FieldPath; readonly cost: number }[] = [];

  add(path: FieldPath, cost: number): void {
    this.#total += cost;
    this.#costs.push({ path, cost });
  }

  /** The rules to blame, then the whole. */
  check(path: FieldPath, errors: FieldErrors): void {
    if (this.#total <= maxTotalCost) return;
    const worst = this.#costs
      .filter(({ cost }) => cost >= minNamedCost)
      .sort((a, b) => b.cost - a.cost)
      .slice(0, maxNamed);
    for (const rule of worst)
      errors.push(
        forbidden(
          rule.path,
          'contributed to estimated rule cost total exceeding cost limit for entire OpenAPIv3 schema',
        ),
      );
    errors.push(
      forbidden(
        path,
        exceeds(
          'x-kubernetes-validations estimated rule cost total for entire OpenAPIv3 schema',
          this.#total,
          maxTotalCost,
        ),
      ),
    );
  }
}

function exceeds(what: string, cost: number, limit: number): string {
  const factor = cost / limit;
  const shown = factor > 100 ? 'more than 100x' : `${factor.toFixed(factor < 1.5 ? 6 : 1)}x`;
  return `${what} exceeds budget by factor of ${shown} ${advice}`;
}

/** Where in a schema the rules stand. */
export interface RuleContext {
  readonly totals: RuleTotals;
  readonly isRoot: boolean;
  /** How many such values an object has at most; undefined when nothing limits them. */
  readonly cardinality: number | undefined;
  /** The list or map above whose elements of now and before cannot be matched. */
  readonly uncorrelated: FieldPath | undefined;
  /** Rules that are stored already: they may be in a newer language than new ones. */
  readonly stored: ReadonlySet<string>;
  /** What one rule may cost is not judged again. */
  readonly ignoresCost: boolean;
}

export type Step = 'items' | 'properties' | 'additionalProperties';

/** The context of a schema directly inside. */
export function inner(context: RuleContext, schema: JSONSchemaProps, step: Step, path: FieldPath): RuleContext {
  const limit = step === 'properties' ? 1 : step === 'items' ? schema.maxItems : schema.maxProperties;
  const cardinality =
    limit === undefined || context.cardinality === undefined
      ? undefined
      : context.cardinality * Math.max(0, Number(limit));
  const matched =
    step === 'items' ? schema['x-kubernetes-list-type'] === 'map' : schema['x-kubernetes-map-type'] !== 'atomic';
  return { ...context, isRoot: false, cardinality, uncorrelated: context.uncorrelated ?? (matched ? undefined : path) };
}

/** By the schema they stand in, from the time when they were compiled until the definition is judged. */
const compiledAhead = new WeakMap<JSONSchemaProps, readonly CompiledRule[] | undefined>();

/**
 * Compiles the rules of a definition in the steps of each expression, so that a validation can yield between them.
 *
 * @param old what is stored, if something is
 */
export function* compileAhead(
  spec: CustomResourceDefinitionSpec,
  old: CustomResourceDefinitionSpec | undefined,
): Generator<void, void> {
  const stored = old === undefined ? new Set<string>() : rulesOf(old);
  const todo = (spec.versions ?? []).map(({ schema }) => ({ schema: schema?.openAPIV3Schema, isRoot: true }));
  for (let next = todo.pop(); next !== undefined; next = todo.pop()) {
    const { schema, isRoot } = next;
    if (schema === undefined) continue;
    if ((schema['x-kubernetes-validations'] ?? []).length > 0)
      compiledAhead.set(schema, yield* compiling(schema, isRoot, stored));
    for (const inside of schemasInside(schema)) todo.push({ schema: inside, isRoot: false });
  }
}

function schemasInside({ properties = {}, additionalProperties, items }: JSONSchemaProps): JSONSchemaProps[] {
  return [
    ...Object.values(properties),
    ...(typeof additionalProperties === 'object' ? [additionalProperties] : []),
    ...(items === undefined || Array.isArray(items) ? [] : [items]),
  ];
}

function compiling(
  schema: JSONSchemaProps,
  isRoot: boolean,
  stored: ReadonlySet<string>,
): Generator<void, CompiledRule[] | undefined> {
  const areStored = (schema['x-kubernetes-validations'] ?? []).every(
    ({ rule = '', messageExpression = '' }) => stored.has(rule) && stored.has(messageExpression),
  );
  return compilingRules(
    schema,
    isRoot || schema['x-kubernetes-embedded-resource'] === true,
    areStored ? {} : { version: compatibilityVersion },
  );
}

/** @param path of the schema */
export function checkCompiledRules(
  schema: JSONSchemaProps,
  context: RuleContext,
  path: FieldPath,
  errors: FieldErrors,
): void {
  const rules = schema['x-kubernetes-validations'] ?? [];
  if (rules.length === 0) return;
  const compiled = compiledAhead.has(schema)
    ? compiledAhead.get(schema)
    : runToEnd(compiling(schema, context.isRoot, context.stored));
  rules.forEach((rule, i) => {
    if (compiled !== undefined)
      checkRule(rule, compiled[i]!, context, path.child('x-kubernetes-validations').index(i), errors);
  });
}

function checkRule(
  source: ValidationRule,
  compiled: CompiledRule,
  context: RuleContext,
  path: FieldPath,
  errors: FieldErrors,
): void {
  const rulePath = path.child('rule');
  const cost = compiled.maxCost * (context.cardinality ?? compiled.maxCardinality);
  if (cost > maxRuleCost && !context.ignoresCost)
    errors.push(forbidden(rulePath, exceeds('estimated rule cost', cost, maxRuleCost)));
  context.totals.add(rulePath, cost);
  const { problem } = compiled.rule;
  if (problem !== undefined && (source.rule ?? '').trim() !== '')
    errors.push(invalid(rulePath, goRule(source), problem));
  checkMessage(source, compiled, context, path.child('messageExpression'), errors);
  checkOldSelf(source, compiled, context, path, errors);
}

function checkMessage(
  source: ValidationRule,
  { messageExpression, maxMessageCost }: CompiledRule,
  { totals, ignoresCost }: RuleContext,
  path: FieldPath,
  errors: FieldErrors,
): void {
  if (messageExpression === undefined || (source.messageExpression ?? '').trim() === '') return;
  if (messageExpression.problem !== undefined)
    return void errors.push(invalid(path, goRule(source), messageExpression.problem));
  if (maxMessageCost > maxRuleCost && !ignoresCost)
    errors.push(forbidden(path, exceeds('estimated messageExpression cost', maxMessageCost, maxRuleCost)));
  totals.add(path, maxMessageCost);
}

function checkOldSelf(
  source: ValidationRule,
  { usesOldSelf }: CompiledRule,
  { uncorrelated }: RuleContext,
  path: FieldPath,
  errors: FieldErrors,
): void {
  if (!usesOldSelf) {
    if (source.optionalOldSelf !== undefined)
      errors.push(
        invalid(path.child('optionalOldSelf'), source.optionalOldSelf, 'may not be set if oldSelf is not used in rule'),
      );
  } else if (uncorrelated !== undefined) {
    errors.push(
      invalid(
        path.child('rule'),
        source.rule ?? '',
        `oldSelf cannot be used on the uncorrelatable portion of the schema within ${uncorrelated.toString()}`,
      ),
    );
  }
}

/** As Go shows the struct, without optional members: Go shows their addresses in memory, which have no meaning. */
function goRule({
  rule = '',
  message = '',
  messageExpression = '',
  reason,
  fieldPath = '',
  optionalOldSelf,
}: ValidationRule): GoSyntax {
  const pointer = (type: string, value: unknown): string =>
    `(*${type})(${value === undefined ? 'nil' : '0xc000000000'})`;
  return new GoSyntax(
    `apiextensions.ValidationRule{Rule:${goQuote(rule)}, Message:${goQuote(message)}, ` +
      `MessageExpression:${goQuote(messageExpression)}, ` +
      `Reason:${pointer('apiextensions.FieldValueErrorReason', reason)}, FieldPath:${goQuote(fieldPath)}, ` +
      `OptionalOldSelf:${pointer('bool', optionalOldSelf)}}`,
  );
}
