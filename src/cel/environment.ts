/**
 * Compiles expressions for one use and evaluates them.
 *
 * ```ts
 * const env = environment({ variables: { object: dynType } });
 * const compiled = env.compile('object.spec.replicas <= 5', boolType);
 * if ('failure' in compiled) … else compiled.evaluate({ object: adaptAny(pod) }, budget)
 * ```
 */
import { runToEnd } from '../machinery/cooperative-scheduling.ts';
import { check, type Scope } from './check/checker.ts';
import type { Library, Overload } from './check/declarations.ts';
import type { FindMessage } from './check/messages.ts';
import { type CelType, dynType, sameType, typeText } from './check/types.ts';
import { estimateCost, type SizeOf } from './cost/estimate.ts';
import { compileExpression } from './evaluate/compile.ts';
import type { Evaluate } from './evaluate/scope.ts';
import { type Bindings, State } from './evaluate/state.ts';
import { checkLiterals } from './check/literals.ts';
import { resolveOpenly } from './check/unchecked.ts';
import { librariesOf, newestVersion } from './library/index.ts';
import { type Node, usesVariable } from './syntax/ast.ts';
import { parse, type ParseOptions } from './syntax/parser.ts';
import { type Issue, issueTexts } from './syntax/source.ts';
import { CelError, type Value } from './values/values.ts';
import { Cancelled, startWork } from './values/evaluation-limit.ts';

export interface EnvironmentOptions {
  /** Names may have dots (`authorizer.requestResource`). */
  readonly variables: Readonly<Record<string, CelType>>;
  /**
   * Minor version of Kubernetes 1.x whose language is spoken; the newest when absent, as for expressions that are
   * stored already.
   */
  readonly version?: number;
  /** Beside those of the version; the same array for the same ones. */
  readonly libraries?: readonly Library[];
  /** What values of named types expressions make. */
  readonly messages?: FindMessage;
  readonly parsing?: Partial<ParseOptions>;
  /** Whether lists and maps in an expression hold one type only; true when absent. */
  readonly homogeneous?: boolean;
  /** No types are checked: what does not fit shows when the expression runs. */
  readonly unchecked?: boolean;
}

/** What one evaluation may cost when nothing else is said. */
export const perCallLimit = 1_000_000;
/** What the rules of one object may cost together. */
export const runtimeBudget = 10_000_000;
/** What the match conditions of one webhook may cost together. */
export const matchConditionsBudget = 2_500_000;

export interface Failure {
  /**
   * `compilation failed: ERROR: <input>:1:5: undeclared reference…` with the line and a mark (several are joined by
   * line ends), or `must evaluate to bool but got int`.
   */
  readonly failure: string;
}

export type Outcome =
  | { readonly value: Exclude<Value, CelError>; readonly cost: number }
  | { readonly error: string; readonly cancelled: boolean; readonly cost: number };

export interface Program {
  readonly type: CelType;
  /** Whether a variable occurs in it. */
  uses(variable: string): boolean;
  /** The largest cost for objects within the sizes that a schema allows. */
  estimateCost(sizeOf: SizeOf): number;
  /** @param budget units that it may cost; more cancels it */
  evaluate(bindings: Bindings, budget?: number): Outcome;
  /** As a part of another evaluation, whose time it takes. */
  evaluateWithin(bindings: Bindings, budget?: number): Outcome;
}

export interface Environment {
  /** @param expected the value must be of one of these types, exactly; of any when none is given */
  compile(text: string, ...expected: readonly CelType[]): Program | Failure;
  /** The same in steps, none of which takes long: reading, checking, looking at literals, compiling. */
  compiling(text: string, ...expected: readonly CelType[]): Generator<void, Program | Failure>;
}

interface Base {
  readonly longestName: number;
  readonly functions: ReadonlyMap<string, readonly Overload[]>;
  readonly types: ReadonlyMap<string, CelType>;
  readonly typeNames: ReadonlyMap<string, string>;
}

const noLibraries: readonly Library[] = [];
const bases = new WeakMap<readonly Library[], Map<number, Base>>();

function baseOf(version: number, libraries = noLibraries): Base {
  const known = bases.get(libraries) ?? new Map<number, Base>();
  bases.set(libraries, known);
  let base = known.get(version);
  if (base === undefined) known.set(version, (base = merge([...librariesOf(version), ...libraries])));
  return base;
}

function merge(libraries: readonly Library[]): Base {
  const functions = new Map<string, readonly Overload[]>();
  const types = new Map<string, CelType>();
  for (const library of libraries) {
    for (const { name, overloads } of library.functions)
      functions.set(name, [...(functions.get(name) ?? []), ...overloads]);
    for (const [name, type] of library.types ?? []) types.set(name, type);
  }
  const typeNames = new Map(Array.from(types, ([name, type]) => [name, type.kind === 'opaque' ? type.name : name]));
  return { functions, types, typeNames, longestName: longestOf([...functions.keys(), ...types.keys()]) };
}

