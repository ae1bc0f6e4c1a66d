/** Macros at run time. Each is a loop of its own; what it costs is what the fold that it stands for costs. */
import type { Comprehension, Shape } from '../syntax/ast.ts';
import {
  ArrayList,
  CelError,
  emptyList,
  EntryMap,
  ListValue,
  MapValue,
  noSuchOverload,
  type Value,
} from '../values/values.ts';
import { insertEntry } from './access.ts';
import type { CompileScope, Evaluate } from './scope.ts';
import type { State } from './state.ts';

/** What a round costs beside its parts. */
const roundCost = {
  /** The condition reads the accumulator and calls a function, the step reads the accumulator. */
  all: 3,
  /** One more call: the condition negates. */
  exists: 4,
  resultRead: 1,
} as const;

/** The condition looks once more when an element has decided and others are left: what it reads and calls. */
const stopCost = { all: 2, exists: 3 } as const;

/**
 * Calls `round` for each element until it gives a value, which is the result; undefined at the end. Stopping before the
 * last costs `stop`.
 */
type Loop = (range: Value, state: State, round: () => Value | undefined, stop: number) => Value | undefined;

export function compileComprehension(node: Comprehension, scope: CompileScope): Evaluate {
  const { shape } = node;
  if (shape === undefined) throw new Error('a fold that no macro made');
  if (shape.kind === 'bind') return compileBinding(node, shape.value, scope);
  const range = scope.compile(node.range, scope);
  const variables = node.second === undefined ? [node.variable] : [node.variable, node.second];
  const inner = { ...scope, locals: [...scope.locals, ...variables] };
  const loop = loopOf(scope.locals.length, node.second !== undefined);
  return compileShape(shape, inner, (state, round, stop = 0) => {
    const over = range(state);
    return over instanceof CelError ? over : loop(over, state, round, stop);
  });
}

function compileBinding(node: Comprehension, value: Comprehension['init'], scope: CompileScope): Evaluate {
  const evaluate = scope.compile(value, scope);
  const slot = scope.locals.length;
  const body = scope.compile(node.result, { ...scope, locals: [...scope.locals, node.accumulator] });
  return (state) => {
    const bound = evaluate(state);
    if (bound instanceof CelError) return bound;
    state.slots[slot] = bound;
    return body(state);
  };
}

type Run = (state: State, round: () => Value | undefined, stop?: number) => Value | undefined;

function compileShape(shape: Exclude<Shape, { kind: 'bind' }>, scope: CompileScope, run: Run): Evaluate {
  switch (shape.kind) {
    case 'all':
      return quantifier(scope.compile(shape.predicate, scope), run, false, 'all');
    case 'exists':
      return quantifier(scope.compile(shape.predicate, scope), run, true, 'exists');
    case 'exists_one':
      return exactlyOne(scope.compile(shape.predicate, scope), run);
    case 'collect':
      return collect(
        shape.predicate === undefined ? undefined : scope.compile(shape.predicate, scope),
        scope.compile(shape.value, scope),
        run,
      );
    case 'insert':
      return insertAll(shape, scope, run);
  }
}

/** The first element that decides ends it; an error counts only when none does. */
function quantifier(predicate: Evaluate, run: Run, decisive: boolean, kind: 'all' | 'exists'): Evaluate {
  return (state) => {
    let failure: CelError | undefined;
    const decided = run(
      state,
      () => {
        state.cost += roundCost[kind];
        const value = predicate(state);
        if (value === decisive) return decisive;
        if (typeof value !== 'boolean') failure ??= value instanceof CelError ? value : noSuchOverload;
        return undefined;
      },
      stopCost[kind],
    );
    state.cost += roundCost.resultRead;
    return decided ?? failure ?? !decisive;
  };
}

function exactlyOne(predicate: Evaluate, run: Run): Evaluate {
  return (state) => {
    let count = 0;
    const failure = run(state, () => {
      const value = predicate(state);
      if (value === true) {
        count++;
        state.cost += 2;
        return undefined;
      }
      return value === false ? undefined : value instanceof CelError ? value : noSuchOverload;
    });
    state.cost += 2;
    return failure ?? count === 1;
  };
}

function collect(predicate: Evaluate | undefined, evaluate: Evaluate, run: Run): Evaluate {
  return (state) => {
    const items: Value[] = [];
    const failure = run(state, () => {
      const kept = predicate === undefined || predicate(state);
      if (kept !== true) return kept === false ? undefined : kept instanceof CelError ? kept : noSuchOverload;
      const value = evaluate(state);
      if (value instanceof CelError) return value;
      // Reads the accumulator, makes a list of one, and joins the two.
      state.cost += 12;
      items.push(value);
      return undefined;
    });
    state.cost += roundCost.resultRead;
    return failure ?? (items.length === 0 ? emptyList : new ArrayList(items));
  };
}

function insertAll(
  { predicate, insertion }: Extract<Shape, { kind: 'insert' }>,
  scope: CompileScope,
  run: Run,
): Evaluate {
  if (insertion.kind !== 'call') throw new Error('an insertion is a call');
  const keep = predicate === undefined ? undefined : scope.compile(predicate, scope);
  const parts = insertion.args.slice(1).map((arg) => scope.compile(arg, scope));
  return (state) => {
    const map = new EntryMap();
    const failure = run(state, () => {
      const kept = keep === undefined || keep(state);
      if (kept !== true) return kept === false ? undefined : kept instanceof CelError ? kept : noSuchOverload;
      state.cost += 2;
      return insertParts(map, parts, state);
    });
    state.cost += roundCost.resultRead;
    return failure ?? map;
  };
}

/** Key and value, or a map of entries. */
function insertParts(map: EntryMap, parts: readonly Evaluate[], state: State): CelError | undefined {
  const values: Value[] = [];
  for (const part of parts) {
    const value = part(state);
    if (value instanceof CelError) return value;
    values.push(value);
  }
  const [first, second] = values;
  if (second !== undefined) return insertEntry(map, first!, second);
  if (!(first instanceof MapValue)) return noSuchOverload;
  for (const key of first.keys()) {
    const problem = insertEntry(map, key, first.get(key)!);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

function loopOf(slot: number, two: boolean): Loop {
  return (range, state, round, stop) => {
    const { slots } = state;
    if (range instanceof ListValue) {
      for (let i = 0, { size } = range; i < size; i++) {
        state.step();
        const element = range.at(i);
        if (element instanceof CelError) return element;
        slots[slot] = two ? i : element;
        if (two) slots[slot + 1] = element;
        const end = round();
        if (end === undefined) continue;
        if (i < size - 1) state.cost += stop;
        return end;
      }
      return undefined;
    }
    if (!(range instanceof MapValue)) return noSuchOverload;
    for (const [i, key] of range.keys().entries()) {
      state.step();
      slots[slot] = key;
      if (two) slots[slot + 1] = range.get(key)!;
      const end = round();
      if (end === undefined) continue;
      if (i < range.size - 1) state.cost += stop;
      return end;
    }
    return undefined;
  };
}
