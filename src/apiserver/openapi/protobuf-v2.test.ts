import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../machinery/value.ts';
import { encodeV2 } from './protobuf-v2.ts';
import { decoder } from './testing/decoder.ts';

/** The messages that clients decode, as far as the cases below need them. `named` is a list of names with values. */
const V2 = decoder(`
  message Any { optional string yaml = 2; }
  message NamedAny { optional string name = 1; optional Any value = 2; }
  message Document { optional string swagger = 1; optional Info info = 2; optional Paths paths = 8;
    optional Definitions definitions = 9;
    optional Parameters parameters = 10; repeated Requirement security = 12;
    optional Security securityDefinitions = 13; }
  message Info { optional string title = 1; optional string version = 2; }
  message Definitions { repeated NamedSchema named = 1; }
  message NamedSchema { optional string name = 1; optional Schema value = 2; }
  message Schema { optional string ref = 1; optional string format = 2; optional string description = 4;
    repeated string required = 19;
    repeated Any enum = 20; optional Additional additionalProperties = 21; optional Strings type = 22;
    optional Items items = 23;
    optional Definitions properties = 25; repeated NamedAny extensions = 31; }
  message Strings { repeated string value = 1; }
  message Items { repeated Schema schema = 1; }
  message Additional { optional Schema schema = 1; optional bool boolean = 2; }
  message Paths { repeated NamedPath path = 2; }
  message NamedPath { optional string name = 1; optional Path value = 2; }
  message Path { optional Operation get = 2; optional Operation patch = 8; repeated ParameterItem parameters = 9; }
  message Operation { repeated string tags = 1; optional string operationId = 5; repeated string produces = 6;
    repeated string consumes = 7;
    repeated ParameterItem parameters = 8; optional Responses responses = 9; repeated NamedAny extensions = 13; }
  message ParameterItem { optional Parameter parameter = 1; optional Schema reference = 2; }
  message Parameter { optional Body body = 1; optional NonBody nonBody = 2; }
  message Body { optional string name = 2; optional string in = 3; optional bool required = 4;
    optional Schema schema = 5; }
  message NonBody { optional Query query = 3; optional InPath path = 4; }
  message Query { optional string in = 2; optional string name = 4; optional string type = 6;
    optional bool uniqueItems = 20; }
  message InPath { optional bool required = 1; optional string in = 2; optional string name = 4;
    optional string type = 5; }
  message Parameters { repeated NamedParameter named = 1; }
  message NamedParameter { optional string name = 1; optional Parameter value = 2; }
  message Responses { repeated NamedResponse code = 1; }
  message NamedResponse { optional string name = 1; optional ResponseValue value = 2; }
  message ResponseValue { optional Response response = 1; }
  message Response { optional string description = 1; optional SchemaItem schema = 2; }
  message SchemaItem { optional Schema schema = 1; }
  message Requirement { repeated NamedStrings named = 1; }
  message NamedStrings { optional string name = 1; optional Strings value = 2; }
  message Security { repeated NamedScheme named = 1; }
  message NamedScheme { optional string name = 1; optional Scheme value = 2; }
  message Scheme { optional ApiKey apiKey = 2; }
  message ApiKey { optional string type = 1; optional string name = 2; optional string in = 3; }
`);

describe('OpenAPI 2.0 in protobuf', () => {
  const parameter = { name: 'dryRun', in: 'query', type: 'string', uniqueItems: true };

  test.each<{ name: string; document: JsonObject; decoded: JsonObject }>([
    {
      name: 'the head',
      document: { swagger: '2.0', info: { title: 'T', version: 'v1' }, security: [{ BearerToken: [] }] },
      decoded: {
        swagger: '2.0',
        info: { title: 'T', version: 'v1' },
        security: [{ named: [{ name: 'BearerToken', value: {} }] }],
      },
    },
    {
      name: 'the security schemes',
      document: { securityDefinitions: { B: { type: 'apiKey', name: 'authorization', in: 'header' } } },
      decoded: {
        securityDefinitions: {
          named: [{ name: 'B', value: { apiKey: { type: 'apiKey', name: 'authorization', in: 'header' } } }],
        },
      },
    },
    {
      name: 'a struct',
      document: {
        definitions: {
          A: {
            type: 'object',
            description: 'D',
            required: ['a'],
            properties: { a: { type: 'integer', format: 'int32' } },
          },
        },
      },
      decoded: {
        definitions: {
          named: [
            {
              name: 'A',
              value: {
                type: { value: ['object'] },
                description: 'D',
                required: ['a'],
                properties: { named: [{ name: 'a', value: { type: { value: ['integer'] }, format: 'int32' } }] },
              },
            },
          ],
        },
      },
    },
    {
      name: 'lists, maps and references',
      document: {
        definitions: {
          A: { items: { $ref: '#/definitions/B' } },
          B: { additionalProperties: { type: 'string', enum: ['x'] } },
        },
      },
      decoded: {
        definitions: {
          named: [
            { name: 'A', value: { items: { schema: [{ ref: '#/definitions/B' }] } } },
            {
              name: 'B',
              value: { additionalProperties: { schema: { type: { value: ['string'] }, enum: [{ yaml: '"x"' }] } } },
            },
          ],
        },
      },
    },
    {
      name: 'extensions as YAML',
      document: { definitions: { A: { 'x-kubernetes-list-map-keys': ['a', 'b'] } } },
      decoded: {
        definitions: {
          named: [
            {
              name: 'A',
              value: { extensions: [{ name: 'x-kubernetes-list-map-keys', value: { yaml: '["a","b"]' } }] },
            },
          ],
        },
      },
    },
    {
      name: 'shared parameters',
      document: { parameters: { p: parameter } },
      decoded: { parameters: { named: [{ name: 'p', value: { nonBody: { query: parameter } } }] } },
    },
    {
      name: 'an operation',
      document: {
        paths: {
          '/a/{name}': {
            patch: {
              tags: ['t'],
              operationId: 'o',
              consumes: ['c'],
              produces: ['p'],
              'x-kubernetes-action': 'patch',
              parameters: [
                { name: 'body', in: 'body', required: true, schema: { $ref: '#/definitions/A' } },
                parameter,
                { $ref: '#/parameters/p' },
              ],
              responses: { 200: { description: 'OK', schema: { type: 'string' } } },
            },
            parameters: [{ name: 'name', in: 'path', required: true, type: 'string' }],
          },
        },
      },
      decoded: {
        paths: {
          path: [
            {
              name: '/a/{name}',
              value: {
                patch: {
                  tags: ['t'],
                  operationId: 'o',
                  consumes: ['c'],
                  produces: ['p'],
                  extensions: [{ name: 'x-kubernetes-action', value: { yaml: '"patch"' } }],
                  parameters: [
                    {
                      parameter: {
                        body: { name: 'body', in: 'body', required: true, schema: { ref: '#/definitions/A' } },
                      },
                    },
                    { parameter: { nonBody: { query: parameter } } },
                    { reference: { ref: '#/parameters/p' } },
                  ],
                  responses: {
                    code: [
                      {
                        name: '200',
                        value: { response: { description: 'OK', schema: { schema: { type: { value: ['string'] } } } } },
                      },
                    ],
                  },
                },
                parameters: [
                  { parameter: { nonBody: { path: { name: 'name', in: 'path', required: true, type: 'string' } } } },
                ],
              },
            },
          ],
        },
      },
    },
  ])('OpenAPI 2.0 in protobuf has $name', ({ document, decoded }) => {
    expect(V2(encodeV2(document))).toEqual(decoded);
  });
});
