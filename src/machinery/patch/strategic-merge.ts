/**
 * Strategic merge patch: a merge patch that knows from the schema which lists are merged, and by which key, and that
 * carries directives:
 *
 * - `$patch: replace | delete` on an object or on an item of a merged list;
 * - `$deleteFromPrimitiveList/<list>`: values to take out of a merged list of scalars;
 * - `$setElementOrder/<list>`: the order of the items the client knows;
 * - `$retainKeys`: the members that stay, all others go.
 *
 * Inputs are JSON values, with the members that JSON always writes; they are never changed. The result shares what was
 * not merged with both.
 *
 * @see {@link https://kubernetes.io/docs/tasks/manage-kubernetes-objects/update-api-object-kubectl-patch/ | strategic
 *   merge patch}
 */
import { Plans } from '../codec/plan.ts';
import { goJsonKind, goTypeName } from '../go-format.ts';
import { keysOf, memberOf, sortedCopy, sortMembers } from '../members.ts';
import type { SchemaRegistry } from '../schema.ts';
import { badRequest, plainError } from '../status.ts';
import { createMap, isObject, type JsonObject, type JsonValue } from '../value.ts';
import {
  deleteValues,
  itemsOf,
  mergeScalars,
  mergeWithOrder,
  orderLike,
  unknownDirective,
  validateOrder,
  type ListShape,
} from './merge-lists.ts';
import { PatchMetaLookup, type ValueType } from './patch-meta.ts';
import { restoreProblem } from './restore-problem.ts';

const DIRECTIVE = '$patch';
const RETAIN_KEYS = '$retainKeys';
const DELETE_FROM = '$deleteFromPrimitiveList';
const ELEMENT_ORDER = '$setElementOrder';

export interface StrategicMerge {
  /**
   * `original`, an object of the type, with the patch merged into it.
   * @throws StatusError 400 for a malformed directive, 422 for lists of lists, 500 for what the schema cannot merge.
   */
  apply(original: JsonObject, patch: JsonObject, typeId: string): JsonObject;
  /** The first value of a result that does not fit its type, in upstream's words; undefined where all fit. */
  problemOf(result: JsonObject, typeId: string): string | undefined;
}

/**
 * The patch in a request body.
 * @throws StatusError 400 when it is not an object.
 */
export function decodeStrategicMergePatch(body: JsonValue): JsonObject {
  if (body === null) return createMap();
  if (isObject(body)) return body;
  throw badRequest(`json: cannot unmarshal ${goJsonKind(body)} into Go value of type map[string]interface {}`);
}

export function createStrategicMerge(schemas: SchemaRegistry): StrategicMerge {
  const merger = new Merger(new PatchMetaLookup(schemas));
  const plans = new Plans(schemas);
  return {
    apply: (original, patch, typeId) => merger.mergeObjects(original, patch, { kind: 'struct', name: typeId }),
    problemOf: (result, typeId) => restoreProblem(plans, typeId, result),
  };
}

class Merger {
  readonly #meta: PatchMetaLookup;

  constructor(meta: PatchMetaLookup) {
    this.#meta = meta;
  }

  mergeObjects(original: JsonObject, patch: JsonObject, type: ValueType): JsonObject {
    const directive = memberOf(patch, DIRECTIVE);
    if (directive !== undefined) return replaceOrDelete(directive, patch);
    const merged = sortedCopy(original);
    const rest = new Map(keysOf(patch).map((key): [string, JsonValue] => [key, memberOf(patch, key)!]));
    retainKeys(merged, rest);
    this.#mergeOrderedLists(merged, rest, type);
    for (const [key, value] of rest) this.#mergeMember(merged, key, value, type);
    sortMembers(merged);
    return merged;
  }

