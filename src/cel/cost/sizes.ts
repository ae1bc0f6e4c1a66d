/**
 * What evaluation costs by the size of values. A unit is about 50 ns of upstream's evaluator; the factors are its.
 * @see {@link
 *   https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definitions/#resource-use-by-validation-functions
 *   | Resource use by validation functions}
 */
import { ListValue, MapValue, type Value } from '../values/values.ts';
import { work } from '../values/evaluation-limit.ts';
import { byFactor, exactly, plus, type Range } from './range.ts';

/** Reading through a text costs this by character. */
export const traversalFactor = 0.1;
/** A part of a pattern is taken to have four characters. */
export const patternFactor = 0.25;

/**
 * Length of a text, of a list or map its entries; 1 for the rest.
 *
 * @NOTE differs from upstream: texts are measured in UTF-16 units, so that measuring costs nothing; characters beyond
 *   the basic plane count twice.
 */
export function valueSize(value: Value): number {
  if (typeof value === 'string') return value.length;
  if (typeof value !== 'object' || value === null) return 1;
  if (value instanceof ListValue || value instanceof MapValue) return value.size;
  return value instanceof Uint8Array ? value.length : 1;
}

export const textCost = (size: number): number => Math.ceil(size * traversalFactor);
export const patternCost = (size: number): number => Math.ceil(size * patternFactor);

/** Cost of reading the first argument. */
export const readsFirst = (first: Value): number => textCost(valueSize(first));
/** Of reading the first argument and making something of the same length. */
export const readsFirstTwice = (first: Value): number => textCost(valueSize(first) * 2);
/** Of reading the first two. */
export const readsBoth = (first: Value, second: Value): number => textCost(valueSize(first) + valueSize(second));
/** Of reading the shorter of two. */
export const readsShorter = (first: Value, second: Value): number =>
  textCost(Math.min(valueSize(first), valueSize(second)));
/** Of looking for the second in the first. */
export const searches = (first: Value, second: Value): number =>
  textCost(valueSize(first)) * textCost(valueSize(second));
/** Of matching the first against a pattern. */
export const matches = (first: Value, second: Value): number =>
  textCost(valueSize(first) + 1) * patternCost(valueSize(second));

/** Of looking at everything in a value: what is in texts, and one unit for each value that holds nothing else. */
export function traversal(value: Value): number {
  if (typeof value === 'string' || value instanceof Uint8Array) return Math.floor(value.length * traversalFactor);
  if (!(value instanceof ListValue) && !(value instanceof MapValue)) return 1;
  let cost = 0;
  if (value instanceof ListValue) {
    for (let i = 0, { size } = value; i < size; i++) {
      work(1);
      cost += traversal(value.at(i));
    }
    return cost;
  }
  for (const key of value.keys()) {
    work(2);
    cost += traversal(key) + traversal(value.get(key)!);
  }
  return cost;
}

/** A requirement of a selector has two characters at least, and makes a list and what holds it. */
const perRequirement = 10 + 40;

/** Of reading a selector of this length. */
export function selectorCost(size: Range): Range {
  const requirements = byFactor(byFactor(size, 0.5), perRequirement);
  return plus(exactly(10), plus(byFactor(size, traversalFactor), requirements));
}
