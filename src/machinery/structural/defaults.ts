/**
 * Fills in the defaults of a schema.
 * @see {@link https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definitions/#defaulting | Defaulting}
 */
import { hasMember, keysOf } from '../members.ts';
import { createMap, isObject, type JsonObject, type JsonValue } from '../value.ts';
import type { Structural } from './schema.ts';

/** Changes `value`. A null where none may be is as good as nothing: it gets the default, or goes. */
export function setDefaults(value: JsonValue | undefined, schema: Structural): void {
  if (Array.isArray(value)) {
    if (schema.items !== undefined) for (const [i, item] of value.entries()) value[i] = filled(item, schema.items);
  } else if (isObject(value)) setMemberDefaults(value, schema);
}

function setMemberDefaults(object: JsonObject, schema: Structural): void {
  for (const [name, property] of schema.properties) {
    if (property.default !== undefined && !hasMember(object, name)) object[name] = copyValue(property.default);
  }
  for (const name of keysOf(object)) {
    const known = schema.properties.get(name) ?? schema.additional;
    if (known === undefined || known === true) continue;
    if (object[name] === null && known.default === undefined && !known.nullable) delete object[name];
    else object[name] = filled(object[name]!, known);
  }
}

function filled(value: JsonValue, schema: Structural): JsonValue {
  const result = value === null && schema.default !== undefined && !schema.nullable ? copyValue(schema.default) : value;
  setDefaults(result, schema);
  return result;
}

/** A copy that shares nothing but scalars and carried JSON. */
export function copyValue(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map(copyValue);
  if (!isObject(value)) return value;
  const copy: JsonObject = createMap<JsonValue | undefined>();
  for (const key of keysOf(value)) copy[key] = copyValue(value[key]!);
  return copy;
}
