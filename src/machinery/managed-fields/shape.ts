/**
 * The shape of a normalized object: all that decides which fields it has, and nothing else. Objects of one shape own
 * the same fields when they are created, and most objects that clients create have a shape that was seen before.
 *
 * A shape is a text that is unambiguous for a given type. That matters: clients choose keys, and two objects with
 * different fields must never have the same shape.
 */
import type { JsonObject, JsonValue } from '../value.ts';
import type { ListType, MapType, MergeType, StructField } from './merge-type.ts';
import { itemId, TypeMismatch } from './typed-value.ts';

/**
 * Undefined where there is more to it than this can tell: an object that does not fit its type, or carried JSON in it.
 */
export function shapeOf(type: MergeType, object: JsonObject): string | undefined {
  try {
    return type.map === undefined ? undefined : mapShape(type.map, object);
  } catch (error) {
    // RangeError: nested deeper than the stack is.
    if (error instanceof NoShape || error instanceof TypeMismatch || error instanceof RangeError) return undefined;
    throw error;
  }
}

class NoShape extends Error {}

const end = '\x00';
/** A scalar that is the value which Go shows when there is none, another zero, and any other. */
const asAbsent = '\x01';
const zero = '\x02';
const other = '\x03';
/** Before a member of a map or an item of a list. */
const next = '\x04';
/** A field of a struct, by its place among the sorted ones. */
const firstField = 0x20;

function mapShape(map: MapType, object: JsonObject): string {
  return map.sorted.length > 0 ? structShape(map.sorted, object) : membersShape(map, object);
}

function structShape(sorted: readonly StructField[], object: JsonObject): string {
  let shape = '';
  for (let i = 0; i < sorted.length; i++) {
    const field = sorted[i]!;
    const value = object[field.name];
    if (value === undefined || value === null) continue;
    shape +=
      String.fromCharCode(firstField + i) +
      (typeof value === 'object' ? nestedShape(field.type, value) : scalarShape(field, value));
  }
  return shape + end;
}

function scalarShape({ absent, type }: StructField, value: JsonValue): string {
  if (type.scalar === undefined || typeof value === 'bigint') throw new NoShape();
  if (value === absent) return asAbsent;
  return value === '' || value === 0 || value === false ? zero : other;
}

function nestedShape(type: MergeType, value: JsonValue): string {
  if (type.scalar !== undefined) throw new NoShape();
  if (Array.isArray(value)) {
    if (type.list === undefined) throw new NoShape();
    return type.list.associative ? itemsShape(type.list, value) : value.length === 0 ? zero : other;
  }
  if (type.map === undefined) throw new NoShape();
  return mapShape(type.map, value as JsonObject);
}

function membersShape({ element }: MapType, object: JsonObject): string {
  let shape = '';
  for (const name in object) {
    const value = object[name];
    // Counts for the question whether the map is empty, but is not one of its keys.
    if (value === undefined || element === undefined) throw new NoShape();
    shape += next + textShape(name) + elementShape(element, value);
  }
  return shape + end;
}

function itemsShape(list: ListType, items: readonly JsonValue[]): string {
  let shape = '';
  for (const item of items) {
    const id = itemId(list, item, 'normalized');
    shape +=
      next +
      (typeof id === 'string' ? textShape(id) : `#${String(id)} `) +
      (list.keys.length === 0 ? '' : elementShape(list.element, item));
  }
  return shape + end;
}

/** With its length before it. */
const textShape = (text: string): string => `${text.length} ${text}`;

/** A scalar in a list or map is owned whatever it is. */
const elementShape = (type: MergeType, value: JsonValue): string =>
  typeof value === 'object' && value !== null ? nestedShape(type, value) : other;
