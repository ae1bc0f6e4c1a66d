/**
 * Lists as sets. @see {@link
 * https://kubernetes.io/docs/reference/using-api/cel/#cel-options-language-features-and-libraries | CEL options,
 * language features, and libraries}
 */
import { globalOverload, type Library, type Overload } from '../check/declarations.ts';
import * as estimates from '../cost/call-estimates.ts';
import { valueSize } from '../cost/sizes.ts';
import { equals } from '../values/compare.ts';
import { type ListValue, type Value } from '../values/values.ts';
import { work } from '../values/evaluation-limit.ts';
import { B, listOfA } from './signatures.ts';

function includes(list: ListValue, wanted: Value): boolean {
  const { size } = list;
  work(size);
  for (let i = 0; i < size; i++) if (equals(list.at(i), wanted)) return true;
  return false;
}

function containsAll(list: ListValue, part: ListValue): boolean {
  for (const element of part) if (!includes(list, element)) return false;
  return true;
}

function intersects(a: ListValue, b: ListValue): boolean {
  for (const element of a) if (includes(b, element)) return true;
  return false;
}

const equivalent = (a: ListValue, b: ListValue): boolean => containsAll(a, b) && containsAll(b, a);

const set = (name: string, factor: number, run: Overload['run']): { name: string; overloads: Overload[] } => {
  const cost = (a: Value, b?: Value): number => 1 + valueSize(a) * valueSize(b!) * factor;
  return {
    name: `sets.${name}`,
    overloads: [
      globalOverload(`list_sets_${name}_list`, [listOfA, listOfA], B, run, {
        cost,
        estimate: estimates.comparesLists(factor),
      }),
    ],
  };
};

export const sets: Library = {
  functions: [set('contains', 1, containsAll), set('intersects', 1, intersects), set('equivalent', 2, equivalent)],
};
