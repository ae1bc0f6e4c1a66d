/** How templates see values. */
import { isObject, type JsonObject, type JsonValue } from '../../../../machinery/value.ts';
import { TemplateError } from './tokens.ts';

/** What an object does not have is null. */
export type Value = JsonValue;

/** Not null, false, zero, or empty. */
export function isTrue(value: Value): boolean {
  if (Array.isArray(value)) return value.length > 0;
  if (isObject(value)) return Object.keys(value).length > 0;
  return value !== null && value !== false && value !== 0 && value !== '' && value !== 0n;
}

/** A member of what is no object is null too. */
export const memberOf = (value: Value, name: string): Value =>
  isObject(value) && Object.hasOwn(value, name) ? (value[name] ?? null) : null;

/** As `index` finds it: null for a key that a map does not have. */
export function elementOf(value: Value, key: Value): Value {
  if (Array.isArray(value)) {
    const element = typeof key === 'number' ? value[key] : undefined;
    if (element === undefined) throw new TemplateError(`error calling index: index out of range: ${printed(key)}`);
    return element;
  }
  if (isObject(value)) return memberOf(value, printed(key));
  throw new TemplateError(`error calling index: can't index item of type ${value === null ? 'nil' : typeof value}`);
}

/** The text that an action leaves, as Go prints values. */
export function printed(value: Value): string {
  if (value === null) return '<no value>';
  if (Array.isArray(value)) return `[${value.map(printed).join(' ')}]`;
  if (isObject(value))
    return `map[${entriesOf(value)
      .map(([key, each]) => `${key}:${printed(each)}`)
      .join(' ')}]`;
  return String(value);
}

/** In the order of the keys, as Go ranges over a map. */
export const entriesOf = (value: JsonObject): [string, Value][] =>
  Object.keys(value)
    .sort()
    .map((key) => [key, value[key] ?? null]);

export function isSame(a: Value, b: Value): boolean {
  if (typeof a === 'object' || typeof b === 'object') return a === b;
  return a === b || (typeof a !== typeof b && String(a) === String(b));
}

export function numberOf(value: Value): number {
  const number = typeof value === 'string' ? Number(value || 'NaN') : Number(value ?? 0);
  if (Number.isNaN(number)) throw new TemplateError(`not a number: ${printed(value)}`);
  return number;
}
