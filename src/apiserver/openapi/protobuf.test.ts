import protobuf from 'protobufjs';
import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../machinery/value.ts';
import { encodeV2 } from './protobuf-v2.ts';
import { encodeV3 } from './protobuf-v3.ts';

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

const V3 = decoder(`
  message Any { optional string yaml = 2; }
  message NamedAny { optional string name = 1; optional Any value = 2; }
  message Document { optional string openapi = 1; optional Info info = 2; optional Paths paths = 4;
    optional Components components = 5; }
  message Info { optional string title = 1; optional string version = 6; }
  message Components { optional Schemas schemas = 1; }
  message Schemas { repeated NamedSchema named = 1; }
  message NamedSchema { optional string name = 1; optional SchemaItem value = 2; }
  message SchemaItem { optional Schema schema = 1; optional Reference reference = 2; }
  message Reference { optional string ref = 1; }
  message Schema { repeated string required = 23; optional string type = 25; repeated SchemaItem allOf = 26;
    repeated SchemaItem oneOf = 27;
    optional Items items = 30; optional Schemas properties = 31; optional Default default = 33;
    optional string description = 34;
    optional string format = 35; repeated NamedAny extensions = 36; }
  message Items { repeated SchemaItem value = 1; }
  message Default { optional double number = 1; optional bool boolean = 2; optional string string = 3; }
  message Paths { repeated NamedPath path = 1; }
  message NamedPath { optional string name = 1; optional Path value = 2; }
  message Path { optional Operation post = 6; repeated ParameterItem parameters = 13; }
  message ParameterItem { optional Parameter parameter = 1; }
  message Parameter { optional string name = 1; optional string in = 2; optional bool required = 4;
    optional SchemaItem schema = 10; }
  message Operation { optional string operationId = 5; optional BodyItem requestBody = 7;
    optional Responses responses = 8; }
  message BodyItem { optional Body body = 1; }
  message Body { optional Content content = 2; optional bool required = 3; }
  message Content { repeated NamedMedia named = 1; }
  message NamedMedia { optional string name = 1; optional Media value = 2; }
  message Media { optional SchemaItem schema = 1; }
  message Responses { repeated NamedResponse named = 2; }
  message NamedResponse { optional string name = 1; optional ResponseItem value = 2; }
  message ResponseItem { optional Response response = 1; }
  message Response { optional string description = 1; optional Content content = 3; }
`);

function decoder(messages: string): (bytes: Uint8Array) => JsonObject {
  const type = protobuf.parse(`syntax = "proto2"; ${messages}`, { keepCase: true }).root.lookupType('Document');
  return (bytes) => type.toObject(type.decode(bytes)) as JsonObject;
}

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
  ])('has $name', ({ document, decoded }) => {
    expect(V2(encodeV2(document))).toEqual(decoded);
  });
});

describe('OpenAPI 3.0 in protobuf', () => {
  const ref = '#/components/schemas/B';

  test.each<{ name: string; document: JsonObject; decoded: JsonObject }>([
    {
      name: 'the head',
      document: { openapi: '3.0.0', info: { title: 'T', version: 'v1' } },
      decoded: { openapi: '3.0.0', info: { title: 'T', version: 'v1' } },
    },
    {
      name: 'properties and their defaults, of which objects cannot be said',
      document: {
        components: {
          schemas: {
            A: {
              type: 'object',
              required: ['n'],
              properties: {
                n: { type: 'integer', default: 0 },
                t: { type: 'string', default: '' },
                s: { default: {}, allOf: [{ $ref: ref }] },
              },
            },
          },
        },
      },
      decoded: {
        components: {
          schemas: {
            named: [
              {
                name: 'A',
                value: {
                  schema: {
                    type: 'object',
                    required: ['n'],
                    properties: {
                      named: [
                        { name: 'n', value: { schema: { type: 'integer', default: { number: 0 } } } },
                        { name: 't', value: { schema: { type: 'string', default: { string: '' } } } },
                        { name: 's', value: { schema: { allOf: [{ reference: { ref } }] } } },
                      ],
                    },
                  },
                },
              },
            ],
          },
        },
      },
    },
    {
      name: 'lists and alternatives',
      document: {
        components: {
          schemas: { A: { items: { $ref: ref }, 'x-kubernetes-list-type': 'set' }, C: { oneOf: [{ type: 'string' }] } },
        },
      },
      decoded: {
        components: {
          schemas: {
            named: [
              {
                name: 'A',
                value: {
                  schema: {
                    items: { value: [{ reference: { ref } }] },
                    extensions: [{ name: 'x-kubernetes-list-type', value: { yaml: '"set"' } }],
                  },
                },
              },
              { name: 'C', value: { schema: { oneOf: [{ schema: { type: 'string' } }] } } },
            ],
          },
        },
      },
    },
    {
      name: 'an operation',
      document: {
        paths: {
          '/a': {
            post: {
              operationId: 'o',
              requestBody: { content: { '*/*': { schema: { $ref: ref } } }, required: true },
              responses: {
                201: { description: 'Created', content: { 'application/json': { schema: { $ref: ref } } } },
              },
            },
            parameters: [{ name: 'n', in: 'path', required: true, schema: { type: 'string' } }],
          },
        },
      },
      decoded: {
        paths: {
          path: [
            {
              name: '/a',
              value: {
                post: {
                  operationId: 'o',
                  requestBody: {
                    body: {
                      content: { named: [{ name: '*/*', value: { schema: { reference: { ref } } } }] },
                      required: true,
                    },
                  },
                  responses: {
                    named: [
                      {
                        name: '201',
                        value: {
                          response: {
                            description: 'Created',
                            content: {
                              named: [{ name: 'application/json', value: { schema: { reference: { ref } } } }],
                            },
                          },
                        },
                      },
                    ],
                  },
                },
                parameters: [
                  { parameter: { name: 'n', in: 'path', required: true, schema: { schema: { type: 'string' } } } },
                ],
              },
            },
          ],
        },
      },
    },
  ])('has $name', ({ document, decoded }) => {
    expect(V3(encodeV3(document))).toEqual(decoded);
  });
});
