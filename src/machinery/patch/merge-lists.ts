/**
 * Merging and ordering of lists in strategic merge: lists of scalars are sets, lists of objects are keyed by their
 * merge key. The client's order wins among the items it names; items only the server has keep theirs, and take their
 * place between the others by the order of the live list.
 */
import { goTypeName, goValue } from '../go-format.ts';
import { memberOf } from '../members.ts';
import { plainError } from '../status.ts';
import { isObject, type JsonObject, type JsonValue } from '../value.ts';
import { cannotApply } from './patch-error.ts';

export interface ListShape {
  readonly mergeKey: string;
  readonly ofMaps: boolean;
}

const scalars: ListShape = { mergeKey: '', ofMaps: false };

/**
 * Whether the items of the lists are objects; all must be of one type.
 * @throws StatusError 422 for lists of lists, 500 for a mixture or no items.
 */
export function itemsOf(...lists: readonly JsonValue[][]): 'map' | 'scalar' {
  const all = lists.flat();
  if (all.length === 0) throw plainError('no elements in any of the given slices');
  const first = goTypeName(all[0]!);
  if (Array.isArray(all[0])) throw cannotApply('lists of lists are not supported');
  if (all.includes(null) || all.some((item) => goTypeName(item) !== first))
    throw plainError(`list element types are not identical: ${goValue(lists as JsonValue)}`);
  return isObject(all[0]) ? 'map' : 'scalar';
}

export function deleteValues(current: readonly JsonValue[], deleted: readonly JsonValue[]): JsonValue[] {
  const values = new Set(deleted);
  return current.filter((item) => !values.has(item));
}

export function mergeScalars(current: JsonValue[], patch: JsonValue[]): JsonValue[] {
  return orderLike([...new Set([...current, ...patch])], patch, current, scalars);
}

/** Merges keyed items: directives first, then each item of the patch into its match, or behind the others. */
export function mergeWithOrder(
  current: JsonValue[],
  patch: JsonValue[],
  mergeKey: string,
  merge: (item: JsonObject, change: JsonObject) => JsonObject,
): JsonValue[] {
  const shape: ListShape = { mergeKey, ofMaps: true };
  const { remaining, changes } = applyItemDirectives(current as JsonObject[], patch as JsonObject[], mergeKey);
  const merged = [...remaining];
  const positions = new Map<JsonValue | undefined, number>();
  merged.forEach((item, index) => setFirst(positions, memberOf(item, mergeKey), index));
  for (const change of changes) {
    const key = keyOf(change, shape);
    const position = positions.get(key);
    if (position !== undefined) merged[position] = merge(merged[position]!, change);
    else positions.set(key, merged.push(change) - 1);
  }
  return orderLike(merged, changes, remaining, shape);
}

function applyItemDirectives(
  current: JsonObject[],
  patch: JsonObject[],
  mergeKey: string,
): { remaining: JsonObject[]; changes: JsonObject[] } {
  const changes: JsonObject[] = [];
  const deleted = new Set<JsonValue>();
  let replace = false;
  for (const item of patch) {
    const directive = memberOf(item, '$patch');
    if (directive === undefined) changes.push(item);
    else if (directive === 'delete') deleted.add(keyOf(item, { mergeKey, ofMaps: true }));
    else if (directive === 'replace') replace = true;
    else if (directive === 'merge') throw plainError('merging lists cannot yet be specified in the patch');
    else throw unknownDirective(directive, item);
  }
  if (replace) return { remaining: changes, changes: [] };
  const remaining =
    deleted.size === 0 ? current : current.filter((item) => !deleted.has(memberOf(item, mergeKey) ?? null));
  return { remaining, changes };
}

export const unknownDirective = (directive: JsonValue, patch: JsonObject) =>
  plainError(
    'unknown patch ' +
      `type: ${typeof directive === 'string' ? directive : `%!s(${goTypeName(directive)}=${goValue(directive)})`} ` +
      `in map: ${goValue(patch)}`,
  );

