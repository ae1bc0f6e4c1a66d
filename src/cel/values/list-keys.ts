/** Elements of a list that a schema calls a map, by the values of their keys. */
import { type ListValue, MapValue, type Value } from './values.ts';
import { work } from './evaluation-limit.ts';

const stepsPerElement = 20;

/** Of elements with the same keys the last one. */
export function byKeys(list: ListValue, keys: readonly string[]): Map<string, Value> {
  work(list.size * stepsPerElement);
  const found = new Map<string, Value>();
  for (const element of list) found.set(identityOf(element, keys), element);
  return found;
}

/** The values of the keys, which are scalars. */
export function identityOf(element: Value, keys: readonly string[]): string {
  if (!(element instanceof MapValue)) return '';
  return JSON.stringify(
    keys.map((key) => {
      const value = element.get(key);
      return typeof value === 'bigint' ? String(value) : (value ?? null);
    }),
  );
}