/** Of names with dots, the most parts. */
const longestOf = (names: Iterable<string>): number =>
  Math.max(1, ...Array.from(names, (name) => name.split('.').length));

export function environment(options: EnvironmentOptions): Environment {
  const version = options.version ?? newestVersion;
  const base = baseOf(version, options.libraries);
  const variables = new Map(Object.entries(options.variables));
  const scope: Scope = {
    ...base,
    variables,
    longestName: Math.max(base.longestName, longestOf(variables.keys())),
    homogeneous: options.homogeneous ?? true,
    ...(options.messages === undefined ? {} : { messages: options.messages }),
  };
  const parsing: ParseOptions = {
    macros: true,
    optionals: version >= 28,
    twoVariables: version >= 32,
    ...options.parsing,
  };
  const compiling: Environment['compiling'] = (text, ...expected) =>
    options.unchecked === true
      ? compileUnchecked(scope, base, parsing, text)
      : compileIn(scope, base, parsing, version, text, expected);
  return { compiling, compile: (text, ...expected) => runToEnd(compiling(text, ...expected)) };
}

function* compileIn(
  scope: Scope,
  base: Base,
  parsing: ParseOptions,
  version: number,
  text: string,
  expected: readonly CelType[],
): Generator<void, Program | Failure> {
  const parsed = parse(text, parsing);
  if (parsed.node === undefined) return { failure: textOf(text, parsed.issues) };
  yield;
  const { type, issues } = check(parsed.node, scope);
  if (issues.length > 0) return { failure: textOf(text, issues) };
  if (expected.length > 0 && !expected.some((wanted) => sameType(wanted, type)))
    return { failure: wrongTypeText(expected, type) };
  yield;
  const literals = version >= 29 ? yield* checkLiterals(parsed.node) : [];
  yield;
  return literals.length > 0
    ? { failure: textOf(text, literals) }
    : new CompiledProgram(parsed.node, type, compileExpression(parsed.node, base.typeNames));
}

function* compileUnchecked(
  scope: Scope,
  base: Base,
  parsing: ParseOptions,
  text: string,
): Generator<void, Program | Failure> {
  const parsed = parse(text, parsing);
  if (parsed.node === undefined) return { failure: textOf(text, parsed.issues) };
  yield;
  resolveOpenly(parsed.node, scope);
  return new CompiledProgram(parsed.node, dynType, compileExpression(parsed.node, base.typeNames));
}

function wrongTypeText(expected: readonly CelType[], found: CelType): string {
  const names = expected.map(shownType);
  const wanted = names.length === 1 ? names[0] : `one of [${names.join(' ')}]`;
  return `must evaluate to ${wanted} but got ${shownType(found)}`;
}

const shownType = (type: CelType): string => (type.kind === 'null' ? 'null_type' : typeText(type));

/** A part that a macro uses twice has its errors twice. */
const textOf = (text: string, issues: readonly Issue[]): string => `${compilationFailed}${uniqueText(text, issues)}`;

/** What the failures of expressions begin with that are no expressions, or whose types do not fit. */
export const compilationFailed = 'compilation failed: ';

const maxIssues = 100;

function uniqueText(text: string, issues: readonly Issue[]): string {
  const unique = [...new Map(issues.map((issue) => [`${issue.offset} ${issue.message}`, issue])).values()];
  const shown = issueTexts(text, unique.slice(0, maxIssues));
  const more = unique.length - shown.length;
  return [...shown, ...(more > 0 ? [`${more} more errors were truncated`] : [])].join('\n');
}

class CompiledProgram implements Program {
  readonly type: CelType;
  readonly #node: Node;
  readonly #run: Evaluate;

  constructor(node: Node, type: CelType, run: Evaluate) {
    this.#node = node;
    this.type = type;
    this.#run = run;
  }

  uses(variable: string): boolean {
    return usesVariable(this.#node, variable);
  }

  estimateCost(sizeOf: SizeOf): number {
    return estimateCost(this.#node, sizeOf);
  }

  evaluate(bindings: Bindings, budget = perCallLimit): Outcome {
    startWork();
    return this.evaluateWithin(bindings, budget);
  }

  evaluateWithin(bindings: Bindings, budget = perCallLimit): Outcome {
    const state = new State(bindings, budget);
    try {
      const value = this.#run(state);
      state.charge(0);
      return value instanceof CelError
        ? { error: value.message, cancelled: false, cost: state.cost }
        : { value, cost: state.cost };
    } catch (error) {
      if (error instanceof Cancelled) return { error: error.message, cancelled: true, cost: state.cost };
      throw error;
    }
  }
}
