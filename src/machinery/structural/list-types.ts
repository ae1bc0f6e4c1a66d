/**
 * Items of sets and maps differ. @see {@link
 * https://kubernetes.io/docs/reference/using-api/server-side-apply/#merge-strategy | Merge strategy}
 */
import { duplicate } from '../field-error.ts';
import type { FieldErrors } from '../field-errors.ts';
import type { FieldPath } from '../field-path.ts';
import { goSyntax } from '../go-format.ts';
import { GoSyntax } from '../go-quote.ts';
import { stringifyJson } from '../json/writer.ts';
import { keysOf, memberOf } from '../members.ts';
import { isObject, type JsonObject, type JsonValue } from '../value.ts';
import type { Structural } from './schema.ts';

export function checkListTypes(
  value: JsonValue | undefined,
  schema: Structural,
  path: FieldPath,
  errors: FieldErrors,
): void {
  if (Array.isArray(value)) {
    checkItems(value, schema, path, errors);
    const { items } = schema;
    if (items !== undefined)
      for (const [i, item] of value.entries()) checkListTypes(item, items, path.index(i), errors);
    return;
  }
  if (!isObject(value)) return;
  for (const name of keysOf(value)) {
    const property = schema.properties.get(name);
    if (property !== undefined) checkListTypes(value[name], property, path.child(name), errors);
    else if (schema.additional !== undefined && schema.additional !== true)
      checkListTypes(value[name], schema.additional, path.key(name), errors);
  }
}

function checkItems(
  items: readonly JsonValue[],
  { listType, listMapKeys, items: itemSchema }: Structural,
  path: FieldPath,
  errors: FieldErrors,
): void {
  if (listType !== 'set' && listType !== 'map') return;
  const seen = new Set<string>();
  for (const [i, item] of items.entries()) {
    const identity = listType === 'set' ? item : keysOfItem(item, listMapKeys, itemSchema);
    if (identity === undefined) continue;
    const text = stringifyJson(identity);
    if (seen.has(text))
      errors.push(
        duplicate(
          path.index(i),
          typeof identity === 'string' || typeof identity === 'number' || typeof identity === 'boolean'
            ? identity
            : new GoSyntax(goSyntax(identity)),
        ),
      );
    seen.add(text);
  }
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
