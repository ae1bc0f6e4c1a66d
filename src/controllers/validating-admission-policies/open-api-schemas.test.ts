import { beforeEach, expect, test } from 'vitest';
import type { PendingAnswer } from '../../client/index.ts';
import { OpenApiSchemas } from './open-api-schemas.ts';

const ref = (name: string): object => ({ $ref: `#/components/schemas/${name}` });
const kind = { group: 'apps', version: 'v1', kind: 'Thing' };
const documents: Readonly<Record<string, object>> = {
  '/openapi/v3': { paths: { 'apis/apps/v1': { serverRelativeURL: '/openapi/v3/apis/apps/v1?hash=1' } } },
  '/openapi/v3/apis/apps/v1?hash=1': {
    components: {
      schemas: {
        Thing: {
          type: 'object',
          properties: {
            spec: { allOf: [ref('Spec')], default: {} },
            port: { format: 'int-or-string', oneOf: [{ type: 'integer' }, { type: 'string' }] },
          },
          'x-kubernetes-group-version-kind': [kind],
        },
        Spec: {
          type: 'object',
          properties: {
            items: { type: 'array', items: ref('Spec') },
            labels: { type: 'object', additionalProperties: ref('Text') },
          },
        },
        Text: { type: 'string' },
      },
    },
  },
};

let asked: string[];
let schemas: OpenApiSchemas;

beforeEach(() => {
  asked = [];
  schemas = new OpenApiSchemas({
    request({ path }) {
      asked.push(path);
      const document = documents[path];
      return Promise.resolve({
        status: document === undefined ? 503 : 200,
        headers: new Headers({ 'content-type': 'application/json' }),
        body: [Buffer.from(JSON.stringify(document ?? {}))],
        end: () => undefined,
      } as unknown as PendingAnswer);
    },
  });
});

test('A schema is published with what it refers to, and what contains itself is anything', async () => {
  const schema = await schemas.schemaOf(kind);
  expect(schema?.properties).toEqual({
    spec: {
      type: 'object',
      default: {},
      properties: {
        items: {
          type: 'array',
          items: { type: 'object', nullable: true, 'x-kubernetes-preserve-unknown-fields': true },
        },
        labels: { type: 'object', additionalProperties: { type: 'string' } },
      },
    },
    port: { format: 'int-or-string', 'x-kubernetes-int-or-string': true },
  });
});

test('A document is read once while its address is the same', async () => {
  await schemas.schemaOf(kind);
  await schemas.schemaOf(kind);
  expect(asked).toEqual(['/openapi/v3', '/openapi/v3/apis/apps/v1?hash=1', '/openapi/v3']);
});

test('A kind or a group that is not published has no schema', async () => {
  expect(await schemas.schemaOf({ ...kind, kind: 'Other' })).toBeUndefined();
  expect(await schemas.schemaOf({ ...kind, group: 'other' })).toBeUndefined();
});

test('A hundred schemas of OpenAPI are kept', async () => {
  for (let index = 0; index < 100; index++) await schemas.schemaOf({ ...kind, kind: `Other${index}` });
  asked = [];
  await schemas.schemaOf({ ...kind, kind: 'Other99' });
  expect(asked).toEqual(['/openapi/v3']);
  await schemas.schemaOf(kind);
  asked = [];
  await schemas.schemaOf({ ...kind, kind: 'Other99' });
  expect(asked).toEqual(['/openapi/v3', '/openapi/v3/apis/apps/v1?hash=1']);
});
