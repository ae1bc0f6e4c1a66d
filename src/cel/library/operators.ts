/**
 * Operators. @see {@link https://github.com/google/cel-spec/blob/master/doc/langdef.md#list-of-standard-definitions |
 * CEL language definition: standard definitions}
 */
import {
  type FunctionDeclaration,
  globalOverload,
  type Library,
  memberOverload,
  type Overload,
} from '../check/declarations.ts';
import { type CelType, mapType, optionalType, typeParameter } from '../check/types.ts';
import * as estimates from '../cost/call-estimates.ts';
import type { CallEstimator } from '../cost/call-sizes.ts';
import { readsBoth, readsShorter, valueSize } from '../cost/sizes.ts';
import { compare, equals } from '../values/compare.ts';
import type { Duration, Timestamp } from '../values/values.ts';
import { CelError, Double, ListValue, type MapValue, noSuchOverload, Uint, type Value } from '../values/values.ts';
import { work } from '../values/evaluation-limit.ts';
import {
  addDoubles,
  addDurations,
  addInts,
  addUints,
  type Int,
  moduloInts,
  divideInts,
  multiplyInts,
  negateInt,
  shiftTime,
  subtractInts,
  subtractTimes,
  uintResult,
} from './arithmetic.ts';
import { joinLists } from './list-semantics.ts';
import { A, B, D, I, listOfA, mapOfAB, P, S, T, U, Y } from './signatures.ts';

const two = (id: string, type: CelType, run: Overload['run'], result = type): Overload =>
  globalOverload(id, [type, type], result, run);
const never = (): Value => noSuchOverload;

const add: FunctionDeclaration = {
  name: '_+_',
  overloads: [
    two('add_int64', I, addInts),
    two('add_uint64', U, addUints),
    two('add_double', D, addDoubles),
    globalOverload('add_string', [S, S], S, (a: string, b: string) => a + b, {
      cost: readsBoth,
      estimate: estimates.joinsTexts,
    }),
    globalOverload('add_bytes', [Y, Y], Y, (a: Uint8Array, b: Uint8Array) => Buffer.concat([a, b]), {
      cost: readsBoth,
      estimate: estimates.joinsTexts,
    }),
    globalOverload('add_list', [listOfA, listOfA], listOfA, joinLists, {
      cost: joinCost,
      estimate: estimates.joinsLists,
    }),
    globalOverload('add_timestamp_duration', [T, P], T, (a: Timestamp, b: Duration) => shiftTime(a, b.nanos)),
    globalOverload('add_duration_timestamp', [P, T], T, (a: Duration, b: Timestamp) => shiftTime(b, a.nanos)),
    two('add_duration_duration', P, (a: Duration, b: Duration) => addDurations(a.nanos, b.nanos)),
  ],
};

/** Joining sets and maps reads both. */
function joinCost(a: Value, b: Value): number {
  return a instanceof ListValue && a.semantics !== undefined ? 1 + valueSize(a) + valueSize(b) : 1;
}

const subtract: FunctionDeclaration = {
  name: '_-_',
  overloads: [
    two('subtract_int64', I, subtractInts),
    two('subtract_uint64', U, (a: Uint, b: Uint) => uintResult(a.value - b.value)),
    two('subtract_double', D, (a: Double, b: Double) => new Double(a.value - b.value)),
    two('subtract_timestamp_timestamp', T, subtractTimes, P),
    globalOverload('subtract_timestamp_duration', [T, P], T, (a: Timestamp, b: Duration) => shiftTime(a, -b.nanos)),
    two('subtract_duration_duration', P, (a: Duration, b: Duration) => addDurations(a.nanos, -b.nanos)),
  ],
};

const multiply: FunctionDeclaration = {
  name: '_*_',
  overloads: [
    two('multiply_int64', I, multiplyInts),
    two('multiply_uint64', U, (a: Uint, b: Uint) => uintResult(a.value * b.value)),
    two('multiply_double', D, (a: Double, b: Double) => new Double(a.value * b.value)),
  ],
};

const divide: FunctionDeclaration = {
  name: '_/_',
  overloads: [
    two('divide_int64', I, divideInts),
    two('divide_uint64', U, (a: Uint, b: Uint) =>
      b.value === 0n ? new CelError('division by zero') : new Uint(a.value / b.value),
    ),
    two('divide_double', D, (a: Double, b: Double) => new Double(a.value / b.value)),
  ],
};

const modulo: FunctionDeclaration = {
  name: '_%_',
  overloads: [
    two('modulo_int64', I, moduloInts),
    two('modulo_uint64', U, (a: Uint, b: Uint) =>
      b.value === 0n ? new CelError('modulus by zero') : new Uint(a.value % b.value),
    ),
  ],
};

const negate: FunctionDeclaration = {
  name: '-_',
  overloads: [
    globalOverload('negate_int64', [I], I, (a: Int) => negateInt(a)),
    globalOverload('negate_double', [D], D, (a: Double) => new Double(-a.value)),
  ],
};

const not: FunctionDeclaration = { name: '!_', overloads: [globalOverload('logical_not', [B], B, (a: boolean) => !a)] };

