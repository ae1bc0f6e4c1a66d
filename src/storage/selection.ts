/**
 * From a selection to what a store can do (a range of keys) and what is left to look at (a filter of index attributes).
 *
 * Keys are `<prefix><namespace>/<name>` for namespaced resources and `<prefix><name>` for the others.
 */
import type { ObjectAttributes, Selection } from './objects.ts';

/** Part of a resource's keys: all that begin with `prefix`, or the one `key`. */
export interface KeyRange {
  readonly prefix: string;
  readonly key?: string;
}

export interface ResourceKeys {
  readonly prefix: string;
  readonly namespaced: boolean;
}

export type AttributesFilter = (attributes: ObjectAttributes) => boolean;

export function rangeOf(keys: ResourceKeys, selection: Selection | undefined): KeyRange {
  const { namespace, name } = selection ?? {};
  const prefix = keys.namespaced && namespace !== undefined ? `${keys.prefix}${namespace}/` : keys.prefix;
  const single = name !== undefined && (!keys.namespaced || namespace !== undefined);
  return single ? { prefix: prefix + name, key: prefix + name } : { prefix };
}

/** What has to be asked of the attributes in the range of the same selection; undefined when all of them match. */
export function filterOf(keys: ResourceKeys, selection: Selection | undefined): AttributesFilter | undefined {
  if (selection === undefined) return undefined;
  const filters: AttributesFilter[] = [];
  const { namespace, name, fieldEquals, matches } = selection;
  if (!keys.namespaced && namespace !== undefined && namespace !== '')
    filters.push((attributes) => attributes.namespace === namespace);
  if (keys.namespaced && namespace === undefined && name !== undefined)
    filters.push((attributes) => attributes.name === name);
  for (const [field, value] of fieldEquals ?? []) filters.push((attributes) => fieldOf(attributes, field) === value);
  if (matches !== undefined) filters.push(matches);
  return allOf(filters);
}

/** A field that an object does not have is empty: `spec.nodeName=` finds pods without a node. */
export function fieldOf(attributes: ObjectAttributes, field: string): string {
  return attributes.fields.get(field) ?? '';
}

/** Whether `ObjectList.remaining` is left out: with a selector the rest of the range says nothing about matches. */
export function hasSelector(selection: Selection | undefined): boolean {
  return (
    selection !== undefined &&
    (selection.name !== undefined || selection.matches !== undefined || (selection.fieldEquals?.size ?? 0) > 0)
  );
}

export function inRange(range: KeyRange, key: string): boolean {
  return range.key === undefined ? key.startsWith(range.prefix) : key === range.key;
}

function allOf(filters: readonly AttributesFilter[]): AttributesFilter | undefined {
  const [first, second] = filters;
  if (second === undefined) return first;
  return (attributes) => filters.every((filter) => filter(attributes));
}
