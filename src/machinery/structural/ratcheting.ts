/**
 * Validation ratcheting: a value that an update leaves unchanged is not validated again, so that a schema can become
 * stricter without refusing updates of other parts.
 *
 * @see {@link https://kep.k8s.io/4008 | KEP-4008}
 */
import { stringifyJson } from '../json/writer.ts';
import { memberOf } from '../members.ts';
import { isObject, type JsonObject, type JsonValue } from '../value.ts';
import type { StepLimit } from './step-limit.ts';

/** @param old undefined when there was none, or it cannot be determined */
export const isUnchanged = (old: JsonValue | undefined, value: JsonValue, work: StepLimit): boolean =>
  old !== undefined && work.isSame(old, value);

export const oldMember = (old: JsonValue | undefined, key: string): JsonValue | undefined =>
  isObject(old) ? memberOf(old, key) : undefined;

/** Finds the item of the old list that an item was: by its keys, and never in a list without keys. */
export function oldItems(
  old: JsonValue | undefined,
  schema: JsonObject,
  items: JsonObject,
): (item: JsonValue) => JsonValue | undefined {
  const keys = memberOf(schema, 'x-kubernetes-list-map-keys');
  if (!Array.isArray(old) || memberOf(schema, 'x-kubernetes-list-type') !== 'map' || !Array.isArray(keys))
    return () => undefined;
  const properties = memberOf(items, 'properties');
  const idOf = (item: JsonValue): string =>
    isObject(item)
      ? stringifyJson((keys as string[]).map((key) => memberOf(item, key) ?? defaultOf(properties, key)))
      : '';
  const byId = new Map(old.map((item) => [idOf(item), item]));
  return (item) => byId.get(idOf(item));
}

function defaultOf(properties: JsonValue | undefined, key: string): JsonValue {
  const property = isObject(properties) ? memberOf(properties, key) : undefined;
  return (isObject(property) ? memberOf(property, 'default') : undefined) ?? null;
}
