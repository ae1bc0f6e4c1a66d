/**
 * What changed between two versions of an object, as three field sets.
 *
 * The hot path of every write: nothing is allocated for what is equal, nodes are made in order, no path is ever
 * written out.
 */
import { memberOf } from '../members.ts';
import { isObject, type JsonObject, type JsonValue } from '../value.ts';
import { FieldSet, type FieldNode } from './field-set.ts';
import type { ListType, MapType, MergeType } from './merge-type.ts';
import { memberElement, type PathElement } from './path-element.ts';
import {
  fieldOf,
  isEmptyMap,
  isStruct,
  itemElement,
  itemId,
  kindOf,
  TypeMismatch,
  valuesEqual,
  type ValueEncoding,
  type ItemId,
} from './typed-value.ts';
import { wholePart, byElement, nodeOf } from './whole-nodes.ts';
import { leaf, type Part, unionOfNames, haveSameScalars } from './compared-part.ts';

export interface Comparison {
  readonly removed: FieldSet;
  readonly modified: FieldSet;
  readonly added: FieldSet;
}

/**
 * Compares two objects of one type; one that does not exist yet is `{}` (normalized: its zero value).
 * @throws TypeMismatch when a list item cannot be identified.
 */
export function compareObjects(
  type: MergeType,
  before: JsonObject,
  after: JsonObject,
  encoding: ValueEncoding,
): Comparison {
  const changes = compareValues(type, before, after, encoding);
  return { removed: setOf(changes?.removed), modified: setOf(changes?.modified), added: setOf(changes?.added) };
}

export const isSame = ({ removed, modified, added }: Comparison): boolean =>
  removed.isEmpty && modified.isEmpty && added.isEmpty;

interface Changes {
  removed: Part | undefined;
  modified: Part | undefined;
  added: Part | undefined;
}

const modifiedLeaf: Changes = { removed: undefined, modified: leaf, added: undefined };

const setOf = (part: Part | undefined): FieldSet =>
  part?.children === undefined ? FieldSet.empty : new FieldSet(part.children);

function compareValues(
  type: MergeType,
  before: JsonValue | undefined,
  after: JsonValue | undefined,
  encoding: ValueEncoding,
): Changes | undefined {
  if (before === after) return undefined;
  if (before === undefined)
    return { removed: undefined, modified: undefined, added: wholePart(type, after!, encoding) };
  if (after === undefined) return { removed: wholePart(type, before, encoding), modified: undefined, added: undefined };
  if (type.scalar !== undefined && typeof before !== 'object' && typeof after !== 'object')
    return valuesEqual(type, before, after, encoding) ? undefined : modifiedLeaf;
  const kind = kindOf(type, after);
  const oldKind = kindOf(type, before);
  if (kind === oldKind) return compareAs(kind, type, before, after, encoding);
  return merge(compareAs(oldKind, type, before, after, encoding), compareAs(kind, type, before, after, encoding));
}

/** As if both were of the kind; one that is not counts as null. */
function compareAs(
  kind: Kind,
  type: MergeType,
  before: JsonValue,
  after: JsonValue,
  encoding: ValueEncoding,
): Changes | undefined {
  if (kind === 'map')
    return compareMaps(type, isObject(before) ? before : null, isObject(after) ? after : null, encoding, before, after);
  if (kind === 'list')
    return compareLists(
      type,
      Array.isArray(before) ? before : null,
      Array.isArray(after) ? after : null,
      encoding,
      before,
      after,
    );
  return compareLeaves(type, before, after, encoding);
}

type Kind = ReturnType<typeof kindOf>;

const compareLeaves = (
  type: MergeType,
  before: JsonValue,
  after: JsonValue,
  encoding: ValueEncoding,
): Changes | undefined => (valuesEqual(type, before, after, encoding) ? undefined : modifiedLeaf);

