/**
 * Lists. @see {@link https://kubernetes.io/docs/reference/using-api/cel/#kubernetes-list-library | Kubernetes list
 * library}
 */
import { type FunctionDeclaration, type Library, memberOverload, type Overload } from '../check/declarations.ts';
import { type CelType, listType } from '../check/types.ts';
import * as estimates from '../cost/call-estimates.ts';
import { traversal } from '../cost/sizes.ts';
import { compare, equals } from '../values/compare.ts';
import { CelError, Double, Duration, type ListValue, Uint, type Value } from '../values/values.ts';
import { work } from '../values/evaluation-limit.ts';
import { addDoubles, addDurations, addInts, addUints } from './arithmetic.ts';
import { A, B, D, I, listOfA, P, S, T, U, Y } from './signatures.ts';

const perElement = { cost: traversal as NonNullable<Overload['cost']>, estimate: estimates.looksAtElements };

function isSorted(list: ListValue): Value {
  for (let i = 1; i < list.size; i++) {
    work(1);
    const order = compare(list.at(i - 1), list.at(i));
    if (order instanceof CelError) return order;
    if (order > 0) return false;
  }
  return true;
}

const extreme =
  (name: string, better: (order: number) => boolean) =>
  (list: ListValue): Value => {
    if (list.size === 0) return new CelError(`${name} called on empty list`);
    let best = list.at(0);
    for (let i = 1; i < list.size; i++) {
      work(1);
      const order = compare(list.at(i), best);
      if (order instanceof CelError) return order;
      if (better(order)) best = list.at(i);
    }
    return best;
  };

const sum =
  (zero: Value, add: (a: never, b: never) => Value) =>
  (list: ListValue): Value => {
    let total = zero;
    for (let i = 0, { size } = list; i < size; i++) {
      work(1);
      const element = list.at(i);
      total = add(total as never, element as never);
      if (total instanceof CelError) return total;
    }
    return total;
  };

function indexOf(list: ListValue, wanted: Value): number {
  work(list.size);
  for (let i = 0; i < list.size; i++) if (equals(list.at(i), wanted)) return i;
  return -1;
}

function lastIndexOf(list: ListValue, wanted: Value): number {
  work(list.size);
  for (let i = list.size - 1; i >= 0; i--) if (equals(list.at(i), wanted)) return i;
  return -1;
}

const comparable: readonly (readonly [string, CelType])[] = [
  ['int', I],
  ['uint', U],
  ['double', D],
  ['bool', B],
  ['duration', P],
  ['timestamp', T],
  ['string', S],
  ['bytes', Y],
];
const forEach = (id: string, result: (element: CelType) => CelType, run: Overload['run']): Overload[] =>
  comparable.map(([name, element]) =>
    memberOverload(`list_${name}_${id}`, [listType(element)], result(element), run, perElement),
  );

const sums = [
  memberOverload('list_int_sum', [listType(I)], I, sum(0, addInts), perElement),
  memberOverload('list_uint_sum', [listType(U)], U, sum(new Uint(0n), addUints), perElement),
  memberOverload('list_double_sum', [listType(D)], D, sum(new Double(0), addDoubles), perElement),
  memberOverload(
    'list_duration_sum',
    [listType(P)],
    P,
    sum(new Duration(0n), (a: Duration, b: Duration) => addDurations(a.nanos, b.nanos)),
    perElement,
  ),
];

const functions: readonly FunctionDeclaration[] = [
  { name: 'isSorted', overloads: forEach('is_sorted_bool', () => B, isSorted) },
  { name: 'sum', overloads: sums },
  {
    name: 'max',
    overloads: forEach(
      'max',
      (element) => element,
      extreme('max', (order) => order > 0),
    ),
  },
  {
    name: 'min',
    overloads: forEach(
      'min',
      (element) => element,
      extreme('min', (order) => order < 0),
    ),
  },
  { name: 'indexOf', overloads: [memberOverload('list_a_index_of_int', [listOfA, A], I, indexOf, perElement)] },
  {
    name: 'lastIndexOf',
    overloads: [memberOverload('list_a_last_index_of_int', [listOfA, A], I, lastIndexOf, perElement)],
  },
];

export const lists: Library = { functions };
