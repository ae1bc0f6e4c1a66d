/**
 * JSON Merge Patch, RFC 7396, as the API server applies it.
 *
 * @NOTE differs from the RFC, with upstream: a value that replaces something other than an object loses null members
 * inside its arrays too, and a patch that is neither object nor array is refused.
 *
 * The document is never changed; the result shares what the patch did not reach with both.
 *
 * @see {@link https://www.rfc-editor.org/rfc/rfc7396 | RFC 7396}
 */
import { badRequest } from '../status.ts';
import { goJsonKind } from '../go-format.ts';
import { keysOf, memberOf, sortedCopy, sortMembers } from '../members.ts';
import { isObject, type JsonObject, type JsonValue } from '../value.ts';
import type { FieldValidation } from './json-patch-document.ts';

/**
 * The patch in a request body.
 * @throws StatusError 400 when it is not an object (under Ignore an array passes, and replaces the document).
 */
export function decodeMergePatch(body: JsonValue, validation: FieldValidation): JsonObject | JsonValue[] {
  if (isObject(body)) return body;
  if (body === null) throw badRequest('Invalid JSON Patch');
  if (validation !== 'Ignore')
    throw badRequest(
      `error decoding patch: json: cannot unmarshal ${goJsonKind(body)} into Go value of type map[string]interface {}`,
    );
  if (Array.isArray(body)) return body;
  throw badRequest('Invalid JSON Patch');
}

/** The document with the patch merged into it. */
export function applyMergePatch(document: JsonValue, patch: JsonObject | JsonValue[]): JsonValue {
  if (Array.isArray(patch)) return patch.map((item) => withoutNulls(item));
  return isObject(document) ? mergeMembers(document, patch) : withoutNulls(patch);
}

function mergeMembers(document: JsonObject, patch: JsonObject): JsonObject {
  const merged = sortedCopy(document);
  for (const key of keysOf(patch)) {
    const value = memberOf(patch, key)!;
    if (value === null) delete merged[key];
    else merged[key] = mergeValue(merged[key], value);
  }
  sortMembers(merged);
  return merged;
}

function mergeValue(current: JsonValue | undefined, patch: JsonValue): JsonValue {
  if (!isObject(current)) return withoutNulls(patch);
  return isObject(patch) ? mergeMembers(current, patch) : patch;
}

/** Without the null members of objects, at any depth; nulls that are items of an array stay. */
function withoutNulls(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map(withoutNulls);
  if (!isObject(value)) return value;
  const pruned = sortedCopy(value);
  for (const key of Object.keys(pruned)) {
    if (pruned[key] === null) delete pruned[key];
    else pruned[key] = withoutNulls(pruned[key]!);
  }
  return pruned;
}
