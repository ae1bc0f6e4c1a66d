import { createPatch } from 'rfc6902';
import { describe, expect, it, test } from 'vitest';
import { randomJson, randomSource } from '../../../test/support/random.ts';
import { RawJson, type JsonValue } from '../value.ts';
import { decodeJsonPatch, type FieldValidation } from './json-patch-document.ts';
import { apply, failure, refused } from './testing/json-patch.ts';

const carried = (): JsonValue => new RawJson('{"a":[1,2]}').asValue();

describe('JSON Patch as the API server applies it', () => {
  test.each<{ name: string; document: JsonValue; patch: JsonValue; result: JsonValue }>([
    // members
    {
      name: 'replaces a member that is not there',
      document: {},
      patch: [{ op: 'replace', path: '/a', value: 1 }],
      result: { a: 1 },
    },
    {
      name: 'copies a missing member as null',
      document: {},
      patch: [{ op: 'copy', from: '/a', path: '/b' }],
      result: { b: null },
    },
    {
      name: 'finds a missing member equal to null',
      document: { x: 1 },
      patch: [{ op: 'test', path: '/a', value: null }],
      result: { x: 1 },
    },
    {
      name: 'adds null when the value is missing',
      document: {},
      patch: [{ op: 'add', path: '/a' }],
      result: { a: null },
    },
    {
      name: 'ignores what stands before the first slash',
      document: {},
      patch: [{ op: 'add', path: 'data/x', value: 1 }],
      result: { x: 1 },
    },
    { name: 'has an empty key', document: {}, patch: [{ op: 'add', path: '/', value: 1 }], result: { '': 1 } },
    // the whole document
    {
      name: 'replaces the document',
      document: { a: 1 },
      patch: [{ op: 'replace', path: '', value: { b: 2 } }],
      result: { b: 2 },
    },
    {
      name: 'keeps the document when a scalar should replace it',
      document: { a: 1 },
      patch: [{ op: 'replace', path: '', value: 5 }],
      result: { a: 1 },
    },
    {
      name: 'tests the document',
      document: { a: 1 },
      patch: [{ op: 'test', path: '', value: { a: 1 } }],
      result: { a: 1 },
    },
    // arrays
    {
      name: 'counts a negative index from the end',
      document: [1, 2, 3],
      patch: [{ op: 'replace', path: '/-1', value: 9 }],
      result: [1, 2, 9],
    },
    {
      name: 'adds before the end with a negative index',
      document: [1, 2],
      patch: [{ op: 'add', path: '/-1', value: 9 }],
      result: [1, 2, 9],
    },
    {
      name: 'adds at the end by its index',
      document: [1],
      patch: [{ op: 'add', path: '/1', value: 2 }],
      result: [1, 2],
    },
    // later operations
    {
      name: 'keeps a copy apart from its original',
      document: { a: { n: [1] } },
      patch: [
        { op: 'copy', from: '/a', path: '/b' },
        { op: 'add', path: '/a/n/-', value: 2 },
        { op: 'add', path: '/b/m', value: 3 },
      ],
      result: { a: { n: [1, 2] }, b: { n: [1], m: 3 } },
    },
    {
      name: 'opens a value it just added',
      document: {},
      patch: [
        { op: 'add', path: '/a', value: { b: {} } },
        { op: 'add', path: '/a/b/c', value: 1 },
      ],
      result: { a: { b: { c: 1 } } },
    },
    { name: 'does nothing for an empty patch', document: { a: 1 }, patch: [], result: { a: 1 } },
    { name: 'does nothing for null', document: { a: 1 }, patch: null, result: { a: 1 } },
  ])('JSON Patch as the API server applies it: $name', ({ document, patch, result }) => {
    expect(apply(document, patch)).toEqual(result);
  });

  test.each<{ name: string; patch: JsonValue; result: JsonValue }>([
    {
      name: 'is opened on the way of a path',
      patch: [{ op: 'replace', path: '/data/a/1', value: 3 }],
      result: { data: { a: [1, 3] } },
    },
    {
      name: 'is tested by its content',
      patch: [
        { op: 'test', path: '/data', value: { a: [1, 2] } },
        { op: 'test', path: '/data/a/0', value: 1 },
      ],
      result: { data: { a: [1, 2] } },
    },
    {
      name: 'stays closed where it is copied',
      patch: [{ op: 'copy', from: '/data', path: '/more' }],
      result: { data: carried(), more: carried() },
    },
    {
      name: 'stays closed where it is moved',
      patch: [{ op: 'move', from: '/data', path: '/more' }],
      result: { more: carried() },
    },
    { name: 'goes as a whole', patch: [{ op: 'remove', path: '/data' }], result: {} },
  ])('JSON that the document carries $name', ({ patch, result }) => {
    expect(apply({ data: carried() }, patch)).toEqual(result);
  });

  it('JSON Patch counts carried JSON by its text when it is copied', () => {
    const copy = (maxCopyBytes: number) =>
      apply({ data: carried() }, [{ op: 'copy', from: '/data', path: '/more' }], { maxCopyBytes });
    expect(copy(11)).toBeDefined();
    expect(() => copy(10)).toThrow();
  });

  test.each<{ name: string; document?: JsonValue; patch: JsonValue }>([
    { name: 'an unknown operation', patch: [{ op: 'nonsense', path: '/a', value: 1 }] },
    { name: 'no operation', patch: [{ path: '/a' }] },
    { name: 'null as operation', patch: [null] },
    { name: 'no path', patch: [{ op: 'add', value: 1 }] },
    { name: 'no from', patch: [{ op: 'move', path: '/a' }] },
    { name: 'adding the document', patch: [{ op: 'add', path: '', value: {} }] },
    { name: 'removing the document', patch: [{ op: 'remove', path: '' }] },
    { name: 'removing what is not there', patch: [{ op: 'remove', path: '/none' }] },
    { name: 'moving what is not there', patch: [{ op: 'move', from: '/none', path: '/b' }] },
    { name: 'testing a missing member for a value', patch: [{ op: 'test', path: '/none', value: 'w' }] },
    { name: 'a path through a scalar', patch: [{ op: 'add', path: '/a/b', value: 1 }] },
    { name: 'a path through null', document: { a: null }, patch: [{ op: 'add', path: '/a/b', value: 1 }] },
    { name: 'an index beyond the end', document: { l: [1] }, patch: [{ op: 'replace', path: '/l/1', value: 1 }] },
    { name: 'an index before the start', document: { l: [1] }, patch: [{ op: 'remove', path: '/l/-2' }] },
    { name: 'a name as index', document: { l: [1] }, patch: [{ op: 'add', path: '/l/x', value: 1 }] },
    { name: 'reading the end of an array', document: { l: [1] }, patch: [{ op: 'copy', from: '/l/-', path: '/b' }] },
  ])('JSON Patch as the API server applies it refuses $name', ({ document = { a: 1 }, patch }) => {
    expect(failure(() => apply(document, patch))).toMatchObject(refused);
  });

  it('JSON Patch keeps keys that are special in JavaScript, and big integers', () => {
    const document = JSON.parse('{"__proto__":{"constructor":1},"toString":2}') as JsonValue;
    const result = apply(document, [
      { op: 'add', path: '/__proto__/__proto__', value: 9007199254740993n },
      { op: 'test', path: '/toString', value: 2 },
      { op: 'move', from: '/__proto__/constructor', path: '/hasOwnProperty' },
    ]) as Record<string, JsonValue>;
    expect(Object.keys(result).sort()).toEqual(['__proto__', 'hasOwnProperty', 'toString']);
    expect(Object.getOwnPropertyDescriptor(result, '__proto__')!.value).toEqual(
      Object.assign(Object.create(null), JSON.parse('{"__proto__":0}'), { ['__proto__']: 9007199254740993n }),
    );
    expect(failure(() => apply({}, [{ op: 'test', path: '/constructor', value: {} }]))).toMatchObject(refused);
  });

  it('JSON Patch puts the members of the objects it opened into key order, and leaves the others alone', () => {
    const result = apply({ kind: 'C', data: { k: 1 }, apiVersion: 'v1', metadata: { name: 'a', generation: 1 } }, [
      { op: 'add', path: '/data/a', value: 1 },
    ]);
    expect(JSON.stringify(result)).toBe(
      '{"apiVersion":"v1","data":{"a":1,"k":1},"kind":"C","metadata":{"name":"a","generation":1}}',
    );
  });

  it('JSON Patch changes neither document nor patch', () => {
    const document = { a: { b: [{ c: 1 }] } };
    const patch = [
      { op: 'add', path: '/x', value: { y: [1] } },
      { op: 'add', path: '/x/y/-', value: 2 },
      { op: 'remove', path: '/a/b/0/c' },
    ];
    const before = structuredClone([document, patch]);
    expect(apply(document, patch)).toEqual({ a: { b: [{}] }, x: { y: [1, 2] } });
    expect([document, patch]).toEqual(before);
  });

  it('JSON Patch limits what copying adds', () => {
    const grow = [
      { op: 'copy', from: '/a', path: '/b' },
      { op: 'copy', from: '/a', path: '/c' },
    ];
    expect(apply({ a: 'xxxx' }, grow, { maxCopyBytes: 12 })).toEqual({ a: 'xxxx', b: 'xxxx', c: 'xxxx' });
    expect(failure(() => apply({ a: 'xxxx' }, grow, { maxCopyBytes: 11 }))).toMatchObject(refused);
    const doubling = Array.from({ length: 40 }, (_, i) => ({ op: 'copy', from: '', path: `/${i}` })).map((op) => ({
      ...op,
      from: '/a',
      path: '/a/-',
    }));
    expect(failure(() => apply({ a: ['x'] }, doubling))).toMatchObject(refused);
  });
});

