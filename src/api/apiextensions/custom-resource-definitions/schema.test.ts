import { describe, expect, test } from 'vitest';
import type { JSONSchemaProps } from '../../gen/types/apiextensions-v1.ts';
import { fieldErrorText } from '../../../machinery/field-error.ts';
import { FieldErrors } from '../../../machinery/field-errors.ts';
import { FieldPath } from '../../../machinery/field-path.ts';
import { RawJson } from '../../../machinery/value.ts';
import { resolveFieldPath } from './json-paths.ts';
import { patternProblem } from '../../../machinery/structural/patterns.ts';
import { checkSchema } from './schema.ts';

function schemaErrors(schema: JSONSchemaProps, hasStatus = false): string[] {
  const errors = new FieldErrors();
  checkSchema(schema, hasStatus, FieldPath.of('s'), errors);
  return errors.map(fieldErrorText);
}

const withField = (a: JSONSchemaProps, more: JSONSchemaProps = {}): JSONSchemaProps => ({
  type: 'object',
  properties: { a },
  ...more,
});

describe('structural schemas', () => {
  test.each<{ name: string; schema: JSONSchemaProps; errors: string[] }>([
    {
      name: 'integer or string as documentation has it',
      schema: withField({ 'x-kubernetes-int-or-string': true, anyOf: [{ type: 'integer' }, { type: 'string' }] }),
      errors: [],
    },
    {
      name: 'integer or string with a pattern',
      schema: withField({
        'x-kubernetes-int-or-string': true,
        allOf: [{ anyOf: [{ type: 'integer' }, { type: 'string' }] }, { pattern: 'a' }],
      }),
      errors: [],
    },
    {
      name: 'values of a map that a junctor speaks of',
      schema: withField(
        { type: 'object', additionalProperties: { type: 'string' } },
        { oneOf: [{ properties: { a: { properties: { x: { maxLength: 1 } } } } }] },
      ),
      errors: [],
    },
    {
      name: 'a default inside of a junctor',
      schema: withField({ type: 'string' }, { not: { properties: { a: { default: 'x', nullable: true } } } }),
      errors: [
        's.not.properties[a].default: Forbidden: must be undefined to be structural',
        's.not.properties[a].nullable: Forbidden: must be false to be structural',
      ],
    },
    {
      name: 'metadata inside of a junctor',
      schema: { type: 'object', properties: { metadata: { type: 'object' } }, not: { properties: { metadata: {} } } },
      errors: ['s.not.properties[metadata]: Forbidden: must not be specified in a nested context'],
    },
    {
      name: 'items that only a junctor knows',
      schema: withField({ type: 'array', items: { type: 'string' }, not: { items: { items: {} } } }),
      errors: ['s.properties[a].items.items: Required value: because it is defined in s.properties[a].not.items.items'],
    },
    {
      name: 'names in metadata',
      schema: {
        type: 'object',
        properties: { metadata: { type: 'object', properties: { name: { type: 'string', maxLength: 5 } } } },
      },
      errors: [],
    },
    {
      name: 'an embedded object that says nothing',
      schema: withField({ type: 'object', 'x-kubernetes-embedded-resource': true }),
      errors: [
        's.properties[a].properties: Required value: must not be empty if x-kubernetes-embedded-resource is ' +
          'true without x-kubernetes-preserve-unknown-fields',
      ],
    },
  ])('Structural schemas: $name', ({ schema, errors }) => {
    expect(schemaErrors(schema)).toEqual(errors);
  });
});

describe('keywords', () => {
  test('A schema with one that is not supported is looked at no further', () => {
    expect(schemaErrors({ properties: { a: { patternProperties: {} } } })).toEqual([
      's.properties[a].patternProperties: Forbidden: patternProperties is not supported',
    ]);
  });

  test('At the root, beside a status subresource, a schema has only keywords that concern all of the object', () => {
    expect(schemaErrors({ type: 'object', description: 'd', required: ['spec'] }, true)).toEqual([]);
    expect(schemaErrors({ type: 'object', maxProperties: 3 }, true)).toEqual([
      expect.stringContaining('fields are allowed at the root of the schema if the status subresource is enabled'),
    ]);
  });

  test('Keys of a map list are scalars, each once', () => {
    const items: JSONSchemaProps = {
      type: 'object',
      required: ['k', 'o'],
      properties: { k: { type: 'string' }, o: { type: 'object' } },
    };
    expect(
      schemaErrors(
        withField({
          type: 'array',
          items,
          'x-kubernetes-list-type': 'map',
          'x-kubernetes-list-map-keys': ['k', 'k', 'o'],
        }),
      ),
    ).toEqual([
      's.properties[a].x-kubernetes-list-map-keys[1]: Invalid value: []string{"k", "k", "o"}: must not ' +
        'contain duplicate entries',
      's.properties[a].items.properties[o].type: Invalid value: "object": must be a scalar type if parent ' +
        "array's x-kubernetes-list-type is map",
    ]);
  });
});

describe('defaults', () => {
  test.each<{ name: string; schema: JSONSchemaProps; unknown: boolean }>([
    {
      name: 'known fields',
      schema: { type: 'object', properties: { x: { type: 'integer' } }, default: { x: 1 } },
      unknown: false,
    },
    {
      name: 'a field in a list',
      schema: { type: 'array', items: { type: 'object' }, default: [{ y: 1 }] },
      unknown: true,
    },
    {
      name: 'values of a map',
      schema: { type: 'object', additionalProperties: { type: 'string' }, default: { y: 'z' } },
      unknown: false,
    },
    {
      name: 'where unknown fields are kept',
      schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true, default: { y: 1 } },
      unknown: false,
    },
    { name: 'carried JSON', schema: { type: 'object', default: new RawJson('{"y":1}').asValue() }, unknown: true },
  ])('Defaults in the schema of a definition: $name', ({ schema, unknown }) => {
    expect(schemaErrors(withField(schema))).toEqual(
      unknown ? [expect.stringMatching(/must not have unknown fields$/)] : [],
    );
  });

  test('One that its own schema refuses', () => {
    expect(schemaErrors(withField({ type: 'string', maxLength: 1, default: 'xx' }))).toEqual([
      expect.stringMatching(/\.default: Too long: may not be more than 1 bytes$/),
    ]);
    expect(
      schemaErrors(withField({ type: 'object', properties: { n: { type: 'integer' } }, default: { n: 'x' } })),
    ).toEqual([
      expect.stringMatching(/\.default\.n: Invalid value: "string": n in body must be of type integer: "string"$/),
    ]);
  });
});

test.each([
  ['^a(b|c)*$', undefined],
  ['(?i)a(?P<name>b)', undefined],
  ['^[[:alpha:]]+$', undefined],
  ['(', 'error parsing regexp: missing closing ): `(`'],
  ['a)', 'error parsing regexp: unexpected ): `a)`'],
  ['(?=a)', 'error parsing regexp: invalid or unsupported Perl syntax: `(?=`'],
  ['(a)\\1', 'error parsing regexp: invalid escape sequence: `\\1`'],
])('Pattern %s: %s', (pattern, problem) => {
  expect(patternProblem(pattern)).toBe(problem);
});

test.each([
  [".a['b-c']", 'string'],
  ['.a.x', 'does not refer to a valid field'],
  ['a', 'expected [ or . but got: a'],
])('Field path %s: %s', (path, expected) => {
  const found = resolveFieldPath(path, withField({ type: 'object', properties: { 'b-c': { type: 'string' } } }));
  expect(typeof found === 'string' ? found : found.type).toBe(expected);
});
