/**
 * Items of sets and maps differ. @see {@link
 * https://kubernetes.io/docs/reference/using-api/server-side-apply/#merge-strategy | Merge strategy}
 */
import { duplicate, invalid, type ShownValue } from '../field-error.ts';
import type { FieldErrors } from '../field-errors.ts';
import type { FieldPath } from '../field-path.ts';
import { goSyntax, goValue } from '../go-format.ts';
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
  if (listType === 'map') {
    const wrong = items.findIndex((item) => item !== null && !isObject(item));
    if (wrong !== -1)
      return void errors.push(
        invalid(path.index(wrong), shown(items[wrong]!), 'must be an object for an array of list-type map'),
      );
  }
  /** How often each was there. What is there three times is told once. */
  const seen = new Map<string, number>();
  for (const [i, item] of items.entries()) {
    const identity = listType === 'set' ? item : keysOfItem(item, listMapKeys, itemSchema);
    const text = stringifyJson(identity);
    const times = seen.get(text) ?? 0;
    if (times === 1) errors.push(duplicate(path.index(i), shown(identity)));
    seen.set(text, times + 1);
  }
}

const shown = (value: JsonValue): ShownValue =>
  typeof value === 'string' || typeof value === 'boolean' || value === null
    ? value
    : new GoSyntax(typeof value === 'number' ? goValue(value) : goSyntax(value));

/** Null is an object without keys. */
function keysOfItem(item: JsonValue, keys: readonly string[], schema: Structural | undefined): JsonObject {
  const found: JsonObject = {};
  for (const key of isObject(item) ? keys : []) {
    const value = memberOf(item as JsonObject, key) ?? schema?.properties.get(key)?.default;
    if (value !== undefined) found[key] = value;
  }
  return found;
}
