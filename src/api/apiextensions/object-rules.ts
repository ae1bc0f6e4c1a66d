/**
 * Rules in CEL (`x-kubernetes-validations`) about custom objects: compiled once for a version, judged for each value
 * that has some, from the object down; and about the defaults of a definition.
 * @see {@link
 *   https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definitions/#validation-rules |
 *   Validation rules}
 */
import type { ValidationRule } from '../gen/types/apiextensions-v1.ts';
import {
  budgetProblem,
  type CompiledRule,
  compilingRules,
  evaluationProblem,
  oldSelfOf,
  type OpenApiSchema,
  type Outcome,
  runtimeBudget,
  schemaType,
  type SchemaType,
} from '../../cel/index.ts';
import { duplicate, type FieldError, forbidden, invalid, required } from '../../machinery/field-error.ts';
import { FieldErrors, maxFieldErrors } from '../../machinery/field-errors.ts';
import { FieldPath } from '../../machinery/field-path.ts';
import { stringifyJson } from '../../machinery/json/writer.ts';
import { jsonEqual, keysOf, memberOf } from '../../machinery/members.ts';
import { asJson, type KubeObject } from '../../machinery/object-meta.ts';
import type { Structural } from '../../machinery/structural/schema.ts';
import { isObject, type JsonObject, type JsonValue } from '../../machinery/value.ts';
import { type CustomObserver, noCustomObserver, timed } from './custom-observer.ts';

export interface RuleFindings {
  readonly errors: readonly FieldError[];
  /** Errors of values that have not changed: they may have been there before the rule was (KEP-4008). */
  readonly tolerated: readonly FieldError[];
}

/** Judges an object by the rules in CEL of its version, with the one before it on an update; a step is a rule. */
export type RuleChecker = (object: KubeObject, old: KubeObject | undefined) => Generator<void, RuleFindings>;

/** What rules may cost together. */
export interface RuleBudget {
  left: number;
}

/** The rules of one schema node, and the nodes below that have some. */
interface RuleNode {
  readonly type: string;
  readonly schemaType: SchemaType | undefined;
  /** Compiled for the first object that has such a value; `compiled` is then told how long it took. */
  readonly rules: (compiled: (milliseconds: number) => void) => Generator<void, readonly Rule[]>;
  readonly properties: ReadonlyMap<string, RuleNode>;
  readonly additional: RuleNode | undefined;
  readonly items: RuleNode | undefined;
  /** Keys by which the items of the old list are found; undefined where they cannot be determined. */
  readonly itemKeys: readonly string[] | undefined;
  /** Members of the old value stand for those of the new one. */
  readonly isGranular: boolean;
}

/** Undefined where the schema has no rules. */
export function createRuleChecker(
  structural: Structural,
  observer: CustomObserver = noCustomObserver,
): RuleChecker | undefined {
  const root = readNode(structural, true);
  if (root === undefined) return undefined;
  return function* (object, old) {
    const run = new Run({ left: runtimeBudget }, observer);
    const judging = run.node(root, FieldPath.root, asJson(object), old === undefined ? undefined : asJson(old));
    yield* timed(judging, (milliseconds) => observer.rulesEvaluated((milliseconds - run.compiledMs) / 1000));
    return run;
  };
}

/**
 * Judges a default by the rules at its place and below: as a value that was there before, and as a new one.
 *
 * @param isRoot the schema is that of a whole object
 * @param path of the default
 */
export function* judgeDefault(
  structural: Structural,
  isRoot: boolean,
  value: JsonValue,
  path: FieldPath,
  { budget, isRatcheting }: { readonly budget: RuleBudget; readonly isRatcheting: boolean },
): Generator<void, readonly FieldError[]> {
  const node = readNode(structural, isRoot);
  if (node === undefined) return [];
  const before = budget.left;
  let errors: readonly FieldError[] = [];
  for (const old of isRatcheting ? [value, undefined] : [value]) {
    const own = { left: before };
    const run = new Run(own);
    yield* run.node(node, path, value, old);
    budget.left = Math.min(budget.left, own.left);
    errors = [...run.errors, ...run.tolerated];
    if (errors.length > 0) break;
  }
  return errors;
}