function compareMaps(
  type: MergeType,
  before: JsonObject | null,
  after: JsonObject | null,
  encoding: ValueEncoding,
  wholeBefore: JsonValue,
  wholeAfter: JsonValue,
): Changes | undefined {
  const map = type.map!;
  if (map.atomic) return compareLeaves(type, wholeBefore, wholeAfter, encoding);
  if (before !== null && after !== null)
    return isStruct(map, encoding)
      ? compareStructs(map, before, after, encoding)
      : compareMembers(map, before, after, encoding);
  if ((before === null || isEmptyMap(map, before, encoding)) && (after === null || isEmptyMap(map, after, encoding)))
    return compareLeaves(type, wholeBefore, wholeAfter, encoding);
  return isStruct(map, encoding)
    ? compareFields(map, before, after, encoding)
    : compareMembers(map, before, after, encoding);
}

/**
 * Looks at the members that one of them has: what both lack is the same in both, and that is most of what a type knows.
 */
function compareStructs(
  { fields }: MapType,
  before: JsonObject,
  after: JsonObject,
  encoding: ValueEncoding,
): Changes | undefined {
  let found: Collector | undefined;
  const compare = (name: string): void => {
    const field = fields.get(name);
    const changes =
      field && compareValues(field.type, fieldOf(field, before, encoding), fieldOf(field, after, encoding), encoding);
    if (changes !== undefined) (found ??= new Collector()).add(field!.element, changes);
  };
  for (const name in after) if (after[name] !== undefined && after[name] !== before[name]) compare(name);
  for (const name in before) if (before[name] !== undefined && after[name] === undefined) compare(name);
  return found?.sorted();
}

/** Every field of the type: something that is null has none of them, not even those that are always there. */
function compareFields(
  { sorted }: MapType,
  before: JsonObject | null,
  after: JsonObject | null,
  encoding: ValueEncoding,
): Changes | undefined {
  const found = new Collector();
  for (const field of sorted) {
    const changes = compareValues(
      field.type,
      before === null ? undefined : fieldOf(field, before, encoding),
      after === null ? undefined : fieldOf(field, after, encoding),
      encoding,
    );
    if (changes !== undefined) found.add(field.element, changes);
  }
  return found.changes();
}

function compareMembers(
  map: MapType,
  before: JsonObject | null,
  after: JsonObject | null,
  encoding: ValueEncoding,
): Changes | undefined {
  if (before !== null && after !== null && haveSameScalars(before, after)) return undefined;
  let found: Collector | undefined;
  const names = unionOfNames(before, after);
  for (const name of names) {
    const field = map.fields.get(name);
    const type = field?.type ?? map.element;
    if (type === undefined) throw new TypeMismatch(`.${name}: field not declared in schema`);
    const changes = compareValues(
      type,
      before === null ? undefined : memberOf(before, name),
      after === null ? undefined : memberOf(after, name),
      encoding,
    );
    if (changes !== undefined)
      (found ??= new Collector()).add(field?.element ?? memberElement(name, names.length), changes);
  }
  return found?.changes();
}

function compareLists(
  type: MergeType,
  before: JsonValue[] | null,
  after: JsonValue[] | null,
  encoding: ValueEncoding,
  wholeBefore: JsonValue,
  wholeAfter: JsonValue,
): Changes | undefined {
  const list = type.list!;
  if (!list.associative || ((before?.length ?? 0) === 0 && (after?.length ?? 0) === 0))
    return compareLeaves(type, wholeBefore, wholeAfter, encoding);
  const found = new Collector();
  if (before !== null && after !== null && areAligned(list, before, after, encoding)) {
    for (let i = 0; i < after.length; i++) compareItem(list, before[i], after[i], encoding, found, after.length);
    return found.sorted();
  }
  const old = groupItems(list, before ?? [], encoding);
  const now = groupItems(list, after ?? [], encoding);
  for (const [id, items] of now) compareItems(list, old.get(id) ?? none, items, encoding, found, now.size);
  for (const [id, items] of old) if (!now.has(id)) compareItems(list, items, none, encoding, found, old.size);
  return found.sorted();
}

const none: readonly JsonValue[] = [];

