/** Types, equality and order of values. */
import { compareText } from '../../machinery/compare-text.ts';
import { byKeys, identityOf } from './list-keys.ts';
import type { CelError } from './values.ts';
import {
  Double,
  Duration,
  ListValue,
  MapValue,
  noSuchOverload,
  Opaque,
  Optional,
  Timestamp,
  TypeValue,
  Uint,
  type Value,
} from './values.ts';
import { work } from './evaluation-limit.ts';

/** The name of a value's type, as `type()` gives it. */
export function typeNameOf(value: Value): string {
  switch (typeof value) {
    case 'string':
      return 'string';
    case 'boolean':
      return 'bool';
    case 'number':
    case 'bigint':
      return 'int';
    default:
      return value === null ? 'null_type' : classNameOf(value);
  }
}

function classNameOf(value: object): string {
  if (value instanceof Double) return 'double';
  if (value instanceof Uint) return 'uint';
  if (value instanceof ListValue) return 'list';
  if (value instanceof MapValue) return value.objectType?.name ?? 'map';
  if (value instanceof Timestamp) return 'google.protobuf.Timestamp';
  if (value instanceof Duration) return 'google.protobuf.Duration';
  if (value instanceof Uint8Array) return 'bytes';
  if (value instanceof TypeValue) return 'type';
  if (value instanceof Optional) return 'optional_type';
  return value instanceof Opaque ? value.type.name : 'error';
}

const isNumber = (value: Value): value is number | bigint | Double | Uint =>
  typeof value === 'number' || typeof value === 'bigint' || value instanceof Double || value instanceof Uint;

/** As long a text as can be compared in one step. */
const longText = 64;

/** Values of different types are not equal; numbers of different types are compared as numbers. */
export function equals(a: Value, b: Value): boolean {
  if (typeof a === 'string') {
    if (typeof b !== 'string' || a.length !== b.length) return false;
    if (a.length > longText) work(a.length / longText);
    return a === b;
  }
  if (a === b) return !(a instanceof Double) || !Number.isNaN(a.value);
  if (typeof a !== 'object' && typeof a === typeof b) return false;
  if (isNumber(a)) return isNumber(b) && compareNumbers(a, b) === 0;
  return typeof a === 'object' && typeof b === 'object' && a !== null && b !== null && equalObjects(a, b);
}

function equalObjects(a: object, b: object): boolean {
  work(1);
  if (a instanceof ListValue) return b instanceof ListValue && equalLists(a, b);
  if (a instanceof MapValue) return b instanceof MapValue && equalMaps(a, b);
  if (a instanceof Timestamp) return b instanceof Timestamp && a.seconds === b.seconds && a.nanos === b.nanos;
  if (a instanceof Duration) return b instanceof Duration && a.nanos === b.nanos;
  if (a instanceof Uint8Array) return b instanceof Uint8Array && Buffer.compare(a, b) === 0;
  if (a instanceof TypeValue) return b instanceof TypeValue && a.name === b.name;
  if (a instanceof Optional)
    return (
      b instanceof Optional &&
      (a.value === undefined ? b.value === undefined : b.value !== undefined && equals(a.value, b.value))
    );
  return a instanceof Opaque && b instanceof Opaque && a.type.name === b.type.name && a.equals(b);
}

function equalLists(a: ListValue, b: ListValue): boolean {
  const { size, semantics } = a;
  if (size !== b.size) return false;
  work(size);
  if (semantics !== undefined) return semantics.kind === 'set' ? equalSets(a, b) : equalByKeys(a, b, semantics.keys);
  for (let i = 0; i < size; i++) if (!equals(a.at(i), b.at(i))) return false;
  return true;
}

/** An element is only compared with the one of the same keys. */
function equalByKeys(a: ListValue, b: ListValue, keys: readonly string[]): boolean {
  const known = byKeys(a, keys);
  for (const value of b) {
    const same = known.get(identityOf(value, keys));
    if (same === undefined || !equals(same, value)) return false;
  }
  return true;
}

function includes(values: readonly Value[], wanted: Value): boolean {
  work(values.length);
  return values.some((value) => equals(value, wanted));
}

/** Texts and numbers by hash, so that long sets are quick; the rest pairwise. */
function equalSets(a: ListValue, b: ListValue): boolean {
  const scalars = new Set<unknown>();
  const others: Value[] = [];
  for (const value of b) {
    if (typeof value === 'object') others.push(value);
    else scalars.add(value);
  }
  for (const value of a) {
    if (typeof value !== 'object') {
      if (!scalars.has(value)) return false;
    } else if (!includes(others, value)) return false;
  }
  return true;
}

function equalMaps(a: MapValue, b: MapValue): boolean {
  if (a.size !== b.size) return false;
  work(a.size * 4);
  for (const key of a.keys()) {
    const other = b.get(key);
    if (other === undefined || !equals(a.get(key)!, other)) return false;
  }
  return true;
}

/** Upstream turns an integer into a double before it orders the two: what is lost then does not count. */
function orderOf(a: number | bigint | Double | Uint, b: number | bigint | Double | Uint): number {
  if (a instanceof Double !== b instanceof Double)
    return compareNumbers(
      new Double(Number(a instanceof Double || a instanceof Uint ? a.value : a)),
      new Double(Number(b instanceof Double || b instanceof Uint ? b.value : b)),
    );
  return compareNumbers(a, b);
}

/** NaN when one is not a number. Exact between integers and doubles. */
export function compareNumbers(a: number | bigint | Double | Uint, b: number | bigint | Double | Uint): number {
  const x = a instanceof Double || a instanceof Uint ? a.value : a;
  const y = b instanceof Double || b instanceof Uint ? b.value : b;
  return x < y ? -1 : x > y ? 1 : x == y ? 0 : NaN; // eslint-disable-line eqeqeq -- a number and a bigint
}

/** -1, 0 or 1, NaN when there is no order between the two (NaN itself), or an error for types without one. */
export function compare(a: Value, b: Value): number | CelError {
  if (isNumber(a)) return isNumber(b) ? orderOf(a, b) : noSuchOverload;
  if (typeof a === 'string') return typeof b === 'string' ? Math.sign(compareText(a, b)) : noSuchOverload;
  if (typeof a === 'boolean') return typeof b === 'boolean' ? Number(a) - Number(b) : noSuchOverload;
  if (a instanceof Timestamp)
    return b instanceof Timestamp ? Math.sign(a.seconds - b.seconds || a.nanos - b.nanos) : noSuchOverload;
  if (a instanceof Duration)
    return b instanceof Duration ? (a.nanos < b.nanos ? -1 : a.nanos > b.nanos ? 1 : 0) : noSuchOverload;
  if (a instanceof Uint8Array) return b instanceof Uint8Array ? Buffer.compare(a, b) : noSuchOverload;
  return noSuchOverload;
}