function readNode(structural: Structural, isRoot: boolean): RuleNode | undefined {
  const properties = new Map<string, RuleNode>();
  for (const [name, property] of structural.properties) {
    const node = readNode(property, false);
    if (node !== undefined) properties.set(name, node);
  }
  const additional =
    structural.additional === undefined || structural.additional === true
      ? undefined
      : readNode(structural.additional, false);
  const items = structural.items === undefined ? undefined : readNode(structural.items, false);
  const sources = (memberOf(structural.rules, 'x-kubernetes-validations') ?? []) as ValidationRule[];
  if (sources.length === 0 && properties.size === 0 && additional === undefined && items === undefined)
    return undefined;
  const schema = structural.rules as OpenApiSchema;
  let compiled: readonly Rule[] | undefined = sources.length === 0 ? [] : undefined;
  const rules: RuleNode['rules'] = function* (done) {
    if (compiled !== undefined) return compiled;
    const compiling = compilingRules({ ...schema, 'x-kubernetes-validations': sources }, isRoot);
    compiled = ((yield* timed(compiling, done)) ?? []).map((rule, i) => ({ source: sources[i]!, compiled: rule }));
    return compiled;
  };
  return {
    type: structural.type,
    properties,
    additional,
    items,
    schemaType: sources.length === 0 ? undefined : isRoot ? schemaType(schema, true) : schemaType(schema),
    rules,
    itemKeys: structural.listType === 'map' ? structural.listMapKeys : undefined,
    isGranular: memberOf(structural.rules, 'x-kubernetes-map-type') !== 'atomic',
  };
}

interface Rule {
  readonly source: ValidationRule;
  readonly compiled: CompiledRule;
}

type Bindings = Parameters<NonNullable<CompiledRule['rule']['program']>['evaluate']>[0];

/** One object: all its rules share what they may cost. */
class Run implements RuleFindings {
  readonly errors = new FieldErrors();
  readonly tolerated: FieldError[] = [];
  /** Of the time that the run took, what was spent on rules that were not compiled yet. */
  compiledMs = 0;
  readonly #budget: RuleBudget;
  readonly #observer: CustomObserver;

  constructor(budget: RuleBudget, observer = noCustomObserver) {
    this.#budget = budget;
    this.#observer = observer;
  }

