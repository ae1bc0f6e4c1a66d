/**
 * From normalized values (value.ts) to JSON values: with the members that JSON always writes (`"replicas":0`,
 * `"creationTimestamp":null`, `"status":{}`), without those it leaves out, in the order of JSON, and with carried JSON
 * parsed. Patches and applied configurations are merged into JSON values. Field sets are not parsed: hardly any patch
 * contains them, and parsing and writing them was a quarter of a patch's cost.
 */
import { contentOf, keysOf, memberOf } from '../members.ts';
import type { SchemaRegistry } from '../schema.ts';
import { createMap, isObject, RawJson, type JsonObject, type JsonValue } from '../value.ts';
import { createBuiltInTypes } from './built-in-types.ts';
import { deduced, type MapType, type MergeType } from './merge-type.ts';
import { fieldOf } from './typed-value.ts';

/** A new JSON value; it shares only scalars and field sets, which are never changed. */
export function jsonEncoded(type: MergeType, value: JsonValue): JsonValue {
  if ((value as unknown) instanceof RawJson) return type === deduced ? value : contentOf(value)!;
  if (Array.isArray(value)) return value.map((item) => jsonEncoded(type.list?.element ?? type, item));
  if (!isObject(value) || type.map === undefined) return value;
  return type.map.sorted.length > 0 ? encodeStruct(type.map, value) : encodeMap(type.map, value);
}

function encodeStruct(map: MapType, object: JsonObject): JsonObject {
  const encoding: JsonObject = {};
  for (const field of map.declared) {
    const value = fieldOf(field, object, 'normalized');
    if (value !== undefined) encoding[field.name] = jsonEncoded(field.type, value);
  }
  return encoding;
}

function encodeMap(map: MapType, object: JsonObject): JsonObject {
  const encoding = createMap();
  for (const key of keysOf(object)) encoding[key] = jsonEncoded(map.element!, memberOf(object, key)!);
  return encoding;
}

/** Built-in objects as JSON values, by type: what `applyJsonPatch` and its siblings take. */
export function createJsonEncoder(schemas: SchemaRegistry): (object: JsonObject, typeId: string) => JsonObject {
  const types = createBuiltInTypes(schemas);
  return (object, typeId) => jsonEncoded(types.of(typeId), object) as JsonObject;
}
