import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { hasShared, sharedPath } from '../../../test/support/shared.ts';
import { gated, groupVersions, type ResourceInfo } from '../../api/resources.ts';
import { isObject, type JsonObject, type JsonValue } from '../../machinery/value.ts';
import { OpenApi, type Rendition } from './openapi.ts';

const served = groupVersions
  .filter(({ enabledByDefault }) => enabledByDefault)
  .map((info) => ({ ...info, resources: info.resources.map((resource) => gated(resource)) }));
const openApi = new OpenApi({ version: 'v1.32.13', groupVersions: () => served });

const parse = ({ body }: Rendition): JsonObject => JSON.parse(Buffer.from(body).toString()) as JsonObject;
const v2 = (): JsonObject => parse(openApi.v2('json'));
const v3 = (key: string): JsonObject => parse(openApi.v3(key, 'json') as Rendition);

describe('documents', () => {
  test('Version 2 of OpenAPI has every reference that it uses', () => {
    const document = v2();
    const text = JSON.stringify(document);
    for (const section of ['definitions', 'parameters']) {
      const referred = new Set([...text.matchAll(new RegExp(`"#/${section}/([^"]+)"`, 'g'))].map(([, name]) => name));
      expect([...referred].filter((name) => !((name as string) in (document[section] as JsonObject)))).toEqual([]);
      expect(referred.size).toBeGreaterThan(20);
    }
  });

  test('Each operation has an id of its own', () => {
    const ids = [...JSON.stringify(v2()).matchAll(/"operationId":"([^"]+)"/g)].map(([, id]) => id);
    expect(ids.length).toBe(new Set(ids).size);
  });

  test('Clients that look for dryRun in a patch find it in OpenAPI version 2', () => {
    const path = (v2()['paths'] as Record<string, { patch: { parameters: JsonObject[] } }>)[
      '/api/v1/namespaces/{namespace}/pods/{name}'
    ];
    expect(path?.patch.parameters.map(({ name }) => name)).toEqual(
      expect.arrayContaining(['dryRun', 'fieldValidation']),
    );
  });

  test('Version 3 of OpenAPI has a complete document for each group version', () => {
    const document = v3('apis/apps/v1');
    const referred = new Set(
      [...JSON.stringify(document).matchAll(/"#\/components\/schemas\/([^"]+)"/g)].map(([, name]) => name),
    );
    const { schemas } = document['components'] as { schemas: JsonObject };
    expect(Object.keys(schemas)).toEqual([...referred].sort());
  });

  test('OpenAPI documents have only what is served', () => {
    const filtered = served.filter(({ apiVersion }) => apiVersion === 'v1');
    const small = new OpenApi({ version: 'v1', groupVersions: () => filtered });
    expect(Object.keys(parse(small.v3Index())['paths'] as JsonObject)).toEqual([
      '.well-known/openid-configuration',
      'api',
      'api/v1',
      'apis',
      'openid/v1/jwks',
      'version',
    ]);
    expect(small.v3('apis/apps/v1', 'json')).toBeUndefined();
  });
});

describe('renditions', () => {
  test('Renditions of an OpenAPI document carry the hash of their bytes', () => {
    const { body, etag, contentType } = openApi.v2('json');
    expect(etag).toBe(createHash('sha512').update(body).digest('hex').toUpperCase());
    expect(contentType).toBe('application/json');
  });

  test('Each encoding of a document is made once', () => {
    expect(openApi.v2('protobuf')).toBe(openApi.v2('protobuf'));
    expect(openApi.v3('api/v1', 'json')).toBe(openApi.v3('api/v1', 'json'));
  });

  test('The index names the hash of each document, before and after it was made', () => {
    const fresh = new OpenApi({ version: 'v1.32.13', groupVersions: () => served });
    const url = (index: Rendition): unknown =>
      (parse(index)['paths'] as Record<string, JsonObject>)['apis/apps/v1']?.['serverRelativeURL'];
    expect(url(fresh.v3Index())).toBe(`/openapi/v3/apis/apps/v1?hash=${openApi.v3('apis/apps/v1', 'json')?.etag}`);
    expect(url(openApi.v3Index())).toBe(url(fresh.v3Index()));
    expect(openApi.v3('apis/apps/v1', 'protobuf')?.etag).toBe(openApi.v3('apis/apps/v1', 'json')?.etag);
  });

  test('Renditions of an OpenAPI document change with what is served', () => {
    const others = served.slice(1);
    const other = new OpenApi({ version: 'v1.32.13', groupVersions: () => others });
    expect(other.v2('json').etag).not.toBe(openApi.v2('json').etag);
  });
});

