/**
 * Turns a checked tree into a closure: compiled once, called for every object. Cost is counted as it runs, as upstream
 * counts it, and paid before work whose size is known.
 */
import type { CelType } from '../check/types.ts';
import type { Identifier, ListNode, LiteralValue, MapNode, Node, Select, StructNode } from '../syntax/ast.ts';
import {
  ArrayList,
  CelError,
  Double,
  EntryMap,
  MapValue,
  noSuchKey,
  noSuchOverload,
  Optional,
  TypeValue,
  Uint,
  type Value,
} from '../values/values.ts';
import { insertEntry, selectOptional } from './access.ts';
import { compileCall } from './calls.ts';
import { compileComprehension } from './folds.ts';
import type { CompileScope, Evaluate } from './scope.ts';
import { constant, constantValue, folded, isConstant } from './constants.ts';
import type { State } from './state.ts';

const costs = { identifier: 1, select: 1, list: 10, map: 30, message: 40 } as const;

/** @param typeNames of the names of types that may stand in the expression, the names that `type()` gives */
export const compileExpression = (node: Node, typeNames: ReadonlyMap<string, string>): Evaluate =>
  compile(node, { locals: [], typeNames, compile });

function compile(node: Node, scope: CompileScope): Evaluate {
  switch (node.kind) {
    case 'literal':
      return constant(literalValue(node.literal));
    case 'identifier':
      return compileIdentifier(node, scope);
    case 'select':
      return compileSelect(node, scope);
    case 'call':
      return compileCall(node, scope);
    case 'list':
      return compileList(node, scope);
    case 'map':
      return compileMap(node, scope);
    case 'struct':
      return compileStruct(node, scope);
    case 'comprehension':
      return compileComprehension(node, scope);
  }
}

function literalValue(literal: LiteralValue): Value {
  switch (literal.kind) {
    case 'null':
      return null;
    case 'uint':
      return new Uint(literal.value);
    case 'double':
      return new Double(literal.value);
    case 'bool':
    case 'int':
    case 'string':
    case 'bytes':
      return literal.value;
  }
}

function compileIdentifier({ name, resolved = name, type }: Identifier, scope: CompileScope): Evaluate {
  const slot = scope.locals.lastIndexOf(name);
  if (slot >= 0) {
    return (state) => {
      state.cost += costs.identifier;
      return state.slots[slot]!;
    };
  }
  return compileVariable(resolved, type, scope);
}

function compileVariable(name: string, type: CelType | undefined, scope: CompileScope): Evaluate {
  const typeName = scope.typeNames.get(name);
  if (typeName !== undefined && type?.kind === 'type') return constant(new TypeValue(typeName));
  const missing = typeName === undefined ? new CelError(`no such attribute(s): ${name}`) : new TypeValue(typeName);
  return (state) => {
    state.cost += costs.identifier;
    return state.bindings[name] ?? (state.bindings[name] === null ? null : missing);
  };
}

function compileSelect(node: Select, scope: CompileScope): Evaluate {
  if (node.resolved !== undefined) return compileVariable(node.resolved, node.type, scope);
  const operand = compile(node.operand, scope);
  const { field } = node;
  if (node.test) return (state) => test(operand(state), field);
  const missing = noSuchKey(field);
  return (state) => {
    const value = operand(state);
    state.cost += costs.select;
    return value instanceof MapValue ? (value.get(field) ?? absent(value, field, missing)) : selectOther(value, field);
  };
}

/** Null is a value like others. */
const absent = (map: MapValue, field: string, missing: CelError): Value => (map.get(field) === null ? null : missing);

function selectOther(value: Value, field: string): Value {
  if (value instanceof CelError) return value;
  return value instanceof Optional ? selectOptional(value, field) : new CelError(`no such overload`);
}

/** `has(a.b)`. Null has nothing, also where its type promises the field. */
function test(value: Value, field: string): Value {
  if (value === null) return false;
  if (value instanceof MapValue) return value.has(field);
  if (value instanceof CelError) return value;
  if (value instanceof Optional) return value.value !== undefined && test(value.value, field);
  return noSuchOverload;
}

function compileList(node: ListNode, scope: CompileScope): Evaluate {
  const items = node.items.map(({ value, optional }) => ({ evaluate: compile(value, scope), optional }));
  if (items.every(({ evaluate, optional }) => isConstant(evaluate) && !optional))
    return constant(new ArrayList(items.map(({ evaluate }) => constantValue(evaluate)!)));
  return (state) => {
    const values: Value[] = [];
    for (const { evaluate, optional } of items) {
      const value = evaluate(state);
      if (value instanceof CelError) return value;
      if (!optional) values.push(value);
      else if (!(value instanceof Optional)) return notOptional(value);
      else if (value.value !== undefined) values.push(value.value);
    }
    state.charge(costs.list);
    return new ArrayList(values);
  };
}

const notOptional = (value: Value): CelError =>
  new CelError(`cannot initialize optional entry from non-optional value ${String(value)}`);

function compileMap(node: MapNode, scope: CompileScope): Evaluate {
  const entries = node.entries.map(({ key, value, optional }) => ({
    key: compile(key, scope),
    value: compile(value, scope),
    optional,
  }));
  const evaluate = (state: State): Value => {
    const map = new EntryMap();
    for (const entry of entries) {
      const key = entry.key(state);
      if (key instanceof CelError) return key;
      const value = entry.value(state);
      if (value instanceof CelError) return value;
      const problem = entry.optional ? insertOptional(map, key, value) : insertEntry(map, key, value);
      if (problem !== undefined) return problem;
    }
    state.charge(costs.map);
    return map;
  };
  return entries.every(({ key, value, optional }) => isConstant(key) && isConstant(value) && !optional)
    ? folded(evaluate)
    : evaluate;
}

function insertOptional(map: EntryMap, key: Value, value: Value): CelError | undefined {
  if (!(value instanceof Optional)) return notOptional(value);
  return value.value === undefined ? undefined : insertEntry(map, key, value.value);
}

function compileStruct({ name, resolved, fields }: StructNode, scope: CompileScope): Evaluate {
  if (resolved === undefined) return constant(new CelError(`unknown type: ${name}`));
  const parts = fields.map((field) => ({ ...field, evaluate: compile(field.value, scope) }));
  return (state) => {
    const values = new Map<string, Value>();
    for (const field of parts) {
      const value = field.evaluate(state);
      if (value instanceof CelError) return value;
      if (!field.optional) values.set(field.name, value);
      else if (!(value instanceof Optional)) return notOptional(value);
      else if (value.value !== undefined) values.set(field.name, value.value);
    }
    state.charge(costs.message);
    return resolved.create(values);
  };
}
