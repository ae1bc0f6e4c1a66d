/** Bodies that nest without end, or grow without end, and bodies that are no object of their kind. */
import { describe, expect, test } from 'vitest';
import { codecs } from '../../../src/api/codecs.ts';
import { RawJson } from '../../../src/machinery/value.ts';
import { configMaps, deployments, server, outcome, startBeforeTests } from '../../support/servers/nesting.ts';

startBeforeTests();

const revisions = '/apis/apps/v1/namespaces/default/controllerrevisions';

const definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';

const shapes = [
  { shape: 'lists', nested: (depth: number): string => '['.repeat(depth) + ']'.repeat(depth) },
  { shape: 'objects', nested: (depth: number): string => '{"a":'.repeat(depth) + '1' + '}'.repeat(depth) },
];

const depths = [300, 1_000, 9_990, 10_001, 100_000];

const cases = shapes.flatMap(({ shape, nested }) =>
  depths.map((depth) => ({ name: `${depth} ${shape}`, depth, value: nested(depth), shape })),
);

describe.each(cases)('nested $name', ({ depth, value, shape }) => {
  const isJson = depth <= 10_000;

  test('Nested JSON where a text belongs is refused', async () => {
    const [status, message] = outcome(
      await server.client.send('POST', configMaps, `{"metadata":{"name":"x"},"data":{"k":${value}}}`),
    );
    expect(status).toBe(400);
    expect(message).toContain(
      isJson
        ? `cannot unmarshal ${shape === 'lists' ? 'array' : 'object'} into Go struct field ` +
            'ConfigMap.data of type string'
        : 'exceeded max depth',
    );
  });

  test('Nested JSON in a member that the kind has not is ignored up to the depth that JSON may have', async () => {
    expect(
      (await server.client.send('POST', `${configMaps}?dryRun=All`, `{"metadata":{"name":"x"},"odd":${value}}`)).status,
    ).toBe(isJson ? 201 : 400);
  });

  test('Nested YAML where a text belongs is refused', async () => {
    const answer = await server.client.send('POST', configMaps, `{"metadata":{"name":"x"},"data":{"k":${value}}}`, {
      contentType: 'application/yaml',
    });
    const expected = isJson
      ? `cannot unmarshal ${shape === 'lists' ? 'array' : 'object'} into Go struct field ConfigMap.data of type string`
      : 'yaml: exceeded max depth of 10000';
    expect(outcome(answer)).toEqual([400, expect.stringContaining(expected)]);
  });

  test.each([
    { type: 'application/merge-patch+json', path: `${configMaps}/a`, body: `{"data":{"k":${value}}}` },
    { type: 'application/merge-patch+json', path: `${configMaps}/a`, body: `{"odd":${value}}` },
    {
      type: 'application/strategic-merge-patch+json',
      path: `${deployments}/web`,
      body: `{"spec":{"template":{"odd":${value}}}}`,
    },
    {
      type: 'application/strategic-merge-patch+json',
      path: `${deployments}/web`,
      body: `{"spec":{"template":{"spec":{"containers":[{"name":"c","env":${value}}]}}}}`,
    },
    {
      type: 'application/json-patch+json',
      path: `${configMaps}/a`,
      body:
        `[{"op":"add","path":"/odd","value":${value}},{"op":"copy","from":"/odd","path":"/more"},{"op":"test",` +
        `"path":"/odd","value":${value}}]`,
    },
    {
      type: 'application/apply-patch+yaml',
      path: `${configMaps}/a`,
      body: `{"apiVersion":"v1","kind":"ConfigMap","data":{"k":${value}}}`,
    },
    {
      type: 'application/apply-patch+yaml',
      path: `${configMaps}/a`,
      body: `{"apiVersion":"v1","kind":"ConfigMap","odd":${value}}`,
    },
  ])('Values nested too deeply in a patch of type $type', async ({ type, path, body }) => {
    const [status, message] = outcome(
      await server.client.send('PATCH', `${path}?dryRun=All&fieldManager=m`, body, { contentType: type }),
    );
    if (depth > 500) expect([status, message]).toEqual([400, expect.stringContaining('exceeded max depth')]);
    // What apply says to any value that is not of its type, as upstream.
    else if (type.includes('apply'))
      expect([status, message]).toEqual([500, expect.stringContaining('failed to create typed patch object')]);
    else expect([200, 400, 422]).toContain(status);
  });

  test.skipIf(!isJson)(
    'Nested values are stored where an object carries JSON, read in every encoding, and kept by patches',
    async () => {
      const path = `${revisions}/deep-${shape}-${depth}`;
      const data = shape === 'lists' ? `{"k":${value}}` : value;
      expect(
        (
          await server.client.send(
            'POST',
            revisions,
            `{"metadata":{"name":"deep-${shape}-${depth}"},"revision":1,"data":${data}}`,
          )
        ).status,
      ).toBe(201);
      for (const accept of [
        'application/json',
        'application/yaml',
        'application/vnd.kubernetes.protobuf',
        'application/json;as=Table;v=v1;g=meta.k8s.io',
      ]) {
        expect((await server.client.send('GET', path, undefined, { headers: { accept } })).status, accept).toBe(200);
      }
      expect(
        (await server.client.send('PATCH', path, '{"revision":2}', { contentType: 'application/merge-patch+json' }))
          .status,
      ).toBe(200);
      expect(
        (
          await server.client.send('PATCH', path, '[{"op":"replace","path":"/revision","value":"x"}]', {
            contentType: 'application/json-patch+json',
          })
        ).status,
      ).toBe(422);
      expect(
        (
          await server.client.send('PATCH', path, '{"revision":"x"}', {
            contentType: 'application/strategic-merge-patch+json',
          })
        ).status,
      ).toBe(422);
      const { body } = await server.client.send('GET', path);
      expect(body.includes(data)).toBe(true);
    },
  );

  test('Nested values in a field set of managed fields are taken up to the depth that JSON may have', async () => {
    const fields = shape === 'lists' ? value : value.replaceAll('"a"', '"f:a"').replace('1', '{}');
    const entry = `{"manager":"m","operation":"Apply","apiVersion":"v1","fieldsType":"FieldsV1","fieldsV1":${fields}}`;
    const created = await server.client.send(
      'POST',
      configMaps,
      `{"metadata":{"name":"fields-${shape}-${depth}","managedFields":[${entry}]}}`,
    );
    expect(created.status).toBe(isJson ? 201 : 400);
    if (!isJson) return;
    const applied = await server.client.send(
      'PATCH',
      `${configMaps}/fields-${shape}-${depth}?fieldManager=m&force=true`,
      'apiVersion: v1\nkind: ConfigMap\ndata: {a: b}\n',
      { contentType: 'application/apply-patch+yaml' },
    );
    expect(applied.status).toBe(200);
  });

  test('Nested values in a schema of a custom resource are answered, as a default and as a schema', async () => {
    const definition = (schema: string): string =>
      '{"metadata":{"name":"xs.e.com"},"spec":{"group":"e.com","scope":"Namespaced","names":{"plural":"xs",' +
      '"kind":"X"},"versions":[{"name":"v1","served":true,"storage":true,' +
      `"schema":{"openAPIV3Schema":${schema}}}]}}`;
    const schemas = [
      `{"type":"object","default":${value}}`,
      '{"type":"array","items":'.repeat(depth) + '{}' + '}'.repeat(depth),
    ];
    for (const schema of schemas) {
      const [status] = outcome(await server.client.send('POST', `${definitions}?dryRun=All`, definition(schema)));
      expect(depth > 500 ? [400, 413] : [201, 400, 422]).toContain(status);
    }
  });
});

