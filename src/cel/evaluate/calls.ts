/** Calls: operators that do not evaluate all of their arguments, and functions. */
import { argumentsOf, type Call, type Node } from '../syntax/ast.ts';
import type { CallCost, Overload } from '../check/declarations.ts';
import { type CelType, isDyn } from '../check/types.ts';
import { equals } from '../values/compare.ts';
import { textCost, valueSize } from '../cost/sizes.ts';
import {
  CelError,
  Double,
  Duration,
  ListValue,
  MapValue,
  noSuchOverload,
  noValue,
  Opaque,
  Optional,
  Timestamp,
  TypeValue,
  Uint,
  type Value,
} from '../values/values.ts';
import { lookUp, selectOptional } from './access.ts';
import { constantValue, folded, isConstant, scalarsIn } from './constants.ts';
import type { CompileScope, Evaluate } from './scope.ts';
import type { State } from './state.ts';

type Compiler = (args: readonly Evaluate[], node: Call) => Evaluate;

export function compileCall(node: Call, scope: CompileScope): Evaluate {
  const nodes = argumentsOf(node);
  const uncounted = uncountedFrom.get(node.name) ?? nodes.length;
  const args = nodes.map((arg, i) =>
    i >= uncounted && isPath(arg) ? withoutCost(scope.compile(arg, scope)) : scope.compile(arg, scope),
  );
  const own = node.namespaced === true ? undefined : (node.target === undefined ? operators : methods).get(node.name);
  if (own !== undefined) return own(args, node);
  const call = compileFunction(node, nodes, args);
  return conversions.has(node.name) && args.length === 1 && isConstant(args[0]!) ? folded(call) : call;
}

/**
 * A path that is chosen by a condition, or by which something is looked up, costs nothing upstream: from which argument
 * on.
 */
const uncountedFrom: ReadonlyMap<string, number> = new Map([
  ['_?_:_', 1],
  ['_[_]', 1],
  ['_[?_]', 1],
]);
const conversions = new Set([
  'bool',
  'bytes',
  'double',
  'duration',
  'dyn',
  'int',
  'string',
  'timestamp',
  'type',
  'uint',
]);

/** A variable, and fields and elements below it. */
function isPath(node: Node): boolean {
  if (node.kind === 'identifier') return true;
  if (node.kind === 'select') return !node.test && isPath(node.operand);
  return (
    node.kind === 'call' &&
    node.name === '_[_]' &&
    isPath(node.args[0]!) &&
    (node.args[1]!.kind === 'literal' || isPath(node.args[1]!))
  );
}

const withoutCost = (evaluate: Evaluate): Evaluate =>
  isConstant(evaluate)
    ? evaluate
    : (state) => {
        const { cost } = state;
        const value = evaluate(state);
        state.cost = cost;
        return value;
      };

/** One operand that decides the result is enough, even when the other operand fails. */
const logical =
  (decisive: boolean): Compiler =>
  ([left, right]) =>
  (state) => {
    const a = left!(state);
    if (a === decisive) return decisive;
    const b = right!(state);
    if (b === decisive) return decisive;
    if (a instanceof CelError) return a;
    if (b instanceof CelError) return b;
    return typeof a === 'boolean' && typeof b === 'boolean' ? !decisive : noSuchOverload;
  };

const conditional: Compiler =
  ([condition, yes, no]) =>
  (state) => {
    const chosen = condition!(state);
    if (chosen === true) return yes!(state);
    if (chosen === false) return no!(state);
    return chosen instanceof CelError ? chosen : noSuchOverload;
  };

const equality =
  (wanted: boolean): Compiler =>
  ([left, right]) =>
  (state) => {
    const a = left!(state);
    if (a instanceof CelError) return a;
    const b = right!(state);
    if (b instanceof CelError) return b;
    if (typeof a === 'number') state.cost += 1;
    else state.charge(textCost(Math.min(valueSize(a), valueSize(b))));
    return ((a === b && typeof a !== 'object') || equals(a, b)) === wanted;
  };