  readonly #compiled = (milliseconds: number): void => {
    this.compiledMs += milliseconds;
    this.#observer.rulesCompiled(milliseconds / 1000);
  };

  *node(
    node: RuleNode,
    path: FieldPath,
    value: JsonValue | undefined,
    old: JsonValue | undefined,
  ): Generator<void, void> {
    if (this.#budget.left < 0 || value === undefined || value === null) return;
    for (const rule of yield* node.rules(this.#compiled)) {
      this.#judge(node, rule, path, value, old);
      yield;
      if (this.#budget.left < 0) return;
    }
    if (Array.isArray(value)) yield* this.#items(node, path, value, old);
    else if (isObject(value))
      yield* this.#members(node, path, value, node.isGranular && isObject(old) ? old : undefined);
  }

  *#members(node: RuleNode, path: FieldPath, value: JsonObject, old: JsonObject | undefined): Generator<void, void> {
    for (const name of keysOf(value).sort()) {
      const known = node.properties.get(name);
      const before = old === undefined ? undefined : memberOf(old, name);
      if (known !== undefined) yield* this.node(known, path.child(name), value[name], before);
      else if (node.additional !== undefined) yield* this.node(node.additional, path.key(name), value[name], before);
    }
  }

  *#items(
    { items, itemKeys }: RuleNode,
    path: FieldPath,
    value: readonly JsonValue[],
    old: JsonValue | undefined,
  ): Generator<void, void> {
    if (items === undefined) return;
    const idOf = (item: JsonValue): string =>
      stringifyJson((itemKeys ?? []).map((key) => (isObject(item) ? (memberOf(item, key) ?? null) : null)));
    const before = new Map(itemKeys === undefined || !Array.isArray(old) ? [] : old.map((item) => [idOf(item), item]));
    for (const [i, item] of value.entries()) yield* this.node(items, path.index(i), item, before.get(idOf(item)));
  }

  #judge(
    { type, schemaType: adapter }: RuleNode,
    { source, compiled }: Rule,
    path: FieldPath,
    value: JsonValue,
    old: JsonValue | undefined,
  ): void {
    const { program, problem } = compiled.rule;
    if (program === undefined) return void this.errors.push(invalid(path, type, `rule compile error: ${problem}`));
    const known = old === null ? undefined : old;
    if (compiled.usesOldSelf && known === undefined && !compiled.optionalOldSelf) return;
    const adapted = known === undefined ? undefined : adapter!.adapt(known);
    const bindings = {
      self: adapter!.adapt(value),
      ...(compiled.optionalOldSelf
        ? { oldSelf: oldSelfOf(adapted) }
        : adapted === undefined
          ? {}
          : { oldSelf: adapted }),
    };
    const outcome = program.evaluate(bindings);
    if (!this.#pay(outcome, type, path)) return;
    const refused =
      'error' in outcome
        ? invalid(path, type, evaluationProblem(outcome, source.rule ?? '', source.message))
        : outcome.value === true
          ? undefined
          : this.#refusal(type, { source, compiled }, path, bindings);
    if ('error' in outcome && outcome.cancelled) this.#budget.left = -1;
    if (refused === undefined) return;
    const isUnchanged = !compiled.usesOldSelf && known !== undefined && jsonEqual(known, value);
    if (!isUnchanged) this.errors.push(refused);
    // They are told as warnings, and an answer has place for a few.
    else if (this.tolerated.length < maxFieldErrors) this.tolerated.push(refused);
  }

  #pay({ cost }: Outcome, type: string, path: FieldPath): boolean {
    this.#budget.left -= cost;
    if (this.#budget.left >= 0) return true;
    this.errors.push(invalid(path, type, budgetProblem));
    return false;
  }

  #refusal(type: string, { source, compiled }: Rule, path: FieldPath, bindings: Bindings): FieldError {
    const { fieldPath = '' } = source;
    const at =
      fieldPath === ''
        ? path
        : fieldPath.startsWith('[')
          ? path.key(fieldPath.slice(1, -1))
          : path.child(fieldPath.replace(/^\./, ''));
    return errorOf(at, type, this.#message(source, compiled, bindings), source.reason);
  }

  /** A message that cannot be made, or is none, is replaced by the fixed one. */
  #message(
    { message = '', rule = '' }: ValidationRule,
    { messageExpression }: CompiledRule,
    bindings: Bindings,
  ): string {
    const fixed = message.trim() === '' ? `failed rule: ${rule.trim()}` : message.trim();
    if (messageExpression?.program === undefined) return fixed;
    const outcome = messageExpression.program.evaluate(bindings);
    this.#budget.left -= outcome.cost;
    if ('error' in outcome || typeof outcome.value !== 'string') return fixed;
    const made = outcome.value.trim();
    return made === '' || made.includes('\n') || Buffer.byteLength(made) > maxMessageBytes ? fixed : made;
  }
}

const maxMessageBytes = 5 * 1024;

function errorOf(path: FieldPath, type: string, message: string, reason: string | undefined): FieldError {
  switch (reason) {
    case 'FieldValueForbidden':
      return forbidden(path, message);
    case 'FieldValueRequired':
      return required(path, message);
    case 'FieldValueDuplicate':
      return duplicate(path, type);
    default:
      return invalid(path, type, message);
  }
}