type Holds = (order: number) => boolean;

const orderedTypes: readonly (readonly [string, CelType])[] = [
  ['bool', B],
  ['int64', I],
  ['uint64', U],
  ['double', D],
  ['string', S],
  ['bytes', Y],
  ['timestamp', T],
  ['duration', P],
];
const mixedNumbers: readonly (readonly [string, CelType, CelType])[] = [
  ['int64_double', I, D],
  ['int64_uint64', I, U],
  ['uint64_double', U, D],
  ['uint64_int64', U, I],
  ['double_int64', D, I],
  ['double_uint64', D, U],
];

/** NaN is in no order with anything. */
function ordering(name: string, id: string, holds: Holds): FunctionDeclaration {
  const run = (a: Value, b: Value): Value => {
    const order = compare(a, b);
    return order instanceof CelError ? order : holds(order);
  };
  const ints = (a: Value, b: Value): Value =>
    typeof a === 'number' && typeof b === 'number' ? holds(a - b) : run(a, b);
  const bySize = { cost: readsShorter, estimate: estimates.readsShorter };
  const same = orderedTypes.map(([type, of]) =>
    globalOverload(`${id}_${type}`, [of, of], B, of === I ? ints : run, of === S || of === Y ? bySize : {}),
  );
  return {
    name,
    overloads: [...same, ...mixedNumbers.map(([types, a, b]) => globalOverload(`${id}_${types}`, [a, b], B, run))],
  };
}

const equality = (name: string, id: string, estimate: CallEstimator): FunctionDeclaration => ({
  name,
  overloads: [globalOverload(id, [A, A], B, never, { estimate })],
});

function isIn(element: Value, list: ListValue): boolean {
  const { size } = list;
  work(size / 2);
  for (let i = 0; i < size; i++) if (equals(element, list.at(i))) return true;
  return false;
}

const contains: FunctionDeclaration = {
  name: '@in',
  overloads: [
    globalOverload('in_list', [A, listOfA], B, isIn, {
      cost: (_, list) => valueSize(list!),
      estimate: estimates.readsSecondList,
    }),
    globalOverload('in_map', [A, mapOfAB], B, (key: Value, map: MapValue) => map.has(key)),
  ],
};

const V = typeParameter('B');
const logical = (name: string, id: string): FunctionDeclaration => ({
  name,
  overloads: [globalOverload(id, [B, B], B, never, { estimate: estimates.firstOrBoth })],
});

/** Evaluated by their own rules; here for the types. */
const special: readonly FunctionDeclaration[] = [
  logical('_&&_', 'logical_and'),
  logical('_||_', 'logical_or'),
  { name: '_?_:_', overloads: [globalOverload('conditional', [B, A, A], A, never, { estimate: estimates.oneBranch })] },
  { name: '@not_strictly_false', overloads: [globalOverload('not_strictly_false', [B], B, never)] },
  {
    name: 'cel.@mapInsert',
    overloads: [
      globalOverload('cel_@mapInsert_map_key_value', [mapOfAB, A, V], mapOfAB, never),
      globalOverload('cel_@mapInsert_map_map', [mapOfAB, mapOfAB], mapOfAB, never),
    ],
  },
  {
    name: '_[_]',
    overloads: [
      globalOverload('index_list', [listOfA, I], A, never),
      globalOverload('index_map', [mapType(A, V), A], V, never),
    ],
  },
];

const optionalOf = optionalType(A);

/** Operators on optionals. */
export const optionalOperators: readonly FunctionDeclaration[] = [
  {
    name: '_[_]',
    overloads: [
      globalOverload('optional_list_index_int', [optionalType(listOfA), I], optionalOf, never),
      globalOverload('optional_map_index_value', [optionalType(mapOfAB), A], optionalType(V), never),
    ],
  },
  {
    name: '_[?_]',
    overloads: [
      globalOverload('list_optindex_optional_int', [listOfA, I], optionalOf, never),
      globalOverload('optional_list_optindex_optional_int', [optionalType(listOfA), I], optionalOf, never),
      globalOverload('map_optindex_optional_value', [mapOfAB, A], optionalType(V), never),
      globalOverload('optional_map_optindex_optional_value', [optionalType(mapOfAB), A], optionalType(V), never),
    ],
  },
  { name: 'or', overloads: [memberOverload('optional_or_optional', [optionalOf, optionalOf], optionalOf, never)] },
  { name: 'orValue', overloads: [memberOverload('optional_orValue_value', [optionalOf, A], A, never)] },
];

export const operators: Library = {
  functions: [
    add,
    subtract,
    multiply,
    divide,
    modulo,
    negate,
    not,
    ordering('_<_', 'less', (order) => order < 0),
    ordering('_<=_', 'less_equals', (order) => order <= 0),
    ordering('_>_', 'greater', (order) => order > 0),
    ordering('_>=_', 'greater_equals', (order) => order >= 0),
    equality('_==_', 'equals', estimates.equality),
    equality('_!=_', 'not_equals', estimates.readsShorter),
    contains,
    ...special,
  ],
};
