/**
 * Fills in the defaults of a schema.
 * @see {@link
 *   https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definitions/#defaulting |
 *   Defaulting}
 */
import { stringifyJson } from '../json/writer.ts';
import { hasMember, keysOf } from '../members.ts';
import { createMap, isObject, type JsonObject, type JsonValue } from '../value.ts';
import type { Structural } from './schema.ts';

/**
 * What defaults may add to an object, in bytes of JSON: a list has space for a million items, and a schema can have a
 * default for each. No store takes an object that is so large.
 */
export const maxDefaultBytes = 8 * 1024 * 1024;

/**
 * Changes `value`. A null where none may be is as good as nothing: it gets the default, or goes. False when there are
 * more defaults than an object may get: the rest of it has none then.
 */
export function setDefaults(value: JsonValue | undefined, schema: Structural): boolean {
  const budget = { left: maxDefaultBytes };
  fill(value, schema, budget);
  return budget.left >= 0;
}

interface Budget {
  left: number;
}

function fill(value: JsonValue | undefined, schema: Structural, budget: Budget): void {
  if (budget.left < 0) return;
  if (Array.isArray(value)) {
    if (schema.items !== undefined)
      for (const [i, item] of value.entries()) value[i] = filled(item, schema.items, budget);
  } else if (isObject(value)) fillMembers(value, schema, budget);
}

function fillMembers(object: JsonObject, schema: Structural, budget: Budget): void {
  for (const [name, property] of schema.properties) {
    if (property.default !== undefined && !hasMember(object, name)) {
      budget.left -= name.length;
      const made = defaultOf(property.default, budget);
      if (made !== undefined) object[name] = made;
    }
  }
  for (const name of keysOf(object)) {
    const known = schema.properties.get(name) ?? schema.additional;
    if (known === undefined || known === true) continue;
    if (object[name] === null && known.default === undefined && !known.nullable) delete object[name];
    else object[name] = filled(object[name]!, known, budget);
  }
}

function filled(value: JsonValue, schema: Structural, budget: Budget): JsonValue {
  const result =
    value === null && schema.default !== undefined && !schema.nullable
      ? (defaultOf(schema.default, budget) ?? value)
      : value;
  fill(result, schema, budget);
  return result;
}

/** A copy; undefined when there is no place for it. */
function defaultOf(value: JsonValue, budget: Budget): JsonValue | undefined {
  budget.left -= sizeOf(value);
  return budget.left < 0 ? undefined : copyValue(value);
}

const sizes = new WeakMap<object, number>();

function sizeOf(value: JsonValue): number {
  if (typeof value !== 'object' || value === null) return typeof value === 'string' ? value.length : 8;
  let size = sizes.get(value);
  if (size === undefined) sizes.set(value, (size = stringifyJson(value).length));
  return size;
}

/** A copy that shares nothing but scalars and carried JSON. */
export function copyValue(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map(copyValue);
  if (!isObject(value)) return value;
  const copy: JsonObject = createMap<JsonValue | undefined>();
  for (const key of keysOf(value)) copy[key] = copyValue(value[key]!);
  return copy;
}
