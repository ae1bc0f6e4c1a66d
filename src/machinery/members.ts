/**
 * Members of JSON objects by keys that users choose. Objects come with a prototype (structs, parsed text) and without
 * (maps), so a plain `object[key]` could find `constructor` or set `__proto__`.
 */
import { JsonSyntaxError } from './json/json-error.ts';
import { parseJson } from './json/reader.ts';
import { createMap, isObject, RawJson, type JsonObject, type JsonValue } from './value.ts';

/** The member, or undefined where the object has none of its own. */
export const memberOf = (object: JsonObject, key: string): JsonValue | undefined =>
  Object.hasOwn(object, key) ? object[key] : undefined;

export const hasMember = (object: JsonObject, key: string): boolean => memberOf(object, key) !== undefined;

/** Keys of the members that are there; undefined is absent. */
export const keysOf = (object: JsonObject): string[] => {
  const keys = Object.keys(object);
  return keys.every((key) => object[key] !== undefined) ? keys : keys.filter((key) => object[key] !== undefined);
};

/**
 * A shallow copy without a prototype, members in key order: what upstream's patches make of every object they open,
 * which shows in the text of errors.
 */
export function sortedCopy(object: JsonObject): JsonObject {
  const copy: JsonObject = createMap<JsonValue | undefined>();
  for (const key of keysOf(object).sort()) copy[key] = object[key];
  return copy;
}

/** Puts the members of an object without a prototype into key order. */
export function sortMembers(object: JsonObject): void {
  const keys = Object.keys(object);
  const sorted = keys.toSorted();
  if (keys.every((key, index) => key === sorted[index])) return;
  const values = sorted.map((key) => object[key]);
  for (const key of keys) delete object[key];
  sorted.forEach((key, index) => {
    object[key] = values[index];
  });
}

/**
 * The value itself, or what is inside carried JSON. That stays closed where it is too deep for a value, or is no JSON.
 */
export function contentOf(value: JsonValue | undefined): JsonValue | undefined {
  if (!((value as unknown) instanceof RawJson)) return value;
  try {
    return parseJson((value as unknown as RawJson).text);
  } catch (error) {
    if (error instanceof JsonSyntaxError) return value;
    throw error;
  }
}

/** Equal as JSON, carried JSON by its content; an absent member and an undefined one are the same. */
export function jsonEqual(a: JsonValue | undefined, b: JsonValue | undefined): boolean {
  if (a === b) return true;
  if ((a as unknown) instanceof RawJson || (b as unknown) instanceof RawJson)
    return contentsEqual(contentOf(a), contentOf(b));
  if (Array.isArray(a))
    return Array.isArray(b) && a.length === b.length && a.every((item, index) => jsonEqual(item, b[index]));
  if (!isObject(a) || !isObject(b)) return typeof a === 'bigint' || typeof b === 'bigint' ? numericEqual(a, b) : false;
  const keys = keysOf(a);
  return keys.length === keysOf(b).length && keys.every((key) => hasMember(b, key) && jsonEqual(a[key], b[key]));
}

function contentsEqual(a: JsonValue | undefined, b: JsonValue | undefined): boolean {
  const [left, right] = [a, b] as readonly unknown[];
  if (left instanceof RawJson || right instanceof RawJson)
    return left instanceof RawJson && right instanceof RawJson && left.text === right.text;
  return jsonEqual(a, b);
}

const numericEqual = (a: unknown, b: unknown): boolean =>
  (typeof a === 'bigint' && typeof b === 'number' && Number.isInteger(b) && BigInt(b) === a) ||
  (typeof b === 'bigint' && typeof a === 'number' && numericEqual(b, a));
