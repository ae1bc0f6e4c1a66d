/** What a custom object costs is bounded, whatever its schema. */
import { describe, expect, test, vi } from 'vitest';
import { readsDuring } from '../../../test/support/count-reads.ts';
import { fieldErrorText } from '../field-error.ts';
import { gathered } from '../field-errors.ts';
import type { JsonObject, JsonValue } from '../value.ts';
import { setDefaults } from './defaulting.ts';
import { readStructural } from './schema.ts';
import { validateValue } from './validate.ts';
import { StepLimit } from './step-limit.ts';

const list = (count: number, item: (i: number) => JsonValue): JsonValue =>
  Array.from({ length: count }, (_, i) => item(i));
const schemaOf = (items: JsonObject, more: JsonObject = {}): JsonObject => ({
  type: 'object',
  properties: { list: { type: 'array', items, ...more } },
});
const errorsOf = (value: JsonValue, schema: JsonObject): string[] =>
  gathered(() => validateValue({ list: value }, schema)).map(fieldErrorText);

describe('an object is looked at in proportion to its size', () => {
  const values = (count: number): JsonObject => ({ type: 'string', enum: list(count, (i) => `v${i}`) });
  test.each<{ name: string; schema: (n: number) => JsonObject; value: (n: number) => JsonValue }>([
    { name: 'values of a long enum', schema: (n) => schemaOf(values(n)), value: (n) => list(n, (i) => `v${i}`) },
    {
      name: 'values that are not in a long enum',
      schema: (n) => schemaOf(values(n)),
      value: (n) => list(n, (i) => `w${i}`),
    },
    {
      name: 'items without what many are required to have',
      schema: (n) => schemaOf({ type: 'object', required: list(n, (i) => `m${i}`) }),
      value: (n) => list(n, () => ({})),
    },
    {
      name: 'items without that, where it is one of two ways',
      schema: (n) => schemaOf({ anyOf: [{ required: list(n, (i) => `m${i}`) }, { type: 'object' }] }),
      value: (n) => list(n, () => ({})),
    },
    { name: 'items of the wrong type', schema: () => schemaOf({ type: 'string' }), value: (n) => list(n, () => 1) },
  ])('An object is looked at in proportion to its size: $name', ({ schema, value }) => {
    const readsOf = (n: number): number =>
      readsDuring({ list: value(n), schema: schema(n) }, (counted) => errorsOf(counted.list, counted.schema));
    // Up to the number of errors that are told, each costs something.
    expect(readsOf(4000)).toBeLessThan(2.3 * readsOf(2000));
  });

  test('A part that has not changed is compared once, not with all that is around it', () => {
    const nested = (depth: number, leaf: JsonValue): JsonValue =>
      depth === 0 ? leaf : { a: list(10, () => 1), b: nested(depth - 1, leaf) };
    const work = new StepLimit();
    const compare = vi.spyOn(work, 'isSame');
    const walk = (old: JsonValue, value: JsonValue): void => {
      if (work.isSame(old, value)) return;
      for (const key of ['a', 'b'])
        if (typeof value === 'object') walk((old as JsonObject)[key]!, (value as JsonObject)[key]!);
    };
    walk(nested(100, 1), nested(100, 2));
    expect(compare.mock.calls.length).toBeLessThan(100 * 20);
  });
});

test('Errors of an alternative that is not taken do not count', () => {
  const schema = schemaOf(
    { type: 'array', items: { type: 'string' } },
    { items: { anyOf: [{ type: 'array', items: { type: 'string' } }, { type: 'array' }] } },
  );
  expect(errorsOf([list(5000, () => 1)], schema)).toEqual([]);
});

test('The best alternative is told, and no more of it than can be', () => {
  const schema = schemaOf({}, { items: { anyOf: [{ type: 'array', items: { type: 'string' } }] } });
  const errors = errorsOf([list(5000, () => 1)], schema);
  expect(errors).toHaveLength(256);
  expect(errors.slice(0, 2)).toEqual([
    '<nil>: Invalid value: "": "list[0]" must validate at least one schema (anyOf)',
    'list[0][0]: Invalid value: "integer": list[0][0] in body must be of type string: "integer"',
  ]);
});

test('Alternatives of which each is looked at for each item end', () => {
  const schema = schemaOf({ anyOf: list(2000, () => ({ type: 'string' })) as JsonObject[] });
  expect(
    errorsOf(
      list(3000, () => 1),
      {
        ...schema,
        properties: { list: { type: 'array', items: { not: { anyOf: list(2000, () => ({ type: 'string' })) } } } },
      },
    ).at(-1),
  ).toMatch(/takes too long to validate/);
});

describe('defaults', () => {
  const schema = (value: JsonValue): ReturnType<typeof readStructural> =>
    readStructural(schemaOf({ type: 'object', properties: { a: { default: value } } }));
  test.each([
    { name: 'many of a small one', count: 100_000, value: { x: 1 }, fits: true },
    { name: 'too many of a small one', count: 1_000_000, value: { x: 1, y: 'abcdef' }, fits: false },
    { name: 'some of a large text', count: 100, value: 'x'.repeat(200_000), fits: false },
  ])('Defaults have an end: $name', ({ count, value, fits }) => {
    const object = { list: list(count, () => ({})) } as JsonObject;
    expect(setDefaults(object, schema(value))).toBe(fits);
    const filled = (object['list'] as JsonObject[]).filter(({ a }) => a !== undefined).length;
    expect(filled < count).toBe(!fits);
  });
});
