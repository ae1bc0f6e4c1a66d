/** How jq sees values: their order, their truth, and what cannot be done with them. */
import { isEqual } from '../../../../machinery/equal.ts';
import { isObject, type JsonValue } from '../../../../machinery/value.ts';

/** What a program does with values that do not fit it; the selector does not match then. */
export class JqRuntimeError extends Error {
  override readonly name = 'JqRuntimeError';
}

/** The outputs of a program for an input. Throws {@link JqRuntimeError} for inputs that do not fit. */
export type Filter = (input: JsonValue) => readonly JsonValue[];

export const isTruthy = (value: JsonValue): boolean => value !== null && value !== false;

export function typeOf(value: JsonValue): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  return typeof value === 'bigint' ? 'number' : typeof value;
}

const order = ['null', 'boolean', 'number', 'string', 'array', 'object'];

/** Less than, equal to or greater than 0, as jq sorts. Objects and arrays are only equal or not. */
export function compare(a: JsonValue, b: JsonValue): number {
  const byType = order.indexOf(typeOf(a)) - order.indexOf(typeOf(b));
  if (byType !== 0) return byType;
  if (isEqual(a, b)) return 0;
  if (typeof a === 'object' || typeof b === 'object') return JSON.stringify(a) < JSON.stringify(b) ? -1 : 1;
  return a < b ? -1 : 1;
}

export function member(value: JsonValue, key: JsonValue): JsonValue {
  if (value === null) return null;
  if (typeof key === 'string') {
    if (!isObject(value)) throw new JqRuntimeError(`expected an object but got: ${typeOf(value)}`);
    return Object.hasOwn(value, key) ? (value[key] ?? null) : null;
  }
  if (typeof key !== 'number') throw new JqRuntimeError(`invalid key of type ${typeOf(key)}`);
  if (!Array.isArray(value)) throw new JqRuntimeError(`expected an array but got: ${typeOf(value)}`);
  return value.at(Math.trunc(key)) ?? null;
}

export function elements(value: JsonValue): readonly JsonValue[] {
  if (Array.isArray(value)) return value;
  if (isObject(value)) return Object.values(value).map((each) => each ?? null);
  throw new JqRuntimeError(`cannot iterate over: ${typeOf(value)}`);
}

export function plus(a: JsonValue, b: JsonValue): JsonValue {
  if (a === null) return b;
  if (b === null) return a;
  if (typeof a === 'number' && typeof b === 'number') return a + b;
  if (typeof a === 'string' && typeof b === 'string') return a + b;
  if (Array.isArray(a) && Array.isArray(b)) return [...a, ...b];
  throw new JqRuntimeError(`cannot add: ${typeOf(a)} and ${typeOf(b)}`);
}

export function numeric(value: JsonValue): number {
  if (typeof value === 'bigint') return Number(value);
  if (typeof value !== 'number') throw new JqRuntimeError(`expected a number but got: ${typeOf(value)}`);
  return value;
}
