import { compareByteStrings, toByteString } from '../key-order.ts';
import type { ObjectList, ObjectListOptions, StoredObject } from '../objects.ts';
import { filterOf, hasSelector, rangeOf } from '../selection.ts';
import type { AttributesFilter, KeyRange, ResourceKeys } from '../selection.ts';
import type { ReadonlyObjectIndex } from './object-index.ts';

export type PageOptions = Pick<ObjectListOptions, 'selection' | 'after' | 'limit'>;

/** A list, or one page of it, from a state that stands still while this runs. */
export function readPage(
  keys: ResourceKeys,
  { revision, index }: { revision: number; index: ReadonlyObjectIndex },
  options: PageOptions,
): ObjectList {
  const { selection, after, limit = 0 } = options;
  const range = rangeOf(keys, selection);
  const filter = filterOf(keys, selection);
  if (limit === 0) return { revision, objects: collectAll(index, range, after, filter) };
  const objects = collect(index, { range, after, filter, limit });
  const last = objects.at(-1);
  if (objects.length < limit || last === undefined) return { revision, objects };
  const remaining = index.countAfter(range, last.key);
  if (remaining === 0) return { revision, objects };
  return { revision, objects, lastKey: last.key, ...(hasSelector(selection) ? {} : { remaining }) };
}

/** The objects of the range among `found`, in key order. */
export function selectFrom(
  found: Iterable<StoredObject>,
  keys: ResourceKeys,
  { selection, after }: PageOptions,
): StoredObject[] {
  const range = rangeOf(keys, selection);
  const filter = filterOf(keys, selection);
  const behind = after === undefined ? '' : toByteString(after);
  const objects: StoredObject[] = [];
  for (const object of found) {
    if (!object.key.startsWith(range.prefix) || (range.key !== undefined && object.key !== range.key)) continue;
    if (toByteString(object.key) > behind && (filter === undefined || filter(object.attributes))) objects.push(object);
  }
  return sortByKey(objects);
}

/** Nearly all keys are in order as they are; to ask each pair for its order would cost more than the sorting. */
function sortByKey(objects: StoredObject[]): StoredObject[] {
  const isPlain = objects.every(({ key }) => toByteString(key) === key);
  return isPlain
    ? objects.sort((a, b) => compareByteStrings(a.key, b.key))
    : objects.sort((a, b) => compareByteStrings(toByteString(a.key), toByteString(b.key)));
}

function collectAll(
  index: ReadonlyObjectIndex,
  range: KeyRange,
  after: string | undefined,
  filter: AttributesFilter | undefined,
): StoredObject[] {
  const objects: StoredObject[] = [];
  index.visit(range, after, (object) => {
    if (filter === undefined || filter(object.attributes)) objects.push(object);
    return true;
  });
  return objects;
}

function collect(
  index: ReadonlyObjectIndex,
  {
    range,
    after,
    filter,
    limit,
  }: { range: KeyRange; after: string | undefined; filter: AttributesFilter | undefined; limit: number },
): StoredObject[] {
  const objects: StoredObject[] = [];
  index.visit(range, after, (object) => {
    if (filter === undefined || filter(object.attributes)) objects.push(object);
    return objects.length < limit;
  });
  return objects;
}
