import { describe, expect, test } from 'vitest';
import type { JSONSchemaProps } from '../../gen/types/apiextensions-v1.ts';
import { runToEnd } from '../../../machinery/cooperative-scheduling.ts';
import { fieldErrorText } from '../../../machinery/field-error.ts';
import { FieldErrors } from '../../../machinery/field-errors.ts';
import { FieldPath } from '../../../machinery/field-path.ts';
import { checkSchema } from './schema.ts';

function schemaErrors(schema: JSONSchemaProps, hasStatus = false): string[] {
  const errors = new FieldErrors();
  runToEnd(checkSchema(schema, hasStatus, FieldPath.of('s'), errors));
  return errors.map(fieldErrorText);
}

const withField = (a: JSONSchemaProps, more: JSONSchemaProps = {}): JSONSchemaProps => ({
  type: 'object',
  properties: { a },
  ...more,
});

describe('keywords', () => {
  test('Whether a schema with a keyword that is not supported is structural, is not asked', () => {
    expect(schemaErrors({ properties: { a: { patternProperties: { x: {} } } } })).toEqual([
      's.properties[a].patternProperties: Forbidden: patternProperties is not supported',
    ]);
    expect(schemaErrors({ properties: { a: { 'x-kubernetes-preserve-unknown-fields': false } } })).toEqual([
      's.properties[a].x-kubernetes-preserve-unknown-fields: Invalid value: false: must be true or undefined',
    ]);
    expect(schemaErrors({ $schema: 'x' })).toEqual([
      's: Invalid value: "": OpenAPIV3Schema \'schema\' is not supported',
    ]);
  });

  test('Keywords without content are no keywords', () => {
    expect(schemaErrors({ type: 'object', id: '', patternProperties: {}, definitions: {} })).toEqual([]);
  });

  test('What a keyword that is not supported has inside is judged too', () => {
    const inside: JSONSchemaProps = { type: 'x' };
    const problem =
      'Unsupported value: "x": supported values: "array", "boolean", "integer", "number", "object", "string"';
    expect(
      schemaErrors({ definitions: { d: inside }, dependencies: { e: inside, f: ['g'] }, items: [inside] }),
    ).toEqual([
      's.definitions: Forbidden: definitions is not supported',
      's.dependencies: Forbidden: dependencies is not supported',
      's.items: Forbidden: items must be a schema object and not an array',
      `s.definitions[d].type: ${problem}`,
      `s.items[0].type: ${problem}`,
      `s.dependencies[e].type: ${problem}`,
    ]);
  });

  test.each<{ name: string; schema: JSONSchemaProps; errors: string[] }>([
    {
      name: 'a default of metadata at the root',
      schema: { type: 'object', properties: { kind: { type: 'string', default: 'K' } } },
      errors: ['s.properties[kind].default: Forbidden: must not be set in top-level kind'],
    },
    {
      name: 'a default within labels of an embedded object',
      schema: withField({
        type: 'object',
        'x-kubernetes-embedded-resource': true,
        properties: {
          metadata: {
            type: 'object',
            properties: {
              labels: { type: 'object', additionalProperties: { type: 'string', default: 'x' } },
            },
          },
        },
      }),
      errors: [
        's.properties[a].properties[metadata].properties[labels].additionalProperties.default: Forbidden: ' +
          'must not be set inside additionalProperties applying to object metadata',
      ],
    },
    {
      name: 'an object embedded in metadata',
      schema: withField({
        type: 'object',
        'x-kubernetes-embedded-resource': true,
        properties: {
          metadata: {
            type: 'object',
            properties: {
              x: {
                type: 'object',
                'x-kubernetes-embedded-resource': true,
                'x-kubernetes-preserve-unknown-fields': true,
              },
            },
          },
        },
      }),
      errors: [
        's.properties[a].properties[metadata].properties[x].x-kubernetes-embedded-resource: Forbidden: ' +
          'must not be used inside of resource meta',
      ],
    },
    {
      name: 'a list of an unknown type that is no list',
      schema: withField({ type: 'string', 'x-kubernetes-list-type': 'x' }),
      errors: [
        's.properties[a].type: Invalid value: "string": must be array if x-kubernetes-list-type is specified',
        's.properties[a].x-kubernetes-list-type: Unsupported value: "x": supported values: "atomic", "set", "map"',
      ],
    },
    {
      name: 'a set of lists, which are atomic unless they say otherwise',
      schema: withField({
        type: 'array',
        'x-kubernetes-list-type': 'set',
        items: { type: 'array', items: { type: 'string' } },
      }),
      errors: [],
    },
    {
      name: 'a set of maps that are not atomic',
      schema: withField({
        type: 'array',
        'x-kubernetes-list-type': 'set',
        items: { type: 'object', 'x-kubernetes-map-type': 'granular' },
      }),
      errors: [
        's.properties[a].items.x-kubernetes-map-type: Invalid value: "null": ' +
          'must be atomic as item of a list with x-kubernetes-list-type=set',
      ],
    },
    {
      name: 'a key of a map list that may be null',
      schema: withField({
        type: 'array',
        'x-kubernetes-list-type': 'map',
        'x-kubernetes-list-map-keys': ['k'],
        items: { type: 'object', required: ['k'], properties: { k: { type: 'string', nullable: true } } },
      }),
      errors: [
        's.properties[a].items.properties[k].nullable: Forbidden: ' +
          'this property is in x-kubernetes-list-map-keys, so it cannot be nullable',
      ],
    },
    {
      name: 'texts of rules',
      schema: withField(
        { type: 'string' },
        {
          'x-kubernetes-validations': [
            { rule: 'nonsense', message: 'a\rb', messageExpression: ' ', fieldPath: '\n' },
            { rule: 'more nonsense' },
          ],
        },
      ),
      errors: [
        's.x-kubernetes-validations[0].message: Invalid value: "a\\rb": message must not contain line breaks',
        's.x-kubernetes-validations[0].messageExpression: Required value: messageExpression must be non-empty ' +
          'if specified',
        's.x-kubernetes-validations[0].fieldPath: Invalid value: "\\n": fieldPath must be non-empty if specified',
        's.x-kubernetes-validations[0].fieldPath: Invalid value: "\\n": fieldPath must not contain line breaks',
        's.x-kubernetes-validations[0].fieldPath: Invalid value: "\\n": fieldPath must be a valid path',
      ],
    },
  ])('Keywords of schemas: $name', ({ schema, errors }) => {
    expect(schemaErrors(schema)).toEqual(errors);
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
      's.properties[a].x-kubernetes-list-map-keys: Invalid value: []string{"k", "k", "o"}: must not ' +
        'contain duplicate entries',
      's.properties[a].items.properties[o].type: Invalid value: "object": must be a scalar type if parent ' +
        "array's x-kubernetes-list-type is map",
    ]);
  });
});
