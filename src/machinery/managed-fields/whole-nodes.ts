import { memberOf } from '../members.ts';
import { isObject, type JsonObject, type JsonValue } from '../value.ts';
import { FieldSet, type FieldNode } from './field-set.ts';
import type { ListType, MapType, MergeType } from './merge-type.ts';
import { compareElements, memberElement, type PathElement } from './path-element.ts';
import {
  fieldOf,
  isStruct,
  itemElement,
  kindOf,
  memberNames,
  TypeMismatch,
  type ValueEncoding,
} from './typed-value.ts';
import { leaf, type Part } from './compared-part.ts';

/** Everything of a value that is on one side only. */
export function wholePart(type: MergeType, value: JsonValue, encoding: ValueEncoding): Part {
  const nodes = wholeNodes(type, value, encoding);
  return nodes === undefined ? leaf : { member: true, children: nodes };
}

/** What is below a value that is on one side only; undefined where it is owned as a whole, or empty. */
function wholeNodes(type: MergeType, value: JsonValue, encoding: ValueEncoding): FieldNode[] | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  switch (kindOf(type, value)) {
    case 'map':
      return isObject(value) && !type.map!.atomic ? mapNodes(type.map!, value, encoding) : undefined;
    case 'list':
      return Array.isArray(value) && type.list!.associative ? listNodes(type.list!, value, encoding) : undefined;
    case 'scalar':
      return undefined;
  }
}

function mapNodes(map: MapType, object: JsonObject, encoding: ValueEncoding): FieldNode[] | undefined {
  const nodes = isStruct(map, encoding)
    ? structNodes(map.sorted, object, encoding)
    : memberNodes(map, object, encoding);
  return nodes.length === 0 ? undefined : nodes;
}

function structNodes(sorted: MapType['sorted'], object: JsonObject, encoding: ValueEncoding): FieldNode[] {
  const nodes: FieldNode[] = [];
  for (let i = 0; i < sorted.length; i++) {
    const field = sorted[i]!;
    const value = fieldOf(field, object, encoding);
    if (value === undefined) continue;
    const children = typeof value === 'object' && value !== null ? wholeNodes(field.type, value, encoding) : undefined;
    nodes.push(
      children === undefined ? field.leaf : { element: field.element, member: true, children: new FieldSet(children) },
    );
  }
  return nodes;
}

function memberNodes(map: MapType, object: JsonObject, encoding: ValueEncoding): FieldNode[] {
  const names = memberNames(object);
  return names.map((name) => {
    const field = map.fields.get(name);
    const type = field?.type ?? map.element;
    if (type === undefined) throw new TypeMismatch(`.${name}: field not declared in schema`);
    return wholeNode(field?.element ?? memberElement(name, names.length), type, memberOf(object, name)!, encoding);
  });
}

function wholeNode(element: PathElement, type: MergeType, value: JsonValue, encoding: ValueEncoding): FieldNode {
  const children = wholeNodes(type, value, encoding);
  return { element, member: true, children: children && new FieldSet(children) };
}

function listNodes(list: ListType, items: readonly JsonValue[], encoding: ValueEncoding): FieldNode[] | undefined {
  if (items.length === 0) return undefined;
  return withoutDuplicates(
    items
      .map((item) => wholeNode(itemElement(list, item, encoding, items.length), list.element, item, encoding))
      .sort(byElement),
  );
}

export const byElement = (a: FieldNode, b: FieldNode): number => compareElements(a.element, b.element);

function withoutDuplicates(sorted: FieldNode[]): FieldNode[] {
  const isTwin = (index: number): boolean => sorted[index]?.element.text === sorted[index + 1]?.element.text;
  if (!sorted.some((_, index) => index + 1 < sorted.length && isTwin(index))) return sorted;
  return sorted.flatMap((item, index) => {
    if (index > 0 && isTwin(index - 1)) return [];
    return index + 1 < sorted.length && isTwin(index) ? [nodeOf(item.element, leaf)] : [item];
  });
}

export const nodeOf = (element: PathElement, { member, children }: Part): FieldNode => ({
  element,
  member,
  children: children === undefined || children.length === 0 ? undefined : new FieldSet(children),
});
