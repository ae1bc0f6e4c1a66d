import { describe, expect, test } from 'vitest';
import type { JSONSchemaProps } from '../../gen/types/apiextensions-v1.ts';
import { runToEnd } from '../../../machinery/cooperative-scheduling.ts';
import { fieldErrorText } from '../../../machinery/field-error.ts';
import { FieldErrors } from '../../../machinery/field-errors.ts';
import { FieldPath } from '../../../machinery/field-path.ts';
import { RawJson } from '../../../machinery/value.ts';
import { strictRules } from './definition-rules.ts';
import { checkSchema } from './schema.ts';

function schemaErrors(schema: JSONSchemaProps): string[] {
  const errors = new FieldErrors();
  runToEnd(checkSchema(schema, false, FieldPath.of('s'), errors));
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
      name: 'integer or string without the mark for it',
      schema: withField({ type: 'string', anyOf: [{ type: 'integer' }, { type: 'string' }] }),
      errors: [],
    },
    {
      name: 'values of a map that a junctor names as properties',
      schema: withField(
        { type: 'object', additionalProperties: { type: 'string' } },
        { oneOf: [{ properties: { a: { properties: { x: { maxLength: 1 } } } } }] },
      ),
      errors: [
        's.properties[a].properties[x]: Required value: because it is defined in ' +
          's.oneOf[0].properties[a].properties[x]',
      ],
    },
    {
      name: 'additional properties inside of a junctor',
      schema: withField({ type: 'object' }, { not: { additionalProperties: { additionalProperties: true } } }),
      errors: ['s.not.additionalProperties: Forbidden: must be undefined to be structural'],
    },
    {
      name: 'additional properties at the root',
      schema: { type: 'object', additionalProperties: false },
      errors: ['s.additionalProperties: Forbidden: must not be used at the root'],
    },
    {
      name: 'keywords beside what is not structural',
      schema: { properties: { a: { type: 'null', uniqueItems: true, default: 1 } } },
      errors: [
        's.type: Required value: must not be empty at the root',
        's.properties[a].type: Unsupported value: "null": supported values: "array", "boolean", "integer", ' +
          '"number", "object", "string"',
        's.properties[a].type: Forbidden: type cannot be set to null, use nullable as an alternative',
        's.properties[a].uniqueItems: Forbidden: uniqueItems cannot be set to true since the runtime complexity ' +
          'becomes quadratic',
      ],
    },
    {
      name: 'a rule that is not compiled where the schema is not structural',
      schema: withField({}, { 'x-kubernetes-validations': [{ rule: 'self.none' }] }),
      errors: ['s.properties[a].type: Required value: must not be empty for specified object fields'],
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
      name: 'items that only a junctor at the root knows',
      schema: withField(
        { type: 'array', items: { type: 'string' } },
        { not: { properties: { a: { items: { items: {} } } } } },
      ),
      errors: ['s.properties[a].items.items: Required value: because it is defined in s.not.properties[a].items.items'],
    },
    {
      name: 'items that only a junctor below the root knows',
      schema: withField({ type: 'array', items: { type: 'string' }, not: { items: { items: {} } } }),
      errors: [],
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

  test('Defaults of embedded objects, and of the whole object, have a version and a kind', () => {
    const embedded: JSONSchemaProps = {
      type: 'object',
      'x-kubernetes-embedded-resource': true,
      'x-kubernetes-preserve-unknown-fields': true,
    };
    expect(schemaErrors({ type: 'object', default: {} })).toEqual([
      's.default.apiVersion: Required value: must not be empty',
      's.default.kind: Required value: must not be empty',
    ]);
    expect(
      schemaErrors(withField({ ...embedded, default: { apiVersion: 'v1', kind: 'A_b', metadata: { name: '..' } } })),
    ).toEqual([
      expect.stringMatching(
        /default\.kind: Invalid value: "A_b": may have mixed case, but should otherwise match: a DNS/,
      ),
      's.properties[a].default.metadata.name: Invalid value: "..": may not be \'..\'',
    ]);
    expect(schemaErrors(withField({ ...embedded, default: { apiVersion: 'a/v1', kind: 'Ab' } }))).toEqual([]);
  });

  test('A default of integer or string is judged by its type alone', () => {
    expect(schemaErrors(withField({ type: 'string', 'x-kubernetes-int-or-string': true, default: 1 }))).toEqual([
      's.properties[a].default: Invalid value: "integer":  in body must be of type string: "integer"',
    ]);
    expect(schemaErrors(withField({ 'x-kubernetes-int-or-string': true, default: 1 }))).toEqual([]);
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

  const rule = (text: string, more: object = {}): JSONSchemaProps => ({
    'x-kubernetes-validations': [{ rule: text, ...more }],
  });
  const numbers: JSONSchemaProps = { type: 'object', properties: { n: { type: 'integer', ...rule('self < 3') } } };

  test.each<{ name: string; schema: JSONSchemaProps; errors: string[] }>([
    { name: 'keeps its rules', schema: { type: 'integer', ...rule('self == 1'), default: 1 }, errors: [] },
    {
      name: 'breaks a rule',
      schema: { type: 'integer', ...rule('self == 2'), default: 1 },
      errors: ['default: Invalid value: "integer": failed rule: self == 2'],
    },
    {
      name: 'breaks a rule with a message and a reason',
      schema: { type: 'integer', ...rule('self == 2', { message: 'no', reason: 'FieldValueForbidden' }), default: 1 },
      errors: ['default: Forbidden: no'],
    },
    {
      name: 'breaks a rule within it',
      schema: { ...numbers, default: { n: 5 } },
      errors: ['default.n: Invalid value: "integer": failed rule: self < 3'],
    },
    {
      name: 'keeps a rule about what it was before',
      schema: { type: 'integer', ...rule('self == oldSelf'), default: 1 },
      errors: [],
    },
    {
      name: 'breaks a rule about values that are new',
      schema: { type: 'integer', ...rule('oldSelf.hasValue()', { optionalOldSelf: true }), default: 1 },
      errors: ['default: Invalid value: "integer": failed rule: oldSelf.hasValue()'],
    },
    {
      name: 'is not valid by the schema, which is told alone',
      schema: { type: 'integer', ...rule('self == 2'), default: 'x' },
      errors: ['default: Invalid value: "string":  in body must be of type integer: "string"'],
    },
    {
      name: 'has a rule that cannot be compiled',
      schema: { type: 'integer', ...rule('self =='), default: 1 },
      errors: [expect.stringContaining('default: Invalid value: "integer": rule compile error: compilation failed')],
    },
  ])('A default $name', ({ schema, errors }) => {
    expect(schemaErrors(withField(schema))).toEqual(
      errors.map((text: unknown) => (typeof text === 'string' ? `s.properties[a].${text}` : text)),
    );
  });

  test('Rules about all defaults of a definition share what they may cost', () => {
    const rules = { ...strictRules(), budget: { left: 3 } };
    const errors = new FieldErrors();
    const properties = Object.fromEntries(
      ['a', 'b', 'c'].map((name) => [name, { type: 'integer', ...rule('self + 1 == 2'), default: 1 }]),
    );
    runToEnd(checkSchema({ type: 'object', properties }, false, FieldPath.of('s'), errors, rules));
    expect(errors.map(fieldErrorText)).toEqual([
      's.properties[b].default: Invalid value: "integer": validation failed due to running out of cost budget, no ' +
        'further validation rules will be run',
    ]);
  });
});
