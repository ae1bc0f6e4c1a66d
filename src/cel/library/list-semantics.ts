/**
 * `+` of lists. Lists that a schema calls sets or maps stay what they are: what is there already is not added again,
 * and an element of a map takes the place of the one with its keys.
 * @see {@link
 *   https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definitions/#validation-rules |
 *   Validation rules}
 */
import { equals } from '../values/compare.ts';
import { byKeys } from '../values/list-keys.ts';
import type { ListValue } from '../values/values.ts';
import { ArrayList, CelError, JoinedList, type Value } from '../values/values.ts';
import { work } from '../values/evaluation-limit.ts';

export function joinLists(a: ListValue, b: ListValue): Value {
  if (a.semantics === undefined) return join(a, b);
  return a.semantics.kind === 'set' ? joinSets(a, b) : joinMaps(a, b, a.semantics.keys);
}

/** Longer than anything that fits into memory: what is joined with itself again and again. */
const maxSize = 2 ** 31;

function join(a: ListValue, b: ListValue): Value {
  if (a.size === 0 || b.size === 0) return a.size === 0 ? b : a;
  return a.size + b.size > maxSize ? new CelError('list is too long') : new JoinedList(a, b);
}

function joinSets(a: ListValue, b: ListValue): ListValue {
  work((a.size + b.size) * 2);
  const seen = new Set<Value>();
  const items: Value[] = [];
  for (const value of a) {
    seen.add(value);
    items.push(value);
  }
  const known = items.length;
  for (const value of b) {
    const there = typeof value === 'object' ? isAmong(items, known, value) : seen.has(value);
    if (!there) items.push(value);
  }
  return new ArrayList(items);
}

function isAmong(items: readonly Value[], count: number, wanted: Value): boolean {
  work(count);
  for (let i = 0; i < count; i++) if (equals(items[i]!, wanted)) return true;
  return false;
}

function joinMaps(a: ListValue, b: ListValue, keys: readonly string[]): ListValue {
  const joined = byKeys(a, keys);
  for (const [identity, value] of byKeys(b, keys)) joined.set(identity, value);
  return new ArrayList([...joined.values()]);
}
