/** Fields, elements and entries of values. */
import {
  CelError,
  Double,
  type EntryMap,
  keyOf,
  ListValue,
  MapValue,
  noSuchOverload,
  noValue,
  Optional,
  type Value,
} from '../values/values.ts';

/** `a.?b`, and `a.b` where `a` is an optional. */
export function selectOptional(value: Value, field: string): Value {
  const inner = value instanceof Optional ? value.value : value;
  if (inner === undefined) return noValue;
  if (inner instanceof CelError) return inner;
  if (!(inner instanceof MapValue)) return noSuchOverload;
  const found = inner.get(field);
  return found === undefined ? noValue : found instanceof CelError ? found : new Optional(found);
}

export function insertEntry(map: EntryMap, key: Value, value: Value): CelError | undefined {
  if (keyOf(key) === undefined || key instanceof Double) return new CelError('unsupported key type');
  return map.insert(key, value) ? undefined : new CelError('Failed with repeated key');
}

/** Element of a list, or value of a map under a key; undefined when there is none. */
export function lookUp(container: Value, key: Value): Value | undefined {
  if (container instanceof MapValue) {
    if (keyOf(key) === undefined && !(key instanceof Double)) return new CelError('unsupported key type');
    return container.get(key);
  }
  if (!(container instanceof ListValue)) return noSuchOverload;
  const index = keyOf(key);
  if (typeof index === 'bigint') return undefined;
  if (typeof index !== 'number') return key instanceof Double ? new CelError('invalid_argument') : noSuchOverload;
  return index >= 0 && index < container.size ? container.at(index) : undefined;
}
