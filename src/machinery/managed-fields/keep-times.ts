import { isEqual } from '../equal.ts';
import type { KubeObject, ManagedFieldsEntry } from '../object-meta.ts';
import { RawJson } from '../value.ts';

/**
 * The changed object, with the recorded times where nothing but times differs from the live one: such a change writes
 * nothing. To be called after everything that changes the object.
 */
export function keepTimes<T extends KubeObject>(object: T, live: KubeObject): T {
  const entries = object.metadata?.managedFields ?? [];
  const recorded = live.metadata?.managedFields ?? [];
  if (entries.length === 0 || entries.length !== recorded.length) return object;
  if (entries.every(({ time }, index) => time === recorded[index]!.time)) return object;
  if (!entries.every((entry, index) => sameButTime(entry, recorded[index]!)) || !sameButManagers(object, live)) return object;
  return { ...object, metadata: { ...object.metadata, managedFields: entries.map((entry, index) => withTime(entry, recorded[index]!.time)) } };
}

function sameButTime({ time: _t, fieldsV1: fields, ...rest }: ManagedFieldsEntry, { time: _u, fieldsV1: recorded, ...before }: ManagedFieldsEntry): boolean {
  return isEqual(rest, before) && sameFields(fields, recorded);
}

const sameFields = (a: unknown, b: unknown): boolean => (a instanceof RawJson && b instanceof RawJson ? a.text === b.text : isEqual(a, b));

const sameButManagers = (a: KubeObject, b: KubeObject): boolean => isEqual(withoutManagers(a), withoutManagers(b));

const withoutManagers = (object: KubeObject): KubeObject => ({ ...object, metadata: { ...object.metadata, managedFields: [] } });

function withTime({ time: _, ...entry }: ManagedFieldsEntry, time: string | undefined): ManagedFieldsEntry {
  return time === undefined ? entry : { ...entry, time };
}
