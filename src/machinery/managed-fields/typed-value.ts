/**
 * Values seen through their merge type: which kind they are, which members they have, how items are identified.
 *
 * A normalized object leaves out what JSON always writes (value.ts); `Form` says whether such members count.
 */
import { jsonEqual, keysOf, memberOf } from '../members.ts';
import { compareText } from '../compare-text.ts';
import { isObject, RawJson, type JsonObject, type JsonValue } from '../value.ts';
import { keyElement, largestCommon, valueElement, type PathElement } from './path-element.ts';
import type { ListType, MapType, MergeType, StructField } from './merge-type.ts';

/** `normal`: a normalized built-in object. `json`: a JSON value whose members all count, null included. */
export type ValueEncoding = 'normalized' | 'json';

export type Kind = 'scalar' | 'list' | 'map';

/** A value that its type cannot hold: no managed fields can be told. */
export class TypeMismatch extends Error {
  override readonly name = 'TypeMismatch';
}

/** The value decides where the type leaves a choice; null is a map before a scalar before a list. */
export function kindOf(type: MergeType, value: JsonValue): Kind {
  if (Array.isArray(value)) {
    if (type.list !== undefined) return 'list';
  } else if (isObject(value)) {
    if (type.map !== undefined) return 'map';
  } else if (value !== null && type.scalar !== undefined) {
    return 'scalar';
  }
  if (type.map !== undefined) return 'map';
  return type.scalar === undefined ? 'list' : 'scalar';
}

/** The member of a struct as Go would show it: absent ones can have a zero value, zero ones can be absent. */
export function fieldOf(field: StructField, object: JsonObject, encoding: ValueEncoding): JsonValue | undefined {
  if (encoding === 'json') return memberOf(object, field.name);
  const value = object[field.name];
  if (value === undefined || value === null) return field.absent;
  return field.omitsZero && isZero(value) ? undefined : value;
}

function isZero(value: JsonValue): boolean {
  if (typeof value !== 'object') return value === '' || value === 0 || value === false;
  if (Array.isArray(value)) return value.length === 0;
  if (!isObject(value)) return false;
  for (const _ in value) return false;
  return true;
}

/** Whether members are read by the fields of the type rather than as they come. */
export const isStruct = (map: MapType, encoding: ValueEncoding): boolean =>
  encoding === 'normalized' && map.sorted.length > 0;

/** Names of an object's members in the order of field sets. */
export const memberNames = (object: JsonObject): string[] => keysOf(object).sort(compareText);

export function isEmptyMap(map: MapType, object: JsonObject, encoding: ValueEncoding): boolean {
  if (isStruct(map, encoding)) return map.sorted.every((field) => fieldOf(field, object, encoding) === undefined);
  for (const key in object) if (object[key] !== undefined) return false;
  return true;
}

/** Equality of whole values, for what is owned as a whole. */
export function valuesEqual(type: MergeType, a: JsonValue, b: JsonValue, encoding: ValueEncoding): boolean {
  if (a === b) return true;
  if (encoding === 'json' || isScalar(a) || isScalar(b)) return jsonEqual(a, b);
  if (Array.isArray(a))
    return (
      Array.isArray(b) &&
      a.length === b.length &&
      a.every((item, index) => valuesEqual(type.list?.element ?? type, item, b[index]!, encoding))
    );
  return isObject(a) && isObject(b) && type.map !== undefined ? mapsEqual(type.map, a, b, encoding) : jsonEqual(a, b);
}

const isScalar = (value: JsonValue): boolean =>
  value === null || typeof value !== 'object' || (value as unknown) instanceof RawJson;

function mapsEqual(map: MapType, a: JsonObject, b: JsonObject, encoding: ValueEncoding): boolean {
  if (isStruct(map, encoding))
    return map.sorted.every((field) =>
      optionalEqual(field.type, fieldOf(field, a, encoding), fieldOf(field, b, encoding), encoding),
    );
  const keys = keysOf(a);
  return (
    keys.length === keysOf(b).length &&
    keys.every((key) => optionalEqual(map.element!, memberOf(a, key), memberOf(b, key), encoding))
  );
}

const optionalEqual = (
  type: MergeType,
  a: JsonValue | undefined,
  b: JsonValue | undefined,
  encoding: ValueEncoding,
): boolean => a === b || (a !== undefined && b !== undefined && valuesEqual(type, a, b, encoding));

/** What identifies an item within its list: equal ids, same item. */
export type ItemId = JsonValue;

/**
 * Identity of an item of an associative list.
 * @throws TypeMismatch where the item has none.
 */
export function itemId(list: ListType, item: JsonValue, encoding: ValueEncoding): ItemId {
  if (list.keys.length === 0) return scalarItem(item);
  const object = keyedItem(item);
  if (list.keys.length === 1) return keyValue(list, object, list.keys[0]!, encoding);
  return list.keys.map((key) => JSON.stringify(keyValue(list, object, key, encoding))).join(',');
}

/** The path element of an item. @param listLength of the list that it is in */
export function itemElement(list: ListType, item: JsonValue, encoding: ValueEncoding, listLength = 0): PathElement {
  if (list.keys.length === 0) return valueElement(scalarItem(item));
  const object = keyedItem(item);
  const isCommon = listLength <= largestCommon;
  const [key] = list.keys;
  if (list.keys.length === 1) return keyElement([[key!, keyValue(list, object, key!, encoding)]], isCommon);
  for (const each of list.keys) keyValue(list, object, each, encoding);
  return keyElement(
    list.sortedKeys.map((each) => [each, keyValue(list, object, each, encoding)]),
    isCommon,
  );
}

function scalarItem(item: JsonValue): JsonValue {
  if (item === null) throw new TypeMismatch("associative list without keys has an element that's an explicit null");
  if (Array.isArray(item)) throw new TypeMismatch('not supported: associative list with lists as elements');
  if (typeof item === 'object')
    throw new TypeMismatch("associative list without keys has an element that's a map type");
  return item;
}

function keyedItem(item: JsonValue): JsonObject {
  if (item === null) throw new TypeMismatch('associative list with keys may not have a null element');
  if (!isObject(item)) throw new TypeMismatch('associative list with keys may not have non-map elements');
  return item;
}

/** A key that is left out has the default the API publishes: one that is set, or the zero value JSON would write. */
function keyValue(list: ListType, item: JsonObject, key: string, encoding: ValueEncoding): JsonValue {
  const field = list.element.map?.fields.get(key);
  const value = field === undefined ? memberOf(item, key) : fieldOf(field, item, encoding);
  const found = value === undefined ? (field?.options.default ?? field?.absent) : value;
  if (found === undefined)
    throw new TypeMismatch(
      `associative list with keys has an element that omits key field ${JSON.stringify(key)} (and doesn't ` +
        'have default value)',
    );
  return found;
}
