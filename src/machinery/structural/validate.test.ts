import { describe, expect, test } from 'vitest';
import { fieldErrorText } from '../field-error.ts';
import type { JsonObject, JsonValue } from '../value.ts';
import { validateValue } from './validate.ts';
import { schema, object } from './testing/schema.ts';

describe('validation', () => {
  test.each<{ name: string; property: JsonObject; value: JsonValue; errors: string[] }>([
    {
      name: 'type',
      property: { type: 'integer' },
      value: 'x',
      errors: ['spec.f: Invalid value: "string": spec.f in body must be of type integer: "string"'],
    },
    {
      name: 'null',
      property: { type: 'integer' },
      value: null,
      errors: ['spec.f: Invalid value: "null": spec.f in body must be of type integer: "null"'],
    },
    { name: 'null where it may be', property: { type: 'integer', nullable: true }, value: null, errors: [] },
    { name: 'an integer is a number', property: { type: 'number' }, value: 1, errors: [] },
    {
      name: 'a fraction is no integer',
      property: { type: 'integer' },
      value: 1.5,
      errors: ['spec.f: Invalid value: "number": spec.f in body must be of type integer: "number"'],
    },
    {
      name: 'minimum',
      property: { type: 'integer', minimum: 3 },
      value: 2,
      errors: ['spec.f: Invalid value: 2: spec.f in body should be greater than or equal to 3'],
    },
    {
      name: 'exclusive maximum',
      property: { type: 'integer', maximum: 3, exclusiveMaximum: true },
      value: 3,
      errors: ['spec.f: Invalid value: 3: spec.f in body should be less than 3'],
    },
    {
      name: 'multiple',
      property: { type: 'integer', multipleOf: 5 },
      value: 7,
      errors: ['spec.f: Invalid value: 7: spec.f in body should be a multiple of 5'],
    },
    { name: 'length in characters', property: { type: 'string', maxLength: 1 }, value: '😀', errors: [] },
    {
      name: 'too long',
      property: { type: 'string', maxLength: 1 },
      value: 'xx',
      errors: ['spec.f: Too long: may not be more than 1 bytes'],
    },
    {
      name: 'too short',
      property: { type: 'string', minLength: 3 },
      value: 'xx',
      errors: ['spec.f: Invalid value: "xx": spec.f in body should be at least 3 chars long'],
    },
    {
      name: 'pattern',
      property: { type: 'string', pattern: '^(?P<x>a+)$' },
      value: 'b',
      errors: ['spec.f: Invalid value: "b": spec.f in body should match \'^(?P<x>a+)$\''],
    },
    {
      name: 'enum',
      property: { type: 'string', enum: ['a', 'b'] },
      value: 'c',
      errors: ['spec.f: Unsupported value: "c": supported values: "a", "b"'],
    },
    {
      name: 'too many items',
      property: { type: 'array', maxItems: 1, items: { type: 'string' } },
      value: ['a', 'b'],
      errors: ['spec.f: Too many: 2: must have at most 1 items'],
    },
    {
      name: 'too few items',
      property: { type: 'array', minItems: 1, items: { type: 'string' } },
      value: [],
      errors: ['spec.f: Invalid value: 0: spec.f in body should have at least 1 items'],
    },
    {
      name: 'items',
      property: { type: 'array', items: { type: 'string' } },
      value: ['a', 1],
      errors: ['spec.f[1]: Invalid value: "integer": spec.f[1] in body must be of type string: "integer"'],
    },
    {
      name: 'values of maps',
      property: { type: 'object', additionalProperties: { type: 'string' } },
      value: { k: 1 },
      errors: ['spec.f.k: Invalid value: "integer": spec.f.k in body must be of type string: "integer"'],
    },
    {
      name: 'too few members',
      property: { type: 'object', minProperties: 1 },
      value: {},
      errors: ['spec.f: Invalid value: 0: spec.f in body should have at least 1 properties'],
    },
    {
      name: 'required',
      property: { type: 'object', required: ['x'], properties: { x: { type: 'string' } } },
      value: {},
      errors: ['spec.f.x: Required value'],
    },
    {
      name: 'anyOf',
      property: { type: 'integer', anyOf: [{ minimum: 5 }, { maximum: 1 }] },
      value: 3,
      errors: [
        '<nil>: Invalid value: "": "spec.f" must validate at least one schema (anyOf)',
        'spec.f: Invalid value: 3: spec.f in body should be greater than or equal to 5',
      ],
    },
    {
      name: 'allOf',
      property: { type: 'integer', allOf: [{ minimum: 5 }, { maximum: 9 }] },
      value: 3,
      errors: [
        'spec.f: Invalid value: 3: spec.f in body should be greater than or equal to 5',
        '<nil>: Invalid value: "": "spec.f" must validate all the schemas (allOf)',
      ],
    },
    {
      name: 'not',
      property: { type: 'integer', not: { minimum: 5 } },
      value: 7,
      errors: ['<nil>: Invalid value: "": "spec.f" must not validate the schema (not)'],
    },
    {
      name: 'int-or-string',
      property: { 'x-kubernetes-int-or-string': true },
      value: true,
      errors: ['spec.f: Invalid value: "boolean": spec.f in body must be of type integer,string: "boolean"'],
    },
    { name: 'an unknown format is no rule', property: { type: 'string', format: 'nonsense' }, value: 'x', errors: [] },
  ])('Validation by a structural schema: $name', ({ property, value, errors }) => {
    expect(validateValue(object({ f: value }), schema({ f: property })).map(fieldErrorText)).toEqual(errors);
  });

  test('A pattern that makes other engines run for hours is done at once', () => {
    expect(
      validateValue(object({ f: `${'a'.repeat(100_000)}!` }), schema({ f: { type: 'string', pattern: '^(a+)+$' } })),
    ).toHaveLength(1);
  });

  test.each([
    { name: 'digits without a unit', text: '1'.repeat(100_000) },
    { name: 'parts that could begin in several places', text: `1.${'s000'.repeat(10_000)}µ` },
    { name: 'units with spaces between', text: `0millisecond${'\t0millisecond'.repeat(10_000)}i` },
    { name: 'spaces', text: `1s${' '.repeat(100_000)}x` },
  ])('A text that is no duration is read once: $name', ({ text }) => {
    expect(validateValue(object({ f: text }), schema({ f: { type: 'string', format: 'duration' } }))).toHaveLength(1);
  });
});
