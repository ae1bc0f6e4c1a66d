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

/** Entries with the same id are one. Who applies has one entry, whatever the version. */
export function managerId({ manager, operation, apiVersion, subresource }: ManagerName): string {
  const name = manager === '' ? '' : `"manager":${JSON.stringify(manager)},`;
  const version = operation === 'Apply' ? '' : `,"apiVersion":${JSON.stringify(apiVersion)}`;
  const part = subresource === '' ? '' : `,"subresource":${JSON.stringify(subresource)}`;
  return `{${name}"operation":"${operation}"${version}${part}}`;
}

/**
 * The table of recorded entries.
 * @throws Error for entries that nobody can have recorded.
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
  if (fieldsType !== 'FieldsV1') throw new Error(`invalid fieldsType ${JSON.stringify(fieldsType)} in managed fields entry ${index}`);
  return { manager, operation, apiVersion, subresource, time, fields: readFields(fieldsV1), recorded: fieldsV1 };
}

function readFields(fields: unknown): FieldSet {
  if (fields === undefined || fields === null) return FieldSet.empty;
  if (fields instanceof RawJson) return parseFieldsText(fields.text);
  if (isObject(fields)) return parseFields(fields);
  throw new Error('fieldsV1 is no object');
}

/** The entries of a table, sorted as upstream sorts them; undefined when nobody owns anything. */
export function writeManagers(table: ManagerTable): ManagedFieldsEntry[] | undefined {
  return table.size === 0 ? undefined : [...table.values()].map(writeManager).sort(compareEntries);
}

/** Every member is there, absent ones as undefined: entries of one shape are quick to make and to write. */
function writeManager({ manager, operation, apiVersion, subresource, time, fields, recorded }: Manager): ManagedFieldsEntry {
  return {
    manager: manager === '' ? undefined : manager, operation, apiVersion, time, fieldsType: 'FieldsV1',
    fieldsV1: recorded ?? new RawJson(fieldsText(fields)).asValue(), subresource: subresource === '' ? undefined : subresource,
  } as ManagedFieldsEntry;
}

function compareEntries(a: ManagedFieldsEntry, b: ManagedFieldsEntry): number {
  return compareText(a.operation!, b.operation!)
    || (a.time === b.time ? 0 : secondsOf(a.time) - secondsOf(b.time))
    || compareText(a.manager ?? '', b.manager ?? '')
    || compareText(a.apiVersion!, b.apiVersion!)
    || compareText(a.subresource ?? '', b.subresource ?? '');
}

export const secondsOf = (time: string | undefined): number => (time === undefined ? 0 : Math.floor(Date.parse(time) / 1000) || 0);

const MAX_UPDATERS = 10;
const ANCIENT_CHANGES = 'ancient-changes';

/**
 * Merges the oldest updaters of each version into one bucket, until ten are left. The first one met of a version
 * becomes the bucket when a second follows.
 *
 * @NOTE differs from upstream: a bucket that is met after an older updater keeps its fields. Upstream pours it into
 * itself and drops it.
 */
export function capUpdaters(table: Map<string, Manager>): void {
  const updaters = [...table].filter(([, { operation }]) => operation === 'Update');
  if (updaters.length <= MAX_UPDATERS) return;
  updaters.sort(([a, { time: s }], [b, { time: t }]) => (s === t ? 0 : secondsOf(s) - secondsOf(t)) || compareText(a, b));
  const firstOfVersion = new Map<string, string>();
  let count = updaters.length;
  for (const [id, updater] of updaters) {
    if (count <= MAX_UPDATERS) return;
    const first = firstOfVersion.get(updater.apiVersion);
    if (first === undefined) {
      firstOfVersion.set(updater.apiVersion, id);
    } else {
      pour(table, first, id, updater);
      count--;
    }
  }
}

function pour(table: Map<string, Manager>, first: string, id: string, { apiVersion, time }: Manager): void {
  const name: ManagerName = { manager: ANCIENT_CHANGES, operation: 'Update', apiVersion, subresource: '' };
  const bucketId = managerId(name);
  const takesFirst = id === bucketId || !table.has(bucketId);
  const fields = [id, bucketId, ...(takesFirst ? [first] : [])].reduce((sum, from) => sum.union(table.get(from)?.fields ?? FieldSet.empty), FieldSet.empty);
  if (takesFirst) table.delete(first);
  table.delete(id);
  table.set(bucketId, { ...name, fields, time });
}