/** The list with the items that `order` names in that order, and the others where `live` has them. */
export function orderLike(
  list: readonly JsonValue[],
  order: readonly JsonValue[],
  live: readonly JsonValue[],
  shape: ListShape,
): JsonValue[] {
  const wanted = positionsIn(order, shape);
  const had = positionsIn(live, shape);
  const named = list.filter((item) => wanted.has(keyOf(item, shape)));
  const others = list.filter((item) => !wanted.has(keyOf(item, shape)));
  return interleave(sortBy(others, had, shape), sortBy(named, wanted, shape), had, shape);
}

/** Puts each of `others` before the first named item that the live list has behind it. */
function interleave(
  others: JsonValue[],
  named: JsonValue[],
  had: ReadonlyMap<JsonValue, number>,
  shape: ListShape,
): JsonValue[] {
  const result: JsonValue[] = [];
  let next = 0;
  for (const item of named) {
    const position = had.get(keyOf(item, shape));
    while (next < others.length && isBefore(had.get(keyOf(others[next]!, shape)), position))
      result.push(others[next++]!);
    result.push(item);
  }
  return [...result, ...others.slice(next)];
}

const isBefore = (left: number | undefined, right: number | undefined): boolean =>
  left !== undefined && right !== undefined && left < right;

/**
 * Items by their position. Those without one only occur where `$patch: replace` meets `$setElementOrder`; upstream's
 * comparison then calls every item less than the one before it, which reverses the list.
 */
function sortBy(items: JsonValue[], positions: ReadonlyMap<JsonValue, number>, shape: ListShape): JsonValue[] {
  const placed = items.map((item) => ({ item, position: positions.get(keyOf(item, shape)) }));
  if (placed.every(({ position }) => position === undefined)) return items.toReversed();
  return placed.sort((a, b) => (a.position ?? -1) - (b.position ?? -1)).map(({ item }) => item);
}

function positionsIn(list: readonly JsonValue[], shape: ListShape): Map<JsonValue, number> {
  const positions = new Map<JsonValue, number>();
  list.forEach((item, index) => setFirst(positions, keyOf(item, shape), index));
  return positions;
}

function setFirst<K>(positions: Map<K, number>, key: K, index: number): void {
  if (!positions.has(key)) positions.set(key, index);
}

function keyOf(item: JsonValue, { mergeKey, ofMaps }: ListShape): JsonValue {
  if (!ofMaps) return item;
  if (!isObject(item)) throw plainError(`expected a map[string]interface {}, but received a ${goTypeName(item)}`);
  const key = memberOf(item, mergeKey);
  if (key === undefined) throw plainError(`map: ${goValue(item)} does not contain declared merge key: ${mergeKey}`);
  return key;
}

/**
 * The items of a patch must appear in its `$setElementOrder` list, in that order.
 * @throws StatusError 500 when they do not.
 */
export function validateOrder(
  patch: readonly JsonValue[],
  order: readonly JsonValue[],
  mergeKey: string,
  directive: string,
): void {
  if (order.length === 0 || patch.length === 0) return;
  const shape: ListShape = { mergeKey, ofMaps: mergeKey !== '' };
  const items = shape.ofMaps ? patch.filter((item) => !hasDirective(item, directive)) : patch;
  let next = 0;
  for (const ordered of order) {
    if (next === items.length) return;
    if (keyOf(items[next]!, shape) === keyOf(ordered, shape)) next++;
  }
  if (next < items.length)
    throw plainError(
      `The order in patch list:\n${goValue([...patch])}\n doesn't match $setElementOrder ` +
        `list:\n${goValue([...order])}\n`,
    );
}

function hasDirective(item: JsonValue, directive: string): boolean {
  if (!isObject(item)) throw plainError(`expected a map[string]interface {}, but received a ${goTypeName(item)}`);
  return memberOf(item, directive) !== undefined;
}
