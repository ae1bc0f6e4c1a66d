import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../machinery/value.ts';
import { mergeV2, partV2 } from './merge-v2.ts';
import { encodeV2 } from './protobuf-v2.ts';

const to = (name: string): JsonObject => ({ $ref: `#/definitions/${name}` });
const answers = (name: string): JsonObject => ({
  get: { responses: { 200: { description: 'OK', schema: to(name) } } },
});
const kinds = (...groups: string[]): JsonObject => ({
  'x-kubernetes-group-version-kind': groups.map((group) => ({ group, version: 'v1', kind: 'DeleteOptions' })),
});

const meta = { type: 'object', properties: { name: { type: 'string' } } };
const own: JsonObject = {
  swagger: '2.0',
  info: { title: 'Kubernetes', version: 'v1' },
  paths: { '/api/v1/pods': answers('Pod') },
  definitions: {
    Pod: { properties: { metadata: to('Meta') } },
    Meta: meta,
    Options: { type: 'object', ...kinds('', 'apps') },
  },
  parameters: { pretty: { name: 'pretty', in: 'query', type: 'string' } },
};
const document = (paths: JsonObject, definitions: JsonObject, parameters: JsonObject = {}): JsonObject => ({
  swagger: '2.0',
  info: { title: 'Other', version: 'v9' },
  paths,
  definitions,
  parameters,
});
const part = (paths: JsonObject, definitions: JsonObject, parameters?: JsonObject) =>
  partV2(document(paths, definitions, parameters), 'example.com/v1')!;
const thing = '/apis/example.com/v1/things';

describe('what a server says of an API', () => {
  test('What a server says of an API is the paths of the group version and what they refer to, at any depth', () => {
    const { paths, components } = partV2(
      document(
        {
          [thing]: answers('Thing'),
          '/apis/example.com/': answers('Group'),
          '/apis/example.com/v10/x': answers('Secret'),
          '/apis/apps/v1/deployments': answers('Secret'),
          '/api/v1/pods': answers('Secret'),
        },
        {
          Thing: { properties: { metadata: to('Meta'), parts: { items: to('Part') } } },
          Part: { properties: { whole: to('Thing') } },
          Meta: meta,
          Group: {},
          Secret: {},
        },
      ),
      'example.com/v1',
    )!;
    expect([...paths.keys()]).toEqual([thing, '/apis/example.com/']);
    expect([...components.keys()].sort()).toEqual(
      ['Group', 'Meta', 'Part', 'Thing'].map((name) => `#/definitions/${name}`),
    );
  });

  test.each<{ what: string; document: JsonObject | string | null }>([
    { what: 'none of its paths', document: document({ '/apis/apps/v1/x': {} }, {}) },
    { what: 'no paths', document: { swagger: '2.0' } },
    { what: 'paths that are none', document: { paths: { [thing]: 'x' } } },
    { what: 'a text', document: 'x' },
    { what: 'nothing', document: null },
  ])('What a server says of an API is nothing where there is $what', ({ document }) => {
    expect(partV2(document, 'example.com/v1')).toBeUndefined();
  });

  test('What a server says of an API is refused when it is nested too deep', () => {
    const deep = JSON.parse(`${'{"items":'.repeat(5000)}{}${'}'.repeat(5000)}`) as JsonObject;
    expect(() => part({ [thing]: answers('Thing') }, { Thing: deep })).toThrow('nested more than 100 deep');
  });
});

