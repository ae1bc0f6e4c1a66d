import { describe, expect, it, test } from 'vitest';
import { randomObject, randomSource } from '../../../test/support/random.ts';
import { jsonEqual, keysOf, memberOf } from '../members.ts';
import { createMap, isObject, type JsonObject, type JsonValue } from '../value.ts';
import type { FieldValidation } from './json-patch-document.ts';
import { applyMergePatch, decodeMergePatch } from './merge-patch.ts';

describe('JSON merge patch, RFC 7396, appendix A', () => {
  test.each<{ original: JsonValue; patch: JsonValue; result: JsonValue }>([
    { original: { a: 'b' }, patch: { a: 'c' }, result: { a: 'c' } },
    { original: { a: 'b' }, patch: { b: 'c' }, result: { a: 'b', b: 'c' } },
    { original: { a: 'b' }, patch: { a: null }, result: {} },
    { original: { a: 'b', b: 'c' }, patch: { a: null }, result: { b: 'c' } },
    { original: { a: ['b'] }, patch: { a: 'c' }, result: { a: 'c' } },
    { original: { a: 'c' }, patch: { a: ['b'] }, result: { a: ['b'] } },
    { original: { a: { b: 'c' } }, patch: { a: { b: 'd', c: null } }, result: { a: { b: 'd' } } },
    { original: { a: [{ b: 'c' }] }, patch: { a: [1] }, result: { a: [1] } },
    { original: ['a', 'b'], patch: ['c', 'd'], result: ['c', 'd'] },
    { original: { a: 'b' }, patch: ['c'], result: ['c'] },
    { original: { e: null }, patch: { a: 1 }, result: { e: null, a: 1 } },
    { original: [1, 2], patch: { a: 'b', c: null }, result: { a: 'b' } },
    { original: {}, patch: { a: { bb: { ccc: null } } }, result: { a: { bb: {} } } },
  ])('JSON merge patch, RFC 7396, appendix A: $original with $patch is $result', ({ original, patch, result }) => {
    expect(applyMergePatch(original, decodeMergePatch(patch, 'Ignore'))).toEqual(result);
  });
});

describe('JSON merge patch as the API server applies it', () => {
  test.each<{ name: string; original: JsonValue; patch: JsonObject; result: JsonValue }>([
    {
      name: 'prunes nulls of objects inside an array that replaces an array',
      original: { a: [1] },
      patch: { a: [{ b: null, c: 1 }, null] },
      result: { a: [{ c: 1 }, null] },
    },
    {
      name: 'keeps them where an array replaces an object',
      original: { a: { x: 1 } },
      patch: { a: [{ b: null }] },
      result: { a: [{ b: null }] },
    },
    { name: 'replaces null', original: { a: null }, patch: { a: { b: null, c: 1 } }, result: { a: { c: 1 } } },
    { name: 'ignores the removal of what is not there', original: { a: 1 }, patch: { b: null }, result: { a: 1 } },
  ])('JSON merge patch as the API server applies it: $name', ({ original, patch, result }) => {
    expect(applyMergePatch(original, patch)).toEqual(result);
  });

  it('JSON merge patch takes keys that are special in JavaScript', () => {
    const patch = JSON.parse('{"__proto__":{"polluted":true},"constructor":null}') as JsonObject;
    const result = applyMergePatch({ a: 1 }, patch) as JsonObject;
    expect(keysOf(result)).toEqual(['__proto__', 'a']);
    expect(memberOf(result, '__proto__')).toEqual({ polluted: true });
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
  });

  it('JSON merge patch puts the members of the objects it opened into key order, and leaves the others alone', () => {
    const original = { kind: 'C', apiVersion: 'v1', metadata: { name: 'a', generation: 1 }, data: { k: 1 } };
    expect(JSON.stringify(applyMergePatch(original, { data: { a: 1 } }))).toBe(
      '{"apiVersion":"v1","data":{"a":1,"k":1},"kind":"C","metadata":{"name":"a","generation":1}}',
    );
  });

  it('JSON merge patch changes neither document nor patch', () => {
    const values = [
      { a: { b: 1 }, l: [{ x: null }] },
      { a: { b: null, c: { d: null } }, l: [{ y: null }] },
    ];
    const before = structuredClone(values);
    applyMergePatch(values[0]!, values[1]!);
    expect(values).toEqual(before);
  });

  it('JSON merge patch reaches any object without nulls from any other by their difference', () => {
    const random = randomSource(7396);
    for (let round = 0; round < 500; round++) {
      const [from, to] = [prune(randomObject(random)), prune(randomObject(random))] as [JsonObject, JsonObject];
      expect(applyMergePatch(from, difference(from, to))).toEqual(to);
    }
  });
});

describe('decoding a JSON merge patch', () => {
  test.each<{ body: JsonValue; validation: FieldValidation; message: string }>([
    {
      body: [],
      validation: 'Warn',
      message: 'error decoding patch: json: cannot unmarshal array into Go value of type map[string]interface {}',
    },
    {
      body: 12,
      validation: 'Strict',
      message: 'error decoding patch: json: cannot unmarshal number into Go value of type map[string]interface {}',
    },
    { body: null, validation: 'Warn', message: 'Invalid JSON Patch' },
    { body: 'x', validation: 'Ignore', message: 'Invalid JSON Patch' },
  ])('Decoding a JSON merge patch refuses $body under $validation', ({ body, validation, message }) => {
    expect(() => decodeMergePatch(body, validation)).toThrow(
      expect.objectContaining({ code: 400, reason: 'BadRequest', message }),
    );
  });
});

/** Without nulls at any depth: what a merge patch can express. */
function prune(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.filter((item) => item !== null).map(prune);
  if (!isObject(value)) return value;
  return Object.fromEntries(
    keysOf(value)
      .filter((key) => value[key] !== null)
      .map((key) => [key, prune(value[key]!)]),
  );
}

/** RFC 7396, section 1, backwards: the patch that makes `to` of `from`. */
function difference(from: JsonObject, to: JsonObject): JsonObject {
  const patch = createMap<JsonValue>();
  for (const key of keysOf(from)) if (memberOf(to, key) === undefined) patch[key] = null;
  for (const key of keysOf(to)) {
    const [before, after] = [memberOf(from, key), memberOf(to, key)!];
    if (isObject(before) && isObject(after)) patch[key] = difference(before, after);
    else if (!jsonEqual(before, after)) patch[key] = after;
  }
  return patch;
}