const index: Compiler =
  ([container, key]) =>
  (state) => {
    const from = container!(state);
    if (from instanceof CelError) return from;
    const at = key!(state);
    if (at instanceof CelError) return at;
    state.charge(1);
    if (from instanceof Optional) return lookUpOptional(from, at);
    const element = lookUp(from, at);
    return element === undefined
      ? new CelError(from instanceof MapValue ? `no such key: ${shown(at)}` : `index out of bounds: ${shown(at)}`)
      : element;
  };

const optionalIndex: Compiler =
  ([container, key]) =>
  (state) => {
    const from = container!(state);
    if (from instanceof CelError) return from;
    const at = key!(state);
    if (at instanceof CelError) return at;
    return found(lookUpOptional(from, at), state);
  };

/** What is absent costs nothing. */
function found(value: Value, state: State): Value {
  if (value !== noValue) state.charge(1);
  return value;
}

function lookUpOptional(container: Value, key: Value): Value {
  const inner = container instanceof Optional ? container.value : container;
  if (inner === undefined) return noValue;
  const found = lookUp(inner, key);
  return found === undefined ? noValue : found instanceof CelError ? found : new Optional(found);
}

function shown(key: Value): string {
  if (key instanceof Uint || key instanceof Double) return String(key.value);
  return typeof key === 'object' ? '' : String(key);
}

const optionalSelection: Compiler = ([operand], { args }) => {
  const name = args[1]!;
  const field = name.kind === 'literal' && name.literal.kind === 'string' ? name.literal.value : '';
  return (state) => {
    const value = operand!(state);
    if (value instanceof CelError) return value;
    return found(selectOptional(value, field), state);
  };
};

/** The other side is looked at only when there is no value. */
const orElse =
  (unwrap: boolean): Compiler =>
  ([first, second]) =>
  (state) => {
    const value = first!(state);
    if (value instanceof CelError) return value;
    if (!(value instanceof Optional)) return noSuchOverload;
    if (value.value !== undefined) return unwrap ? value.value : value;
    const other = second!(state);
    return unwrap || other instanceof Optional || other instanceof CelError ? other : noSuchOverload;
  };

const notStrictlyFalse: Compiler =
  ([arg]) =>
  (state) => {
    state.cost += 1;
    const value = arg!(state);
    return value instanceof CelError || value !== false;
  };

/** In a constant list a text or number is found at once, and for nothing. */
const membership: Compiler = (args, node) => {
  const [element, list] = args as [Evaluate, Evaluate];
  const holds = scalarsIn(constantValue(list));
  if (holds === undefined) return compileFunction(node, node.args, args);
  return (state) => {
    const value = element(state);
    return value instanceof CelError ? value : holds(value);
  };
};

const operators: ReadonlyMap<string, Compiler> = new Map([
  ['_&&_', logical(false)],
  ['_||_', logical(true)],
  ['_?_:_', conditional],
  ['_==_', equality(true)],
  ['_!=_', equality(false)],
  ['@in', membership],
  ['_[_]', index],
  ['_[?_]', optionalIndex],
  ['_?._', optionalSelection],
  ['@not_strictly_false', notStrictlyFalse],
]);
const methods: ReadonlyMap<string, Compiler> = new Map([
  ['or', orElse(false)],
  ['orValue', orElse(true)],
]);

type Run = (...args: Value[]) => Value;

function compileFunction(node: Call, nodes: readonly Node[], args: readonly Evaluate[]): Evaluate {
  const overloads = node.overloads ?? [];
  const [only] = overloads;
  if (only === undefined) return () => new CelError(`unbound function: ${node.name}`);
  if (overloads.length === 1 && nodes.every((arg, i) => isSettled(arg, only.parameters[i]!))) return direct(only, args);
  const checks = overloads.map((overload) => ({ overload, fits: overload.parameters.map(fitsOf) }));
  return (state) => {
    const values = evaluateAll(args, state);
    if (values instanceof CelError) return values;
    const chosen = checks.find(({ fits }) => fits.length === values.length && fits.every((fit, i) => fit(values[i]!)));
    return chosen === undefined ? noSuchOverload : invoke(chosen.overload, values, state);
  };
}

