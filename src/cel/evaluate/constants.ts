/**
 * Parts that are the same each time: they are made when the expression is compiled, and cost nothing, as upstream folds
 * them.
 */
import { CelError, Double, keyOf, ListValue, type Value } from '../values/values.ts';
import type { Evaluate } from './scope.ts';
import { State } from './state.ts';

export function constant(value: Value): Evaluate {
  const evaluate: Evaluate = () => value;
  evaluate.constant = value;
  return evaluate;
}

export const isConstant = ({ constant }: Evaluate): boolean => constant !== undefined;

/** Undefined for what is no constant. */
export const constantValue = ({ constant }: Evaluate): Value | undefined => constant;

/** Of what is made of constants only; what fails stays to fail when the expression runs. */
export function folded(evaluate: Evaluate): Evaluate {
  const value = evaluate(new State({}, Infinity));
  return value instanceof CelError ? evaluate : constant(value);
}

/** Numbers of different types that are equal are the same; undefined for what is no text, number or boolean. */
const scalarOf = (value: Value): unknown =>
  keyOf(value) ?? (value instanceof Double && !Number.isNaN(value.value) ? value.value : undefined);

/** What a constant list of texts, numbers and booleans holds; undefined for other lists. */
export function scalarsIn(list: Value | undefined): ((value: Value) => boolean) | undefined {
  if (!(list instanceof ListValue)) return undefined;
  const scalars = new Set([...list].map(scalarOf));
  return scalars.has(undefined) ? undefined : (value) => scalars.has(scalarOf(value));
}
