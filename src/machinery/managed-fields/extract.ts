/**
 * The fields an applied configuration sets, and the part of an object that a set of fields leaves.
 */
import { createMap, isObject, type JsonObject, type JsonValue } from '../value.ts';
import { keysOf, memberOf } from '../members.ts';
import { FieldSet, type FieldNode } from './field-set.ts';
import { memberType, type ListType, type MapType, type MergeType } from './merge-type.ts';
import { compareElements, memberElement } from './path-element.ts';
import { itemElement, kindOf, memberNames } from './typed-value.ts';

/**
 * The field set of a JSON value: every leaf, every item of an associative list, every key of a map, and what is null or
 * empty. A struct with members is not in it: setting one of them is not setting the struct.
 */
export function fieldSetOf(type: MergeType, value: JsonValue): FieldSet {
  const { children } = part(type, value);
  return children ?? FieldSet.empty;
}

interface Part {
  readonly member: boolean;
  readonly children: FieldSet | undefined;
}

function part(type: MergeType, value: JsonValue): Part {
  switch (kindOf(type, value)) {
    case 'scalar':
      return { member: true, children: undefined };
    case 'map':
      return type.map!.atomic
        ? { member: true, children: undefined }
        : { member: false, children: isObject(value) ? membersOf(type.map!, value) : undefined };
    case 'list':
      return type.list!.associative
        ? { member: false, children: Array.isArray(value) ? itemsOf(type.list!, value) : undefined }
        : { member: true, children: undefined };
  }
}

function membersOf(map: MapType, object: JsonObject): FieldSet | undefined {
  const names = memberNames(object);
  return nodesSet(
    names.map((name) => {
      const value = memberOf(object, name)!;
      const { member, children } = part(memberType(map, name)!, value);
      return {
        element: map.fields.get(name)?.element ?? memberElement(name, names.length),
        member: member || isNothing(value) || !map.fields.has(name),
        children,
      };
    }),
  );
}

const isNothing = (value: JsonValue): boolean => value === null || (isObject(value) && keysOf(value).length === 0);

/** Items that occur twice are in the set without their fields. */
function itemsOf(list: ListType, items: readonly JsonValue[]): FieldSet | undefined {
  const nodes = items.map((item) => ({
    element: itemElement(list, item, 'json', items.length),
    member: true,
    children: part(list.element, item).children,
  }));
  nodes.sort((a, b) => compareElements(a.element, b.element));
  const isTwin = (a: FieldNode | undefined, b: FieldNode | undefined): boolean =>
    a !== undefined && a.element.text === b?.element.text;
  return nodesSet(
    nodes.flatMap((item, index) => {
      if (isTwin(nodes[index - 1], item)) return [];
      return isTwin(nodes[index + 1], item) ? [{ ...item, children: undefined }] : [item];
    }),
  );
}

function nodesSet(nodes: readonly FieldNode[]): FieldSet | undefined {
  const kept = nodes.filter(({ member, children }) => member || children !== undefined);
  return kept.length === 0 ? undefined : new FieldSet(kept);
}

/**
 * The value without the fields of the set; what is left of a map or list may be null, which stands for nothing.
 * Values that lose nothing are shared with the input.
 */
export function removeFields(type: MergeType, value: JsonValue, fields: FieldSet): JsonValue {
  if (fields.isEmpty) return value;
  switch (kindOf(type, value)) {
    case 'scalar':
      return value;
    case 'map':
      return isObject(value) && !type.map!.atomic ? removeMembers(type.map!, value, fields) : null;
    case 'list':
      return Array.isArray(value) && type.list!.associative ? removeItems(type.list!, value, fields) : null;
  }
}

function removeMembers(map: MapType, object: JsonObject, fields: FieldSet): JsonValue {
  const rest = createMap();
  let count = 0;
  const names = keysOf(object);
  for (const name of names) {
    const node = fields.find(map.fields.get(name)?.element ?? memberElement(name, names.length));
    if (node?.member) continue;
    const value = memberOf(object, name)!;
    rest[name] = node?.children === undefined ? value : removeFields(memberType(map, name)!, value, node.children);
    count++;
  }
  return count === 0 ? null : rest;
}

function removeItems(list: ListType, items: readonly JsonValue[], fields: FieldSet): JsonValue {
  const rest: JsonValue[] = [];
  for (const item of items) {
    const node = fields.find(itemElement(list, item, 'json', items.length));
    if (node?.member) continue;
    rest.push(node?.children === undefined ? item : removeFields(list.element, item, node.children));
  }
  return rest.length === 0 ? null : rest;
}

/**
 * The set with every struct a member lies in: a struct that was set only through its members goes with the last one.
 */
export function withNamedParents(type: MergeType | undefined, set: FieldSet): FieldSet {
  let changed = false;
  const nodes = set.nodes.map((node) => {
    if (node.children === undefined) return node;
    const { element } = node;
    const named = element.kind === 'field' && (type?.map?.fields.has(element.name) ?? false);
    const children = withNamedParents(below(type, element.kind, element.name), node.children);
    if (children === node.children && (node.member || !named)) return node;
    changed = true;
    return { element, member: node.member || named, children };
  });
  return changed ? new FieldSet(nodes) : set;
}

function below(type: MergeType | undefined, kind: string, name: string): MergeType | undefined {
  if (kind === 'field') return type?.map && memberType(type.map, name);
  return kind === 'key' ? type?.list?.element : undefined;
}