/** The types say that the values fit: nothing to look at when it runs. */
const isSettled = (arg: Node, parameter: CelType): boolean =>
  parameter.kind === 'parameter' ||
  parameter.kind === 'dyn' ||
  !(arg.type === undefined || isDyn(arg.type) || arg.type.kind === 'null');

function evaluateAll(args: readonly Evaluate[], state: State): Value[] | CelError {
  const values: Value[] = [];
  for (const arg of args) {
    const value = arg(state);
    if (value instanceof CelError) return value;
    values.push(value);
  }
  return values;
}

function invoke(overload: Overload, values: Value[], state: State): Value {
  const { cost, costOfResult } = overload;
  if (costOfResult === undefined) state.charge(cost?.(...values) ?? 1);
  const result = (overload.run as Run)(...values);
  if (costOfResult !== undefined) state.charge(costOfResult(result));
  return result;
}

/** Short ways for calls with one and two arguments, which nearly all are. */
function direct(overload: Overload, args: readonly Evaluate[]): Evaluate {
  if (overload.costOfResult !== undefined || args.length > 2 || args.length === 0) {
    return (state) => {
      const values = evaluateAll(args, state);
      return values instanceof CelError ? values : invoke(overload, values, state);
    };
  }
  const [first, second] = args as [Evaluate, Evaluate | undefined];
  const run = overload.run as Run;
  return second === undefined ? directOne(first, run, overload.cost) : directTwo(first, second, run, overload.cost);
}

const directOne =
  (first: Evaluate, run: Run, cost: CallCost | undefined): Evaluate =>
  (state) => {
    const a = first(state);
    if (a instanceof CelError) return a;
    if (cost === undefined) state.cost += 1;
    else state.charge(cost(a));
    return run(a);
  };

const directTwo =
  (first: Evaluate, second: Evaluate, run: Run, cost: CallCost | undefined): Evaluate =>
  (state) => {
    const a = first(state);
    if (a instanceof CelError) return a;
    const b = second(state);
    if (b instanceof CelError) return b;
    if (cost === undefined) state.cost += 1;
    else state.charge(cost(a, b));
    return run(a, b);
  };

/** Whether a value is of a parameter's type, as far as that can be seen without looking into it. */
function fitsOf(type: CelType): (value: Value) => boolean {
  switch (type.kind) {
    case 'dyn':
    case 'error':
    case 'parameter':
      return () => true;
    case 'null':
      return (value) => value === null;
    case 'bool':
      return (value) => typeof value === 'boolean';
    case 'int':
      return (value) => typeof value === 'number' || typeof value === 'bigint';
    case 'uint':
      return (value) => value instanceof Uint;
    case 'double':
      return (value) => value instanceof Double;
    case 'string':
      return (value) => typeof value === 'string';
    case 'bytes':
      return (value) => value instanceof Uint8Array;
    case 'timestamp':
      return (value) => value instanceof Timestamp;
    case 'duration':
      return (value) => value instanceof Duration;
    case 'list':
      return fitsList(type.parameters[0]!);
    case 'map':
      return (value) => value instanceof MapValue;
    case 'object':
      return (value) => value instanceof MapValue;
    case 'type':
      return (value) => value instanceof TypeValue;
    case 'opaque':
      return type.name === 'optional_type'
        ? (value) => value instanceof Optional
        : (value) => value instanceof Opaque && value.type.name === type.name;
  }
}

/** Functions on lists of one type (`sum`, `join`) look at the first element. */
function fitsList(element: CelType): (value: Value) => boolean {
  const fits = fitsOf(element);
  return (value) => value instanceof ListValue && (value.size === 0 || fits(value.at(0)));
}
