/**
 * `metadata.managedFields` as a table of managers: reading, writing, and the rules of the table itself.
 */
import type { ManagedFieldsEntry } from '../object-meta.ts';
import { compareText } from '../compare-text.ts';
import { isObject, RawJson, type JsonValue } from '../value.ts';
import { FieldSet } from './field-set.ts';
import { fieldsText, parseFields, parseFieldsText } from './fields-v1.ts';

export type Operation = 'Apply' | 'Update';

export interface ManagerName {
  readonly manager: string;
  readonly operation: Operation;
  readonly apiVersion: string;
  readonly subresource: string;
}

export interface Manager extends ManagerName {
  readonly fields: FieldSet;
  /** RFC 3339; absent when the manager applied what was there already. */
  readonly time: string | undefined;
  /** The fields as they were read; they are written again when unchanged. */
  readonly recorded?: JsonValue | undefined;
}

/** By {@link managerId}. */
export type ManagerTable = ReadonlyMap<string, Manager>;

export const noManagers: ManagerTable = new Map();

/** Entries with the same id are one. A manager that applies has one entry, whatever the version. */
export function managerId({ manager, operation, apiVersion, subresource }: ManagerName): string {
  const name = manager === '' ? '' : `"manager":${JSON.stringify(manager)},`;
  const version = operation === 'Apply' ? '' : `,"apiVersion":${JSON.stringify(apiVersion)}`;
  const part = subresource === '' ? '' : `,"subresource":${JSON.stringify(subresource)}`;
  return `{${name}"operation":"${operation}"${version}${part}}`;
}

/**
 * The table of recorded entries.
 * @throws Error for invalid entries.
 */
export function readManagers(entries: readonly ManagedFieldsEntry[] | undefined): ManagerTable {
  if (entries === undefined || entries.length === 0) return noManagers;
  const table = new Map<string, Manager>();
  entries.forEach((entry, index) => {
    const manager = readManager(entry, index);
    table.set(managerId(manager), manager);
  });
  return table;
}

function readManager(entry: ManagedFieldsEntry, index: number): Manager {
  const { manager = '', operation, apiVersion = '', subresource = '', time, fieldsType = '', fieldsV1 } = entry;
  if (operation !== 'Apply' && operation !== 'Update') throw new Error('operation must be `Apply` or `Update`');
  if (apiVersion === '') throw new Error('apiVersion must not be empty');
  if (fieldsType === '') throw new Error(`missing fieldsType in managed fields entry ${index}`);
  if (fieldsType !== 'FieldsV1')
    throw new Error(`invalid fieldsType ${JSON.stringify(fieldsType)} in managed fields entry ${index}`);
  return { manager, operation, apiVersion, subresource, time, fields: readFields(fieldsV1), recorded: fieldsV1 };
}

function readFields(fields: unknown): FieldSet {
  if (fields === undefined || fields === null) return FieldSet.empty;
  if (fields instanceof RawJson) return setOf(fields);
  if (isObject(fields)) return parseFields(fields);
  throw new Error('fieldsV1 is no object');
}

/** A request reads the fields of its objects several times. */
const sets = new WeakMap<RawJson, FieldSet>();

function setOf(fields: RawJson): FieldSet {
  let set = sets.get(fields);
  if (set === undefined) sets.set(fields, (set = parseFieldsText(fields.text)));
  return set;
}

/** The entries of a table, sorted as upstream sorts them; undefined when no field has an owner. */
export function writeManagers(table: ManagerTable): ManagedFieldsEntry[] | undefined {
  if (table.size === 0) return undefined;
  const entries = [...table.values()].map((manager) => ({
    entry: writeManager(manager),
    seconds: secondsOf(manager.time),
  }));
  return entries.sort(compareEntries).map(({ entry }) => entry);
}

/** Every member is there, absent ones as undefined: entries of one shape are quick to make and to write. */
function writeManager({
  manager,
  operation,
  apiVersion,
  subresource,
  time,
  fields,
  recorded,
}: Manager): ManagedFieldsEntry {
  return {
    manager: manager === '' ? undefined : manager,
    operation,
    apiVersion,
    time,
    fieldsType: 'FieldsV1',
    fieldsV1: recorded ?? new RawJson(fieldsText(fields)).asValue(),
    subresource: subresource === '' ? undefined : subresource,
  } as ManagedFieldsEntry;
}

interface DatedEntry {
  readonly entry: ManagedFieldsEntry;
  readonly seconds: number;
}

function compareEntries({ entry: a, seconds }: DatedEntry, { entry: b, seconds: others }: DatedEntry): number {
  return (
    compareText(a.operation!, b.operation!) ||
    seconds - others ||
    compareText(a.manager ?? '', b.manager ?? '') ||
    compareText(a.apiVersion!, b.apiVersion!) ||
    compareText(a.subresource ?? '', b.subresource ?? '')
  );
}

export const secondsOf = (time: string | undefined): number =>
  time === undefined ? 0 : Math.floor(Date.parse(time) / 1000) || 0;

const MAX_UPDATERS = 10;
const ANCIENT_CHANGES = 'ancient-changes';

/**
 * Merges the oldest updaters of each version into one bucket, until ten are left. The first updater of a version
 * becomes the bucket when there is a second one.
 *
 * @NOTE differs from upstream: a bucket that comes after an older updater keeps its fields. Upstream merges it into
 * itself and drops it.
 */
export function capUpdaters(table: Map<string, Manager>): void {
  const updaters = [...table]
    .filter(([, { operation }]) => operation === 'Update')
    .map(([id, manager]) => ({ id, manager, seconds: secondsOf(manager.time) }));
  if (updaters.length <= MAX_UPDATERS) return;
  updaters.sort((a, b) => a.seconds - b.seconds || compareText(a.id, b.id));
  const buckets = new Map<string, Bucket>();
  let count = updaters.length;
  for (const { id, manager } of updaters) {
    if (count <= MAX_UPDATERS) break;
    const bucket = buckets.get(manager.apiVersion);
    if (bucket === undefined) {
      buckets.set(manager.apiVersion, new Bucket(id, manager, table));
    } else {
      bucket.pour(id, manager);
      count--;
    }
  }
  for (const bucket of buckets.values()) bucket.finish();
}

/**
 * What becomes of the oldest updaters of a version. Their fields are put together at the end: each time would take
 * longer.
 */
class Bucket {
  readonly #table: Map<string, Manager>;
  readonly #name: ManagerName;
  readonly #id: string;
  readonly #first: { readonly id: string; readonly fields: FieldSet };
  #parts: FieldSet[] = [];
  #time: string | undefined;

  constructor(id: string, { apiVersion, fields }: Manager, table: Map<string, Manager>) {
    this.#table = table;
    this.#name = { manager: ANCIENT_CHANGES, operation: 'Update', apiVersion, subresource: '' };
    this.#id = managerId(this.#name);
    this.#first = { id, fields };
  }

  pour(id: string, { fields, time }: Manager): void {
    const known = this.#table.get(this.#id);
    if (this.#parts.length === 0 && known !== undefined) this.#parts.push(known.fields);
    if (id === this.#id || (this.#parts.length === 0 && known === undefined)) {
      this.#parts.push(this.#first.fields);
      this.#table.delete(this.#first.id);
    }
    this.#parts.push(fields);
    this.#time = time;
    this.#table.delete(id);
  }

  finish(): void {
    if (this.#parts.length > 0)
      this.#table.set(this.#id, { ...this.#name, fields: FieldSet.unionOf(this.#parts), time: this.#time });
  }
}
