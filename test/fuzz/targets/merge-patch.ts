import assert from 'node:assert/strict';
import { stringifyJson } from '../../../src/machinery/json/writer.ts';
import { applyMergePatch, decodeMergePatch } from '../../../src/machinery/patch/merge-patch.ts';
import { isObject, type JsonObject, type JsonValue } from '../../../src/machinery/value.ts';
import { randomObject } from '../../support/random.ts';
import { changed, expectWithin } from '../parts.ts';
import { applyPatch } from '../patches.ts';
import type { FuzzTarget } from '../target.ts';

/** RFC 7396, section 2, for patches without lists, in which upstream differs. */
function reference(document: JsonValue, patch: JsonValue): JsonValue {
  if (!isObject(patch)) return patch;
  const merged = new Map(isObject(document) ? Object.entries(document) : []);
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) merged.delete(key);
    else merged.set(key, reference(merged.get(key) ?? null, value!));
  }
  return Object.fromEntries(merged) as JsonObject;
}

const hasList = (value: JsonValue | undefined): boolean =>
  Array.isArray(value) || (isObject(value) && Object.values(value).some(hasList));

export const target: FuzzTarget = {
  about: 'merge patches: a list of the document and the patch',
  runs: 4_000,
  generate: (random) =>
    changed(random, Buffer.from(JSON.stringify([randomObject(random, 4), randomObject(random, 4)]))),
  check(input) {
    let expected: JsonValue | undefined;
    const result = applyPatch(input, (document, patch) => {
      const merged = applyMergePatch(document, decodeMergePatch(patch, 'Strict'));
      if (!hasList(patch) && !stringifyJson(patch).includes('__proto__')) expected = reference(document, patch);
      return merged;
    });
    if (result === undefined) return;
    expectWithin(stringifyJson(result).length, 6 * input.length, 'characters of the result');
    if (expected !== undefined) assert.equal(stringifyJson(result), stringifyJson(expected));
  },
};
