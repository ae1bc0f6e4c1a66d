/**
 * FieldsV1, a field set as JSON: `{"f:metadata":{"f:labels":{".":{},"f:app":{}}}}`. `.` stands for the
 * object itself; a member without members below it is `{}`. Members are in the order of path elements.
 * @see {@link https://kubernetes.io/docs/reference/generated/kubernetes-api/v1.32/#fieldsv1-v1-meta | FieldsV1}
 */
import { remembered } from '../../base/bounded-cache.ts';
import { maxValueDepth } from '../json/reader.ts';
import { createMap, isObject, type JsonObject, type JsonValue } from '../value.ts';
import { FieldSet, type FieldNode } from './field-set.ts';
import { compareElements, largestCommon, parseElement } from './path-element.ts';

/** The set as JSON text. */
export function fieldsText(set: FieldSet): string {
  set.notes.text ??= textOf(set);
  return set.notes.text;
}

function textOf(set: FieldSet): string {
  const parts: string[] = ['{'];
  writeMembers(set, parts);
  parts.push('}');
  return parts.join('');
}

/** Pieces in a list, joined once: a text put together by `+` would be a tree of hundreds of small strings. */
function writeMembers(set: FieldSet, parts: string[]): void {
  const { nodes } = set;
  for (let i = 0; i < nodes.length; i++) {
    const { element, member, children } = nodes[i]!;
    if (i > 0) parts.push(',');
    parts.push(element.memberName);
    if (children === undefined) {
      parts.push('{}');
    } else {
      parts.push(member ? '{".":{},' : '{');
      writeMembers(children, parts);
      parts.push('}');
    }
  }
}

/** The set as a JSON value. */
export function fieldsValue(set: FieldSet): JsonObject {
  const value: JsonObject = createMap();
  for (const { element, member, children } of set.nodes) {
    const below: JsonObject = children === undefined ? createMap() : fieldsValue(children);
    value[element.text] =
      member && children !== undefined ? Object.assign(createMap<JsonValue>(), { '.': createMap() }, below) : below;
  }
  return value;
}

/**
 * The set of a FieldsV1 value.
 * @throws Error when a member name is no path element, a member no object, or all of it deeper than a value may be.
 */
export function parseFields(value: JsonValue): FieldSet {
  return readSet(value, maxValueDepth).set;
}

function readSet(value: JsonValue, depth: number): { set: FieldSet; self: boolean } {
  if (depth === 0) throw new Error('exceeded max depth');
  if (value === null) return { set: FieldSet.empty, self: true };
  if (!isObject(value)) throw new Error('a field set is an object of objects');
  const nodes: FieldNode[] = [];
  let self = false;
  let sorted = true;
  const isCommon = Object.keys(value).length <= largestCommon;
  for (const name in value) {
    if (name === '.') {
      self = true;
      continue;
    }
    const element = parseElement(name, isCommon);
    if (element === undefined) continue;
    const { set, self: member } = readSet(value[name]!, depth - 1);
    if (sorted && nodes.length > 0 && compareElements(nodes.at(-1)!.element, element) >= 0) sorted = false;
    nodes.push({ element, member, children: set.isEmpty ? undefined : set });
  }
  return {
    set: nodes.length === 0 ? FieldSet.empty : sorted ? new FieldSet(nodes) : sortNodes(nodes),
    self: self || nodes.length === 0,
  };
}

/** Two spellings of one element (`k:{"a":1,"b":2}` and `k:{"b":2,"a":1}`) become one node. */
function sortNodes(nodes: FieldNode[]): FieldSet {
  nodes.sort((a, b) => compareElements(a.element, b.element));
  const merged: FieldNode[] = [];
  for (const node of nodes) {
    const last = merged.at(-1);
    if (last?.element.text === node.element.text)
      merged[merged.length - 1] = new FieldSet([last]).union(new FieldSet([node])).nodes[0]!;
    else merged.push(node);
  }
  return new FieldSet(merged);
}

/** A set takes about so much for a character of its text. */
export const setBytesPerChar = 12;

/**
 * The set of a FieldsV1 text. The most recent ones are remembered: objects of one kind, and the versions of one
 * object, mostly have the same fields.
 */
export const parseFieldsText = remembered((text) => parseFields(JSON.parse(text) as JsonValue), {
  maxBytes: 16 * 1024 * 1024,
  maxKeyLength: 64 * 1024,
  bytesOf: (_, { length }) => length * setBytesPerChar,
});
