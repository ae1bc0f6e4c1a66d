/**
 * Functions that walk values without a type are recursive: none of them may get a value deeper than the stack allows.
 */
import { describe, expect, test } from 'vitest';
import { JsonBody } from './json/body.ts';
import { maxValueDepth, parseJson, readJson } from './json/reader.ts';
import { jsonToYaml, parseYaml } from './json/yaml.ts';
import { parseFieldsText } from './managed-fields/fields-v1.ts';
import { contentOf, jsonEqual } from './members.ts';
import { type JsonPatchOperation } from './patch/json-patch-document.ts';
import { applyJsonPatch } from './patch/json-patch.ts';
import { RawJson, type JsonValue } from './value.ts';

const shapes = [
  { name: 'lists', nested: (depth: number): string => '['.repeat(depth) + ']'.repeat(depth), open: '[' },
  {
    name: 'objects',
    nested: (depth: number): string => '{"a":'.repeat(depth - 1) + '{}' + '}'.repeat(depth - 1),
    open: '{',
  },
];

const raw = (text: string): JsonValue => new RawJson(text).asValue();

describe.each(shapes)('nested $name', ({ nested, open }) => {
  test('Nested values are text up to ten thousand levels', () => {
    expect(() => readJson(nested(10_000))).not.toThrow();
    expect(() => readJson(nested(10_001))).toThrow(`invalid character '${open}' exceeded max depth`);
  });

  test('Nested values are a value up to the depth that values have', () => {
    expect(() => parseJson(nested(maxValueDepth))).not.toThrow();
    expect(() => parseJson(nested(maxValueDepth + 1))).toThrow(`invalid character '${open}' exceeded max depth`);
    expect(new JsonBody(nested(maxValueDepth)).value().problems).toEqual([]);
    expect(() => new JsonBody(nested(maxValueDepth + 1)).value()).toThrow(
      `invalid character '${open}' exceeded max depth`,
    );
  });

  test('Nested values stay closed where they are carried and too deep', () => {
    const deep = raw(nested(10_000));
    expect(contentOf(deep)).toBe(deep);
    expect(jsonEqual(deep, raw(nested(10_000)))).toBe(true);
    expect(jsonEqual(deep, raw(nested(9_999)))).toBe(false);
    expect(jsonEqual(deep, {})).toBe(false);
    expect(jsonEqual(raw(nested(400)), parseJson(nested(400)))).toBe(true);
  });

  test('Nested values are written as YAML that says the same', () => {
    for (const depth of [240, maxValueDepth])
      expect(parseYaml(jsonToYaml(Buffer.from(nested(depth)))).value).toEqual(parseJson(nested(depth)));
    const text = jsonToYaml(Buffer.from(`{"top":${nested(9_999)}}`)).toString();
    expect(text.trimEnd().endsWith(nested(10_000 - maxValueDepth))).toBe(true);
  });
});

test('A field set that is too deep is refused', () => {
  const fields = (depth: number): string => '{"f:a":'.repeat(depth - 1) + '{}' + '}'.repeat(depth - 1);
  expect(() => parseFieldsText(fields(maxValueDepth))).not.toThrow();
  for (const depth of [maxValueDepth + 1, 10_000, 300_000])
    expect(() => parseFieldsText(fields(depth))).toThrow('exceeded max depth');
});

describe('a JSON patch that makes a deep document out of flat ones', () => {
  const refused = { code: 422, reason: 'Invalid', cause: { message: 'exceeded max depth' } };
  const run = (operations: readonly JsonPatchOperation[]): unknown => {
    try {
      applyJsonPatch({}, operations);
      return undefined;
    } catch (error) {
      return error;
    }
  };

  test('A JSON patch that makes a deep document out of flat ones by copying is refused', () => {
    const operations: JsonPatchOperation[] = [{ op: 'add', path: '/x', value: {} }];
    for (let depth = 1; depth < 4096; depth *= 2)
      operations.push({ op: 'copy', from: '/x', path: `/x${'/x'.repeat(depth)}` });
    expect(run(operations)).toMatchObject(refused);
  });

  test('A JSON patch that makes a deep document by moving is refused, also when it only reads at its end', () => {
    const operations: JsonPatchOperation[] = [{ op: 'add', path: '/x', value: {} }];
    for (let i = 0; i < 3_000; i++)
      operations.push(
        { op: 'move', from: '/x', path: '/y' },
        { op: 'add', path: '/x', value: {} },
        { op: 'move', from: '/y', path: '/x/k' },
      );
    expect(run(operations)).toMatchObject(refused);
    expect(run([...operations, { op: 'copy', from: '/x', path: '/z' }])).toMatchObject(refused);
    expect(run([...operations, { op: 'test', path: '/x', value: { k: { k: 1 } } }])).toMatchObject({
      code: 422,
      cause: { message: 'testing value /x failed: test failed' },
    });
  });

  test('A JSON patch that makes a deep document is applied when the document is flat at its end', () => {
    expect(
      run([
        { op: 'add', path: '/x', value: {} },
        { op: 'copy', from: '/x', path: '/x/x' },
        { op: 'remove', path: '/x' },
      ]),
    ).toBeUndefined();
  });
});