describe('decoding a JSON Patch', () => {
  test.each<{ name: string; body: JsonValue; validation?: FieldValidation; message: string }>([
    {
      name: 'an object',
      body: { data: {} },
      message: 'error decoding patch: json: cannot unmarshal object into Go value of type []handlers.jsonPatchOp',
    },
    {
      name: 'a number in the list',
      body: [1],
      message: 'error decoding patch: json: cannot unmarshal number into Go value of type handlers.jsonPatchOp',
    },
    {
      name: 'a path that is no text',
      body: [{ op: 'add', path: 5 }],
      message:
        'error decoding patch: json: cannot unmarshal number into Go struct field jsonPatchOp.path of type string',
    },
    {
      name: 'an object, unvalidated',
      body: {},
      validation: 'Ignore',
      message: 'json: cannot unmarshal object into Go value of type jsonpatch.Patch',
    },
    {
      name: 'a text in the list, unvalidated',
      body: ['x'],
      validation: 'Ignore',
      message: 'json: cannot unmarshal string into Go value of type jsonpatch.Operation',
    },
  ])('Decoding a JSON Patch refuses $name', ({ body, validation = 'Strict', message }) => {
    expect(failure(() => decodeJsonPatch(body, validation))).toMatchObject({
      code: 400,
      reason: 'BadRequest',
      message,
    });
  });

  it('Decoding a JSON Patch names unknown members unless validation is off', () => {
    const body = [
      { op: 'remove', path: '/a' },
      { op: 'add', path: '/a', value: 1, odd: 2 },
    ];
    expect(decodeJsonPatch(body, 'Warn').problems).toEqual(['json patch unknown field "[1].odd"']);
    expect(decodeJsonPatch(body, 'Ignore').problems).toEqual([]);
  });

  it('Decoding a JSON Patch takes 10,000 operations and not one more', () => {
    const operations = Array.from({ length: 10_001 }, () => ({ op: 'test', path: '/a', value: null }));
    expect(decodeJsonPatch(operations.slice(1), 'Warn').operations).toHaveLength(10_000);
    expect(failure(() => decodeJsonPatch(operations, 'Warn'))).toMatchObject({
      code: 413,
      reason: 'RequestEntityTooLarge',
      message: 'Request entity too large: The allowed maximum operations in a JSON patch is 10000, got 10001',
    });
  });
});

it('Reaches any document from any other by the patch that another implementation makes', () => {
  const random = randomSource(6902);
  for (let round = 0; round < 500; round++) {
    const [from, to] = [{ root: randomJson(random) }, { root: randomJson(random) }];
    expect(apply(from, createPatch(from, to) as unknown as JsonValue)).toEqual(to);
  }
});
