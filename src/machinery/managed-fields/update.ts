/** Ownership of what a create, PUT or patch changed. */
import { BoundedCache } from '../../base/bounded-cache.ts';
import { keysOf } from '../members.ts';
import { asJson, type KubeObject, type ManagedFieldsEntry } from '../object-meta.ts';
import { type JsonObject, RawJson } from '../value.ts';
import { FieldSet } from './field-set.ts';
import { setBytesPerChar } from './fields-v1.ts';
import {
  capUpdaters,
  managerId,
  noManagers,
  readManagers,
  writeManagers,
  type Manager,
  type ManagerName,
  type ManagerTable,
} from './manager-table.ts';
import type { MergeType } from './merge-type.ts';
import {
  filterOf,
  encodingOf,
  hasUid,
  nameOf,
  reconcile,
  timeText,
  unmanaged,
  withManagers,
  type OwnershipRequest,
} from './request.ts';
import { removeDisowned } from './remove-disowned.ts';
import { shapeOf } from './shape.ts';
import { TypeMismatch } from './typed-value.ts';
import type { FieldFilter, Versions } from './versions.ts';

export interface UpdateRequest extends OwnershipRequest {
  /** As the request makes it, with defaults. Its managedFields count when the client sent some. */
  readonly object: KubeObject;
}

/** The managedFields of the object; undefined where they cannot be told, or were never kept. */
export function recordUpdate(request: UpdateRequest, versions: Versions): ManagedFieldsEntry[] | undefined {
  const table = tableForUpdate(request);
  if (table.size === 0 && hasUid(request.live)) return undefined;
  try {
    return writeManagers(
      track(request, request.object, nameOf(request, 'Update'), reconcile(table, versions), versions),
    );
  } catch (error) {
    // RangeError: nested deeper than the stack is. Such an object is refused elsewhere.
    if (error instanceof TypeMismatch || error instanceof RangeError) return undefined;
    throw error;
  }
}

/**
 * The owners a change starts from. A client that knows managedFields may send them changed; one that does not must
 * not delete them by leaving them out; an empty list, or one empty entry, resets them. Subresources cannot set them.
 */
function tableForUpdate({ live, object, subresource }: UpdateRequest): ManagerTable {
  const sent = object.metadata?.managedFields;
  if (subresource === '' && sent !== undefined) {
    if (sent.length === 0 || (sent.length === 1 && keysOf(sent[0] as JsonObject).length === 0)) return noManagers;
    const table = readOrNothing(sent);
    if (table.size > 0) return inOrder(table, live?.metadata?.managedFields ?? []);
  }
  return readOrNothing(live?.metadata?.managedFields);
}

/**
 * A client may send the fields of an entry in any order; they are stored in one, so that the same fields are the same
 * text.
 */
function inOrder(table: ManagerTable, live: readonly ManagedFieldsEntry[]): ManagerTable {
  const texts = new Set(live.map(({ fieldsV1 }) => textOf(fieldsV1)));
  const isStored = (text: string | undefined): boolean => text !== undefined && texts.has(text);
  return new Map(
    [...table].map(([id, manager]) => [
      id,
      isStored(textOf(manager.recorded)) ? manager : { ...manager, recorded: undefined },
    ]),
  );
}

/** Undefined for what is no text. */
const textOf = (fields: unknown): string | undefined => (fields instanceof RawJson ? fields.text : undefined);

function readOrNothing(entries: readonly ManagedFieldsEntry[] | undefined): ManagerTable {
  try {
    return readManagers(entries);
  } catch {
    return noManagers;
  }
}

/** The table after the change from the live object, or from nothing, to `object`. */
export function track(
  request: OwnershipRequest,
  object: KubeObject,
  name: ManagerName,
  table: ManagerTable,
  versions: Versions,
): Map<string, Manager> {
  if (request.live === undefined && table.size === 0) return managersOfCreate(request, object, name, versions);
  const comparisons = comparisonsOf(request, object, versions);
  const tracked = new Map(table);
  removeDisowned(tracked, undefined, comparisons);
  const { removed, modified, added } = comparisons(request.apiVersion)!;
  const taken = takenOf(modified, added);
  const id = managerId(name);
  if (!taken.isEmpty) tracked.set(id, taking(name, table.get(id), taken, removed, timeText(request.now)));
  capUpdaters(tracked);
  return tracked;
}

const comparisonsOf = (
  request: OwnershipRequest,
  object: KubeObject,
  versions: Versions,
): ReturnType<Versions['comparisons']> =>
  versions.comparisons(
    comparable(request, request.live ?? {}),
    comparable(request, object),
    filterOf(request.resetFields),
    encodingOf(request),
  );

const takenOf = (modified: FieldSet, added: FieldSet): FieldSet => modified.union(added).difference(unmanaged);

/** What creates took, by the shape of their objects. Types rarely have a shape in common, and may. */
const recentCreates = new BoundedCache<{
  readonly type: MergeType;
  readonly filter: FieldFilter;
  readonly taken: FieldSet;
}>({ maxBytes: 4 * 1024 * 1024, maxKeyLength: 16 * 1024, bytesOf: (_, { length }) => length * setBytesPerChar });

function managersOfCreate(
  request: OwnershipRequest,
  object: KubeObject,
  name: ManagerName,
  versions: Versions,
): Map<string, Manager> {
  const taken = takenByCreate(request, object, versions);
  const table = new Map<string, Manager>();
  if (!taken.isEmpty) table.set(managerId(name), taking(name, undefined, taken, FieldSet.empty, timeText(request.now)));
  return table;
}

/** Clients create the same over and over: with other names and values, but with the same fields. */
function takenByCreate(request: OwnershipRequest, object: KubeObject, versions: Versions): FieldSet {
  const { type } = versions.current;
  const filter = filterOf(request.resetFields);
  const shape = encodingOf(request) === 'normalized' ? shapeOf(type, asJson(object)) : undefined;
  const known = shape === undefined ? undefined : recentCreates.get(shape);
  if (known !== undefined && known.type === type && known.filter === filter) return known.taken;
  const { modified, added } = comparisonsOf(request, object, versions)(request.apiVersion)!;
  const taken = takenOf(modified, added);
  if (shape !== undefined) recentCreates.set(shape, { type, filter, taken });
  return taken;
}

/** The managed fields themselves are not compared; a built-in type leaves them out. */
const comparable = (request: OwnershipRequest, object: KubeObject): JsonObject =>
  asJson(encodingOf(request) === 'normalized' ? object : withManagers(object, undefined));

function taking(
  name: ManagerName,
  previous: Manager | undefined,
  taken: FieldSet,
  removed: FieldSet,
  time: string,
): Manager {
  const fields = previous === undefined ? taken : previous.fields.difference(removed).union(taken);
  return { ...name, fields, time, recorded: fields === previous?.fields ? previous.recorded : undefined };
}