describe('the document of all', () => {
  test('The merged OpenAPI document is the own one where others say nothing', () => {
    expect(mergeV2(own, [])).toBe(own);
  });

  test('The merged OpenAPI document has paths and definitions of others, and shares those that are equal', () => {
    const merged = mergeV2(own, [
      part({ [thing]: answers('Thing') }, { Thing: { properties: { metadata: to('Meta') } }, Meta: meta }),
    ]);
    expect(merged).toEqual({
      ...own,
      paths: { ...(own['paths'] as JsonObject), [thing]: answers('Thing') },
      definitions: { ...(own['definitions'] as JsonObject), Thing: { properties: { metadata: to('Meta') } } },
    });
  });

  test('The merged OpenAPI document keeps definitions apart that have one name, and what refers to them', () => {
    const other = {
      Thing: { properties: { metadata: to('Meta') } },
      Pod: { properties: { metadata: to('Meta') } },
      Meta: { ...meta, description: 'Other.' },
    };
    const merged = mergeV2(own, [part({ [thing]: { ...answers('Thing'), post: answers('Pod')['get'] } }, other)]);
    expect(merged['definitions']).toEqual({
      ...(own['definitions'] as JsonObject),
      Thing: { properties: { metadata: to('Meta_v2') } },
      Pod_v2: { properties: { metadata: to('Meta_v2') } },
      Meta_v2: other.Meta,
    });
    expect((merged['paths'] as JsonObject)[thing]).toEqual({ ...answers('Thing'), post: answers('Pod_v2')['get'] });
  });

  test('The merged OpenAPI document finds again what another server has brought, and counts on for what is new', () => {
    const from = (group: string, description: string) =>
      partV2(
        document({ [`/apis/${group}/v1/x`]: answers('Meta') }, { Meta: { ...meta, description } }),
        `${group}/v1`,
      )!;
    const merged = mergeV2(own, [from('a', 'One.'), from('b', 'One.'), from('c', 'Another.')]);
    expect(Object.keys(merged['definitions'] as JsonObject)).toEqual(['Meta', 'Meta_v2', 'Meta_v3', 'Options', 'Pod']);
    expect(['a', 'b', 'c'].map((group) => (merged['paths'] as JsonObject)[`/apis/${group}/v1/x`])).toEqual([
      answers('Meta_v2'),
      answers('Meta_v2'),
      answers('Meta_v3'),
    ]);
  });

  test('The merged OpenAPI document shares options that differ only in their kinds, and has all kinds', () => {
    const merged = mergeV2(own, [
      part({ [thing]: answers('Options') }, { Options: { type: 'object', ...kinds('example.com', 'apps') } }),
    ]);
    expect((merged['definitions'] as JsonObject)['Options']).toEqual({
      type: 'object',
      ...kinds('', 'apps', 'example.com'),
    });
    expect((own['definitions'] as JsonObject)['Options']).toEqual({ type: 'object', ...kinds('', 'apps') });
  });

  test('The merged OpenAPI document leaves a path to the document that has it first', () => {
    const first = part({ [thing]: answers('Thing') }, { Thing: { description: 'First.' } });
    const merged = mergeV2(own, [first, part({ [thing]: answers('Other') }, { Other: {} })]);
    expect((merged['paths'] as JsonObject)[thing]).toEqual(answers('Thing'));
    expect(Object.keys(merged['definitions'] as JsonObject)).not.toContain('Other');
  });

  test('The merged OpenAPI document keeps parameters apart as well', () => {
    const withPretty = { parameters: [{ $ref: '#/parameters/pretty' }] };
    const merged = mergeV2(own, [
      part({ [thing]: withPretty }, {}, { pretty: { name: 'pretty', in: 'header', type: 'string' } }),
    ]);
    expect(Object.keys(merged['parameters'] as JsonObject)).toEqual(['pretty', 'pretty_v2']);
    expect((merged['paths'] as JsonObject)[thing]).toEqual({ parameters: [{ $ref: '#/parameters/pretty_v2' }] });
  });

  test('The merged OpenAPI document takes names for what they are', () => {
    const hostile = JSON.parse(
      `{"paths":{"${thing}":{"get":{"$ref":"#/definitions/__proto__"}}},` +
        '"definitions":{"__proto__":{"type":"string"},"constructor":{}}}',
    ) as JsonObject;
    const merged = mergeV2(own, [partV2(hostile, 'example.com/v1')!]);
    expect(Object.hasOwn(merged['definitions'] as JsonObject, '__proto__')).toBe(true);
    expect(({} as JsonObject)['type']).toBeUndefined();
  });

  test('The merged OpenAPI document can be encoded as protobuf also when a member has the wrong type', () => {
    const odd = {
      Thing: { maxLength: -1, minLength: 1e300, properties: 'x', items: null, required: { a: 1 }, type: 7 },
    } as unknown as JsonObject;
    const merged = mergeV2(own, [
      part(
        {
          [thing]: {
            get: { parameters: 'x', responses: null },
            parameters: [null, { in: 'nowhere' }, { in: 'toString' }],
          } as unknown as JsonObject,
        },
        odd,
      ),
    ]);
    expect(Buffer.from(encodeV2(merged)).includes(thing)).toBe(true);
  });
});
