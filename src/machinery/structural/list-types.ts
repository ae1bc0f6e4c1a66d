/** Items of sets and maps differ. @see {@link https://kubernetes.io/docs/reference/using-api/server-side-apply/#merge-strategy | Merge strategy} */
import { duplicate, type FieldError } from '../field-error.ts';
import type { FieldPath } from '../field-path.ts';
import { goSyntax } from '../go-format.ts';
import { GoSyntax } from '../go-quote.ts';
import { stringifyJson } from '../json/writer.ts';
import { keysOf, memberOf } from '../members.ts';
import { isObject, type JsonObject, type JsonValue } from '../value.ts';
import type { Structural } from './schema.ts';

export function checkListTypes(value: JsonValue | undefined, schema: Structural, path: FieldPath): FieldError[] {
  if (Array.isArray(value)) {
    const { items } = schema;
    return [...checkItems(value, schema, path), ...(items === undefined ? [] : value.flatMap((item, i) => checkListTypes(item, items, path.index(i))))];
  }
  if (!isObject(value)) return [];
  return keysOf(value).flatMap((name) => {
    const property = schema.properties.get(name);
    if (property !== undefined) return checkListTypes(value[name], property, path.child(name));
    return schema.additional === undefined || schema.additional === true ? [] : checkListTypes(value[name], schema.additional, path.key(name));
  });
}

function checkItems(items: readonly JsonValue[], { listType, listMapKeys, items: itemSchema }: Structural, path: FieldPath): FieldError[] {
  if (listType !== 'set' && listType !== 'map') return [];
  const identities = items.map((item) => (listType === 'set' ? item : keysOfItem(item, listMapKeys, itemSchema)));
  const seen = new Set<string>();
  return identities.flatMap((identity, i) => {
    if (identity === undefined) return [];
    const text = stringifyJson(identity);
    if (!seen.has(text)) {
      seen.add(text);
      return [];
    }
    return [duplicate(path.index(i), typeof identity === 'string' || typeof identity === 'number' || typeof identity === 'boolean' ? identity : new GoSyntax(goSyntax(identity)))];
  });
}

function keysOfItem(item: JsonValue, keys: readonly string[], schema: Structural | undefined): JsonObject | undefined {
  if (!isObject(item)) return undefined;
  const found: JsonObject = {};
  for (const key of keys) {
    const value = memberOf(item, key) ?? schema?.properties.get(key)?.default;
    if (value !== undefined) found[key] = value;
  }
  return found;
}