  #mergeMember(merged: JsonObject, key: string, patch: JsonValue, type: ValueType): void {
    const isDeletion = key.startsWith(DELETE_FROM);
    const name = isDeletion ? listName(key, DELETE_FROM, 'primitive list') : key;
    const current = merged[name];
    if (patch === null) delete merged[name];
    else if (Array.isArray(current) && Array.isArray(patch))
      merged[name] = this.#mergeLists(current, patch, name, type, isDeletion);
    else if (isObject(current) && isObject(patch)) merged[name] = this.#mergeMembers(current, patch, name, type);
    else if (!isDeletion || (current !== undefined && goTypeName(current) === goTypeName(patch)))
      setNew(merged, name, withoutNulls(patch));
  }

  #mergeMembers(current: JsonObject, patch: JsonObject, name: string, type: ValueType): JsonObject {
    const meta = this.#meta.member(type, name);
    return meta.strategy === 'replace' ? patch : this.mergeObjects(current, patch, meta.type);
  }

  #mergeLists(
    current: JsonValue[],
    patch: JsonValue[],
    name: string,
    type: ValueType,
    isDeletion: boolean,
  ): JsonValue[] {
    const meta = this.#meta.list(type, name);
    if (meta.strategy !== 'merge' && !isDeletion) return patch;
    if (current.length === 0 && patch.length === 0) return current;
    if (itemsOf(current, patch) !== 'map')
      return isDeletion ? deleteValues(current, patch) : mergeScalars(current, patch);
    if (meta.mergeKey === '') throw plainError(`cannot merge lists without merge key for ${meta.type.kind}`);
    return mergeWithOrder(current, patch, meta.mergeKey, (item, change) => this.mergeObjects(item, change, meta.type));
  }

  /** Merges each list that has a `$setElementOrder`, and takes both out of the patch. */
  #mergeOrderedLists(merged: JsonObject, rest: Map<string, JsonValue>, type: ValueType): void {
    for (const [key, order] of [...rest]) {
      if (!key.startsWith(ELEMENT_ORDER)) continue;
      rest.delete(key);
      const orderList = asList(order);
      const name = listName(key, ELEMENT_ORDER, 'setElementOrder list');
      const current = merged[name] === undefined ? undefined : asList(merged[name]);
      const patch = rest.has(name) ? asList(rest.get(name)!) : undefined;
      const { mergeKey } = this.#meta.list(type, name);
      validateOrder(patch ?? [], orderList, mergeKey, DIRECTIVE);
      if (current === undefined && patch === undefined) continue;
      merged[name] = this.#mergeOrdered(current, patch, orderList, name, type);
      rest.delete(name);
    }
  }

  #mergeOrdered(
    current: JsonValue[] | undefined,
    patch: JsonValue[] | undefined,
    order: JsonValue[],
    name: string,
    type: ValueType,
  ): JsonValue[] {
    const list = this.#contentsOf(current, patch, name, type);
    const { mergeKey } = this.#meta.list(type, name);
    const shape: ListShape = { mergeKey, ofMaps: itemsOf(current ?? [], patch ?? []) === 'map' || mergeKey !== '' };
    return orderLike(list, order, current ?? [], shape);
  }

  #contentsOf(
    current: JsonValue[] | undefined,
    patch: JsonValue[] | undefined,
    name: string,
    type: ValueType,
  ): JsonValue[] {
    if (patch === undefined) return current ?? [];
    return current === undefined
      ? (withoutDirectives(patch) as JsonValue[])
      : this.#mergeLists(current, patch, name, type, false);
  }
}

function replaceOrDelete(directive: JsonValue, patch: JsonObject): JsonObject {
  if (directive === 'delete') return createMap();
  if (directive !== 'replace') throw unknownDirective(directive, patch);
  const replacement = sortedCopy(patch);
  delete replacement[DIRECTIVE];
  return replacement;
}

/** Drops the members that `$retainKeys` does not name; what the patch sets must be named. */
function retainKeys(merged: JsonObject, rest: Map<string, JsonValue>): void {
  const list = rest.get(RETAIN_KEYS);
  if (list === undefined) return;
  rest.delete(RETAIN_KEYS);
  if (!Array.isArray(list)) throw badRequest('invalid patch format of retainKeys');
  const kept = new Set(list);
  for (const [key, value] of rest) {
    if (value === null || key.startsWith(DELETE_FROM) || key.startsWith(ELEMENT_ORDER)) continue;
    if (!kept.has(key)) throw badRequest('invalid patch format of retainKeys');
  }
  for (const key of Object.keys(merged)) if (!kept.has(key)) delete merged[key];
}

/** `finalizers` of `$setElementOrder/finalizers`. */
function listName(key: string, directive: string, format: string): string {
  if (!key.startsWith(`${directive}/`)) throw badRequest(`invalid patch format of ${format}`);
  return key.slice(directive.length + 1);
}

function asList(value: JsonValue): JsonValue[] {
  if (!Array.isArray(value)) throw plainError(`expected a []interface {}, but received a ${goTypeName(value)}`);
  return value;
}

function setNew(merged: JsonObject, name: string, patch: JsonValue): void {
  const value = withoutDirectives(patch);
  if (value === undefined) delete merged[name];
  else merged[name] = value;
}

/** The value without objects that carry `$patch`; undefined when it is one. */
function withoutDirectives(value: JsonValue): JsonValue | undefined {
  if (Array.isArray(value)) return value.map(withoutDirectives).filter((item) => item !== undefined);
  if (!isObject(value)) return value;
  if (memberOf(value, DIRECTIVE) !== undefined) return undefined;
  return mapMembers(value, withoutDirectives);
}

/** The value without null members, at any depth; nulls that are items of a list stay. */
function withoutNulls(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map(withoutNulls);
  return isObject(value) ? mapMembers(value, (member) => (member === null ? undefined : withoutNulls(member))) : value;
}

function mapMembers(object: JsonObject, change: (member: JsonValue) => JsonValue | undefined): JsonObject {
  const copy = sortedCopy(object);
  for (const key of Object.keys(copy)) {
    const member = change(copy[key]!);
    if (member === undefined) delete copy[key];
    else copy[key] = member;
  }
  return copy;
}
