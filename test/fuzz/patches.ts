import assert from 'node:assert/strict';
import { parseJson } from '../../src/machinery/json/reader.ts';
import { stringifyJson } from '../../src/machinery/json/writer.ts';
import { isObject, type JsonObject, type JsonValue } from '../../src/machinery/value.ts';
import { attempt } from './parts.ts';

/**
 * Reads a list of document and patch and applies one to the other: it is done or refused with a status, and whatever
 * comes of it the document stays as it was. Undefined where there is no result.
 */
export function applyPatch(
  input: Buffer,
  apply: (document: JsonObject, patch: JsonValue) => JsonValue,
): JsonValue | undefined {
  const pair = attempt(() => parseJson(input), 'JsonSyntaxError', 'JsonTypeError');
  if (!Array.isArray(pair)) return undefined;
  const [document, patch = null] = pair;
  if (!isObject(document)) return undefined;
  const before = stringifyJson(document);
  const result = attempt(() => apply(document, patch), 'StatusError');
  assert.equal(stringifyJson(document), before);
  return result;
}