/** The same items in the same order, none twice: what a list mostly is, and quicker to compare. */
function areAligned(
  list: ListType,
  before: readonly JsonValue[],
  after: readonly JsonValue[],
  encoding: ValueEncoding,
): boolean {
  if (before.length !== after.length) return false;
  const ids: ItemId[] = [];
  for (let i = 0; i < after.length; i++) {
    const id = itemId(list, after[i]!, encoding);
    if (itemId(list, before[i]!, encoding) !== id) return false;
    ids.push(id);
  }
  return ids.length === 1 || new Set(ids).size === ids.length;
}

/** @param count items of the list */
function compareItem(
  list: ListType,
  before: JsonValue | undefined,
  after: JsonValue | undefined,
  encoding: ValueEncoding,
  found: Collector,
  count: number,
): void {
  const changes = compareValues(list.element, before, after, encoding);
  if (changes !== undefined) found.add(itemElement(list, (after ?? before)!, encoding, count), changes);
}

function groupItems(
  list: ListType,
  items: readonly JsonValue[],
  encoding: ValueEncoding,
): Map<ItemId, readonly JsonValue[]> {
  const groups = new Map<ItemId, JsonValue[]>();
  for (const item of items) {
    const id = itemId(list, item, encoding);
    const group = groups.get(id);
    if (group === undefined) groups.set(id, [item]);
    else group.push(item);
  }
  return groups;
}

/** Items with one identity. Duplicates are owned as one: their fields cannot be told apart. */
function compareItems(
  list: ListType,
  old: readonly JsonValue[],
  now: readonly JsonValue[],
  encoding: ValueEncoding,
  found: Collector,
  count: number,
): void {
  if (old.length <= 1 && now.length <= 1) return compareItem(list, old[0], now[0], encoding, found, count);
  const add = (changes: Changes | undefined) => {
    if (changes !== undefined) found.add(itemElement(list, now[0] ?? old[0]!, encoding, count), changes);
  };
  const compare = (before: JsonValue | undefined, after: JsonValue | undefined) =>
    compareValues(list.element, before, after, encoding);
  if (old.length > 1 && now.length > 1) {
    const same =
      old.length === now.length && old.every((item, index) => valuesEqual(list.element, item, now[index]!, encoding));
    return add(same ? undefined : modifiedLeaf);
  }
  if (old.length > 1)
    return add(
      merge(now.length === 0 ? undefined : compare(undefined, now[0]), {
        removed: leaf,
        modified: undefined,
        added: undefined,
      }),
    );
  add(
    merge(old.length === 0 ? undefined : compare(old[0], undefined), {
      removed: undefined,
      modified: undefined,
      added: leaf,
    }),
  );
}

/** Changes of members, on their way up. */
class Collector {
  #removed: FieldNode[] | undefined;
  #modified: FieldNode[] | undefined;
  #added: FieldNode[] | undefined;

  add(element: PathElement, changes: Changes): void {
    if (changes.removed !== undefined) (this.#removed ??= []).push(nodeOf(element, changes.removed));
    if (changes.modified !== undefined) (this.#modified ??= []).push(nodeOf(element, changes.modified));
    if (changes.added !== undefined) (this.#added ??= []).push(nodeOf(element, changes.added));
  }

  changes(): Changes | undefined {
    if (this.#removed === undefined && this.#modified === undefined && this.#added === undefined) return undefined;
    return { removed: below(this.#removed), modified: below(this.#modified), added: below(this.#added) };
  }

  sorted(): Changes | undefined {
    this.#removed?.sort(byElement);
    this.#modified?.sort(byElement);
    this.#added?.sort(byElement);
    return this.changes();
  }
}

const below = (children: FieldNode[] | undefined): Part | undefined => children && { member: false, children };

function merge(a: Changes | undefined, b: Changes | undefined): Changes | undefined {
  if (a === undefined || b === undefined) return a ?? b;
  return {
    removed: mergeParts(a.removed, b.removed),
    modified: mergeParts(a.modified, b.modified),
    added: mergeParts(a.added, b.added),
  };
}

const mergeParts = (a: Part | undefined, b: Part | undefined): Part | undefined =>
  a && b ? { member: a.member || b.member, children: setOf(a).union(setOf(b)).nodes } : (a ?? b);
