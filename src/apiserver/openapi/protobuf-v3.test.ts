import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../machinery/value.ts';
import { encodeV3 } from './protobuf-v3.ts';
import { decoder } from './testing/decoder.ts';

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
  ])('OpenAPI 3.0 in protobuf has $name', ({ document, decoded }) => {
    expect(V3(encodeV3(document))).toEqual(decoded);
  });
});