describe('custom resources', () => {
  const schema: JsonObject = {
    type: 'object',
    properties: {
      spec: {
        type: 'object',
        required: ['a', 'n'],
        properties: {
          a: { type: 'string', default: 'x' },
          n: { type: 'string', nullable: true },
          v: { 'x-kubernetes-int-or-string': true, anyOf: [{ type: 'integer' }, { type: 'string' }] },
          o: { type: 'object', 'x-kubernetes-embedded-resource': true, 'x-kubernetes-preserve-unknown-fields': true },
        },
      },
    },
  };
  const group = 'stable.example.com';
  const resource: ResourceInfo = {
    ...served[0]!.resources[0]!,
    group,
    version: 'v1',
    apiVersion: `${group}/v1`,
    name: 'widgets',
    kind: 'Widget',
    listKind: 'WidgetList',
    namespaced: true,
    type: 'custom:com.example.stable.v1.Widget',
    schema,
    verbs: ['delete', 'deletecollection', 'get', 'list', 'patch', 'create', 'update', 'watch'],
    subresources: [{ name: 'status', kind: 'Widget', apiVersion: `${group}/v1`, verbs: ['get', 'patch', 'update'] }],
  };
  const withWidgets = [
    ...served,
    {
      group,
      version: 'v1',
      apiVersion: `${group}/v1`,
      types: '',
      groupPriority: 1000,
      versionPriority: 100,
      enabledByDefault: true,
      isCustom: true,
      resources: [resource],
    },
  ];
  let current: typeof served = served;
  const changing = new OpenApi({ version: 'v1.32.13', groupVersions: () => current });
  const key = `apis/${group}/v1`;

  test('Custom resources come into the documents and go, and the other documents stay', () => {
    const before = {
      v2: changing.v2('json').etag,
      index: changing.v3Index().etag,
      apps: changing.v3('apis/apps/v1', 'json'),
    };
    expect(changing.v3(key, 'json')).toBeUndefined();
    current = withWidgets;
    expect(changing.v2('json').etag).not.toBe(before.v2);
    expect(changing.v3Index().etag).not.toBe(before.index);
    expect(changing.v3('apis/apps/v1', 'json')).toBe(before.apps);
    const document = parse(changing.v3(key, 'json')!);
    const referred = new Set(
      [...JSON.stringify(document).matchAll(/"#\/components\/schemas\/([^"]+)"/g)].map(([, name]) => name),
    );
    expect(Object.keys((document['components'] as { schemas: JsonObject }).schemas)).toEqual([...referred].sort());
    expect(Object.keys(document['paths'] as JsonObject)).toEqual([
      '/apis/stable.example.com/v1/',
      '/apis/stable.example.com/v1/namespaces/{namespace}/widgets',
      '/apis/stable.example.com/v1/namespaces/{namespace}/widgets/{name}',
      '/apis/stable.example.com/v1/namespaces/{namespace}/widgets/{name}/status',
      '/apis/stable.example.com/v1/widgets',
    ]);
    const { [`/${key}/`]: _discovery, ...ofWidgets } = document['paths'] as JsonObject;
    expect(JSON.stringify(ofWidgets)).not.toMatch(/strategic-merge|"application\/vnd\.kubernetes\.protobuf"/);
    current = served;
    expect([changing.v2('json').etag, changing.v3Index().etag, changing.v3(key, 'json')]).toEqual([
      before.v2,
      before.index,
      undefined,
    ]);
  });

  test('Custom resources have their whole schema in version 3, and what old clients understand in version 2', () => {
    current = withWidgets;
    const { schemas } = parse(changing.v3(key, 'json')!)['components'] as { schemas: Record<string, JsonObject> };
    const specOf = (definition: JsonObject): JsonObject => (definition['properties'] as { spec: JsonObject }).spec;
    const name = 'com.example.stable.v1.Widget';
    expect(specOf(schemas[name]!)['properties']).toMatchObject({
      a: { default: 'x' },
      n: { nullable: true },
      v: { anyOf: [{ type: 'integer' }, { type: 'string' }] },
      o: {
        properties: {
          metadata: { allOf: [{ $ref: '#/components/schemas/io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta' }] },
        },
      },
    });
    expect(schemas[name]!['x-kubernetes-group-version-kind']).toEqual([{ group, kind: 'Widget', version: 'v1' }]);
    const old = (parse(changing.v2('json'))['definitions'] as Record<string, JsonObject>)[name]!;
    expect(specOf(old)).toMatchObject({
      required: ['a'],
      properties: { a: { type: 'string' }, n: {}, v: { 'x-kubernetes-int-or-string': true } },
    });
    expect(JSON.stringify(specOf(old))).not.toMatch(/anyOf|default|nullable/);
    expect(changing.v3(key, 'protobuf')!.body.length).toBeGreaterThan(1000);
    expect(changing.v2('protobuf').body.length).toBeGreaterThan(1000);
    const { o } = specOf(old)['properties'] as { o: JsonObject };
    // Members would be all that clients of version 2 let pass.
    expect(Object.keys(o)).not.toContain('properties');
  });

  test('Custom resources that preserve unknown fields have members in version 3 alone', () => {
    const open = { ...schema, description: 'A widget.', 'x-kubernetes-preserve-unknown-fields': true };
    current = withWidgets.map((info) =>
      info.group === group ? { ...info, resources: [{ ...resource, schema: open }] } : info,
    );
    const name = 'com.example.stable.v1.Widget';
    expect((parse(changing.v2('json'))['definitions'] as Record<string, JsonObject>)[name]).toEqual({
      type: 'object',
      'x-kubernetes-group-version-kind': [{ group, kind: 'Widget', version: 'v1' }],
    });
    const { schemas } = parse(changing.v3(key, 'json')!)['components'] as { schemas: Record<string, JsonObject> };
    const members = Object.keys(schemas[name]!['properties'] as JsonObject);
    expect(members.sort()).toEqual(['apiVersion', 'kind', 'metadata', 'spec']);
  });

  test.each(['v2', 'v3'] as const)(
    'Descriptions of members of all custom objects begin as clients expect in %s',
    (version) => {
      current = withWidgets;
      const document = parse(version === 'v2' ? changing.v2('json') : changing.v3(key, 'json')!);
      const { definitions, components } = document as { definitions?: JsonObject; components?: JsonObject };
      const schemas = definitions ?? (components!['schemas'] as JsonObject);
      for (const name of ['Widget', 'WidgetList']) {
        const { properties } = schemas[`com.example.stable.v1.${name}`] as { properties: Record<string, JsonObject> };
        expect(properties['apiVersion']!['description']).toMatch(/^APIVersion defines /);
        expect(properties['kind']!['description']).toMatch(/^Kind is /);
        expect(properties['metadata']!['description']).toMatch(/^Standard (object's|list) metadata/);
      }
    },
  );
});

interface GoldenCase {
  id: string;
  steps: { response: { body: string & { count: Record<string, number>; parts: Record<string, JsonValue> } } }[];
}

const golden = hasShared('golden/protocol-discovery.jsonl')
  ? readFileSync(sharedPath('golden/protocol-discovery.jsonl'), 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as GoldenCase)
  : [];
const answer = (id: string): GoldenCase['steps'][0]['response']['body'] =>
  (golden.find((one) => one.id === id) as GoldenCase).steps[0]!.response.body;

const at = (document: JsonObject, path: string): JsonValue | undefined =>
  path.split('|').reduce<JsonValue | undefined>((value, name) => (isObject(value) ? value[name] : undefined), document);

/** The recorded answers have no descriptions. */
function bare(value: JsonValue | undefined): JsonValue | undefined {
  if (Array.isArray(value)) return value.map((element) => bare(element) as JsonValue);
  if (!isObject(value)) return value;
  const kept = Object.entries(value).filter(
    ([name, member]) => !(name === 'description' && typeof member === 'string'),
  );
  return Object.fromEntries(kept.map(([name, member]) => [name, bare(member)]));
}

describe.skipIf(golden.length === 0)('recorded answers of a 1.32 server (skipped where golden/ is absent)', () => {
  test.each([
    { id: 'openapi-v2', document: v2 },
    { id: 'openapi-v3-apps', document: () => v3('apis/apps/v1') },
  ])('Recorded answers of a 1.32 server: $id', ({ id, document }) => {
    const ours = document();
    const { count, parts } = answer(id);
    for (const [path, expected] of Object.entries(parts)) expect(bare(at(ours, path)), path).toEqual(expected);
    for (const [path, expected] of Object.entries(count)) {
      expect(Object.keys(at(ours, path) as JsonObject), path).toHaveLength(expected);
    }
  });

  test('The index of OpenAPI v3 is that of the recording', () => {
    const { body, contentType } = openApi.v3Index();
    expect(
      Buffer.from(body)
        .toString()
        .replaceAll(/hash=[0-9A-F]{128}/g, 'hash=<hash>'),
    ).toBe(answer('openapi-v3-index'));
    expect(contentType).toBe('text/plain; charset=utf-8');
  });
});