describe('protobuf that nests without end', () => {
  const varint = (value: number): number[] => (value < 128 ? [value] : [(value & 127) | 128, ...varint(value >>> 7)]);

  /** A message of one field with a message of one field … with length prefixes, from the inside. */
  function nestedMessage(field: number, depth: number): Buffer {
    const parts: Buffer[] = [];
    let length = 0;
    for (let i = 0; i < depth; i++) {
      const head = Buffer.from([...varint(field * 8 + 2), ...varint(length)]);
      parts.push(head);
      length += head.length;
    }
    return Buffer.concat(parts.reverse());
  }

  const field = (number: number, content: Buffer): Buffer =>
    Buffer.concat([Buffer.from([...varint(number * 8 + 2), ...varint(content.length)]), content]);

  function envelope(raw: Buffer): Buffer {
    const typeMeta = Buffer.concat([
      field(1, Buffer.from('apiextensions.k8s.io/v1')),
      field(2, Buffer.from('CustomResourceDefinition')),
    ]);
    return Buffer.concat([Buffer.from('k8s\0'), field(1, typeMeta), field(2, raw)]);
  }

  const definition = (schema: Buffer): Buffer =>
    envelope(field(2, field(7, Buffer.concat([field(1, Buffer.from('v1')), field(4, field(1, schema))]))));

  // JSONSchemaProps: not = 28.
  test.each([250, 10_000, 300_000])('Protobuf that nests without end in %i messages', async (depth) => {
    const [status, message] = outcome(
      await server.client.send('POST', definitions, definition(nestedMessage(28, depth)), {
        contentType: 'application/vnd.kubernetes.protobuf',
        headers: { accept: 'application/json' },
      }),
    );
    expect([status, message]).toEqual([400, expect.stringContaining('nested too deep')]);
  });

  test('Protobuf groups that nest without end, which no message has, are refused', async () => {
    const groups = Buffer.concat([Buffer.alloc(500_000, 0x0b), Buffer.alloc(500_000, 0x0c)]);
    const { status } = await server.client.send('POST', definitions, envelope(groups), {
      contentType: 'application/vnd.kubernetes.protobuf',
      headers: { accept: 'application/json' },
    });
    expect([400, 422]).toContain(status);
  });

  test('Protobuf carries JSON that nests without end', async () => {
    const data = '['.repeat(200_000) + ']'.repeat(200_000);
    const object = {
      metadata: { name: 'from-protobuf', namespace: 'default' },
      revision: 1,
      data: new RawJson(`{"k":${data}}`).asValue(),
    };
    const body = codecs
      .of('apps/v1.ControllerRevision')
      .encodeEnvelope(object, { apiVersion: 'apps/v1', kind: 'ControllerRevision' });
    const { status } = await server.client.send('POST', revisions, body, {
      contentType: 'application/vnd.kubernetes.protobuf',
      headers: { accept: 'application/json' },
    });
    for (const accept of ['application/json', 'application/yaml']) {
      expect([200, 404, 500]).toContain(
        (await server.client.send('GET', `${revisions}/from-protobuf`, undefined, { headers: { accept } })).status,
      );
    }
    expect([201, 400]).toContain(status);
    server.faults.length = 0;
  });
});
