import { isEqual } from '../equal.ts';
import { keysOf, memberOf } from '../members.ts';
import { asJson, type KubeObject, type ManagedFieldsEntry } from '../object-meta.ts';
import { isObject, type JsonObject, type JsonValue, RawJson } from '../value.ts';

/** How it became known whether anything but times has changed. */
export type Comparison = 'unequal_objects_fast' | 'unequal_objects_slow' | 'equal_objects';

/**
 * The changed object, with the recorded times where nothing but times differs from the live one: such a change writes
 * nothing. To be called after everything that changes the object.
 *
 * @param isLive whether an object is stored as the live one is: what is empty or names a default may be spelled
 *   otherwise
 * @param compared told how this was found out
 */
export function keepTimes<T extends KubeObject>(
  object: T,
  live: KubeObject,
  isLive: (object: T) => boolean,
  compared: (comparison: Comparison) => void = () => undefined,
): T {
  const entries = object.metadata?.managedFields ?? [];
  const recorded = live.metadata?.managedFields ?? [];
  const differ = (comparison: Comparison): T => {
    compared(comparison);
    return object;
  };
  if (entries.length === 0 || entries.length !== recorded.length) return differ('unequal_objects_fast');
  if (entries.every(({ time }, index) => time === recorded[index]!.time)) return differ('unequal_objects_fast');
  if (!entries.every((entry, index) => sameButTime(entry, recorded[index]!))) return differ('unequal_objects_fast');
  if (!mayBeSame(asJson(object), asJson(live), unstored)) return differ('unequal_objects_slow');
  const asBefore = {
    ...object,
    metadata: {
      ...object.metadata,
      managedFields: entries.map((entry, index) => withTime(entry, recorded[index]!.time)),
    },
  };
  if (!isLive(asBefore)) return differ('unequal_objects_slow');
  compared('equal_objects');
  return asBefore;
}

/** Compared already, or no part of what is stored. */
const unstored: ReadonlySet<string> = new Set(['kind', 'apiVersion', 'managedFields', 'resourceVersion']);

/** Whether two values differ at most in what is empty: most changes are told so, without asking how they are stored. */
function mayBeSame(a: JsonValue | undefined, b: JsonValue | undefined, ignored?: ReadonlySet<string>): boolean {
  if (a === b || (isEmpty(a) && isEmpty(b))) return true;
  if (Array.isArray(a) && Array.isArray(b)) return a.length === b.length && a.every((item, i) => mayBeSame(item, b[i]));
  if (!isObject(a ?? {}) || !isObject(b ?? {})) return isEqual(a, b);
  const [one, other] = [(a ?? {}) as JsonObject, (b ?? {}) as JsonObject];
  return keysOf({ ...one, ...other }).every(
    (key) =>
      ignored?.has(key) === true ||
      mayBeSame(memberOf(one, key), memberOf(other, key), key === 'metadata' ? ignored : undefined),
  );
}

const isEmpty = (value: JsonValue | undefined): boolean =>
  value === undefined ||
  value === null ||
  value === '' ||
  value === 0 ||
  value === false ||
  (Array.isArray(value) && value.length === 0);

function sameButTime(
  { time: _t, fieldsV1: fields, ...rest }: ManagedFieldsEntry,
  { time: _u, fieldsV1: recorded, ...before }: ManagedFieldsEntry,
): boolean {
  return isEqual(rest, before) && sameFields(fields, recorded);
}

const sameFields = (a: unknown, b: unknown): boolean =>
  a instanceof RawJson && b instanceof RawJson ? a.text === b.text : isEqual(a, b);

function withTime({ time: _, ...entry }: ManagedFieldsEntry, time: string | undefined): ManagedFieldsEntry {
  return time === undefined ? entry : { ...entry, time };
}
