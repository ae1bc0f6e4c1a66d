import { describe, expect, test } from 'vitest';
import { patchType } from './patch-body.ts';
import { type Answer, type EndpointsServer, type Json, startEndpoints } from './testing/endpoints-server.ts';

const collection = '/apis/apps/v1/namespaces/x/deployments';
const path = `${collection}/d`;
const labels = { app: 'web' };
const deployment: Json = {
  metadata: { name: 'd', labels: { team: 'a' } },
  spec: {
    replicas: 2,
    selector: { matchLabels: labels },
    template: { metadata: { labels }, spec: { containers: [{ name: 'c', image: 'i' }] } },
  },
};
const mediaTypes = {
  json: 'application/json-patch+json',
  merge: 'application/merge-patch+json',
  strategic: 'application/strategic-merge-patch+json',
  apply: 'application/apply-patch+yaml',
} as const;

async function start(): Promise<EndpointsServer> {
  const server = await startEndpoints();
  await server.done('POST', collection, deployment);
  return server;
}

async function patch(type: keyof typeof mediaTypes, body: unknown, query = ''): Promise<Answer> {
  const server = await start();
  return server.send('PATCH', `${path}?fieldManager=tester${query}`, body, mediaTypes[type]);
}

describe('the type of a patch', () => {
  test.each([
    { contentType: 'application/json-patch+json', type: 'json' },
    { contentType: 'application/merge-patch+json; charset=utf-8', type: 'merge' },
    { contentType: ' Application/Strategic-Merge-Patch+JSON ', type: 'strategic' },
    { contentType: 'application/apply-patch+yaml', type: 'apply' },
  ])('The type of a patch with content type "$contentType" is $type', ({ contentType, type }) =>
    expect(patchType(contentType, false)).toBe(type),
  );

  test.each([
    { name: 'no content type', contentType: undefined, isCustom: false },
    { name: 'JSON', contentType: 'application/json', isCustom: false },
    { name: 'a strategic merge of a custom object', contentType: mediaTypes.strategic, isCustom: true },
    { name: 'JSON for a custom object', contentType: 'application/json', isCustom: true },
  ])('A patch with $name is answered 415', ({ contentType, isCustom }) =>
    expect(() => patchType(contentType, isCustom)).toThrow(
      expect.objectContaining({ code: 415, reason: 'UnsupportedMediaType' }) as Error,
    ),
  );
});

describe('what a patch makes of an object', () => {
  const container = { name: 'c', image: 'j' };

  test.each<{ type: keyof typeof mediaTypes; body: unknown; becomes: Json }>([
    {
      type: 'json',
      body: [{ op: 'replace', path: '/spec/replicas', value: 3 }],
      becomes: { spec: { replicas: 3, template: { spec: { containers: [{ name: 'c', image: 'i' }] } } } },
    },
    {
      type: 'merge',
      body: { metadata: { labels: { team: null, tier: 'b' } } },
      becomes: { metadata: { labels: { tier: 'b' } } },
    },
    {
      type: 'strategic',
      body: { spec: { template: { spec: { containers: [{ name: 'side', image: 's' }] } } } },
      becomes: { spec: { template: { spec: { containers: [{ name: 'side' }, { name: 'c', image: 'i' }] } } } },
    },
    {
      type: 'apply',
      body: { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'd', labels: { tier: 'c' } } },
      becomes: { metadata: { labels: { team: 'a', tier: 'c' } } },
    },
  ])('A patch of type $type changes what it names and nothing else', async ({ type, body, becomes }) => {
    const { status, body: after } = await patch(type, body);
    expect([status, after]).toEqual([200, expect.objectContaining({ kind: 'Deployment' })]);
    expect(after).toMatchObject(becomes);
  });

  test('A merge patch replaces a list, which a strategic merge patch merges by key', async () => {
    const body = { spec: { template: { spec: { containers: [container] } } } };
    const { body: after } = await patch('merge', body);
    expect(after).toMatchObject({ spec: { template: { spec: { containers: [container] } } } });
  });

  test('A member that a patch removes gets its default again', async () => {
    const { body } = await patch('json', [{ op: 'remove', path: '/spec/replicas' }]);
    expect(body).toMatchObject({ spec: { replicas: 1 } });
  });

  test.each([
    { type: 'strategic' as const, status: 200 },
    { type: 'merge' as const, status: 422 },
  ])('An older apiVersion in a patch of type $type is answered $status', async ({ type, status }) => {
    const body = { apiVersion: 'apps/v1beta1', kind: 'Deployment', spec: { replicas: 4 } };
    expect((await patch(type, body)).status).toBe(status);
  });
});

describe('a patch that cannot be applied', () => {
  test.each<{ name: string; type: keyof typeof mediaTypes; body: unknown; is: Partial<Answer> }>([
    {
      name: 'text that is no JSON',
      type: 'merge',
      body: '{"a":',
      is: { status: 400, reason: 'BadRequest', message: 'error decoding patch: unexpected end of JSON input' },
    },
    {
      name: 'a list as a merge patch',
      type: 'merge',
      body: '[]',
      is: { status: 400, reason: 'BadRequest' },
    },
    {
      name: 'a JSON patch that is no list',
      type: 'json',
      body: '{}',
      is: { status: 400, reason: 'BadRequest' },
    },
    {
      name: 'a test that fails',
      type: 'json',
      body: [{ op: 'test', path: '/spec/replicas', value: 9 }],
      is: { status: 422, reason: 'Invalid' },
    },
    {
      name: 'a path that is not there',
      type: 'json',
      body: [{ op: 'remove', path: '/spec/nothing' }],
      is: { status: 422, reason: 'Invalid' },
    },
    {
      name: 'a value that does not fit its field',
      type: 'merge',
      body: { spec: { replicas: 'many' } },
      is: { status: 422, reason: 'Invalid' },
    },
    {
      name: 'another kind that exists',
      type: 'merge',
      body: { apiVersion: 'v1', kind: 'ConfigMap' },
      is: { status: 422, reason: 'Invalid' },
    },
    {
      name: 'a kind that does not exist',
      type: 'merge',
      body: { kind: 'Nothing' },
      is: { status: 422, reason: 'Invalid' },
    },
    {
      name: 'YAML that is none',
      type: 'apply',
      body: 'a: [',
      is: { status: 400, reason: 'BadRequest' },
    },
    {
      name: 'a configuration that is a list',
      type: 'apply',
      body: '- a',
      is: {
        status: 400,
        reason: 'BadRequest',
        message:
          'error decoding YAML: error unmarshaling JSON: while decoding JSON: json: cannot unmarshal array into Go ' +
          'value of type map[string]interface {}',
      },
    },
  ])('A patch is refused for $name', async ({ type, body, is }) => expect(await patch(type, body)).toMatchObject(is));

  test.each<{ type: keyof typeof mediaTypes; validation: string; body: unknown; status: number; message: string }>([
    { type: 'json', validation: 'Ignore', body: '[{', status: 400, message: 'unexpected end of JSON input' },
    {
      type: 'json',
      validation: 'Warn',
      body: '[{',
      status: 400,
      message: 'error decoding patch: unexpected end of JSON input',
    },
    { type: 'merge', validation: 'Ignore', body: '{', status: 400, message: 'Invalid JSON Patch' },
    {
      type: 'merge',
      validation: 'Strict',
      body: '{',
      status: 400,
      message: 'error decoding patch: unexpected end of JSON input',
    },
    { type: 'strategic', validation: 'Ignore', body: '{', status: 400, message: 'unexpected end of JSON input' },
    { type: 'strategic', validation: 'Strict', body: '{', status: 400, message: 'unexpected end of JSON input' },
    {
      type: 'strategic',
      validation: 'Strict',
      body: { metadata: { labels: 'x' } },
      status: 422,
      message: ' "" is invalid: patch: Invalid value: "map[metadata:map[labels:x]]": cannot restore map from string',
    },
    {
      type: 'strategic',
      validation: 'Ignore',
      body: { metadata: { labels: { a: 5 } } },
      status: 422,
      message:
        ' "" is invalid: patch: Invalid value: "map[metadata:map[labels:map[a:5]]]": cannot convert int64 to string',
    },
    {
      type: 'strategic',
      validation: 'Strict',
      body: { spec: { replicas: 3, odd: 1 }, better: 2 },
      status: 422,
      message:
        ' "" is invalid: patch: Invalid value: "map[better:2 spec:map[odd:1 replicas:3]]": strict decoding error: ' +
        'unknown field "better", unknown field "spec.odd"',
    },
  ])('A patch of type $type with $body is refused under $validation: $message', async (row) => {
    expect(await patch(row.type, row.body, `&fieldValidation=${row.validation}`)).toMatchObject({
      status: row.status,
      message: row.message,
    });
  });

  test.each(['json', 'merge', 'strategic'] as const)(
    'A malformed patch of type %s of nothing is answered 404',
    async (type) => {
      const server = await startEndpoints();
      expect(await server.send('PATCH', path, '{', mediaTypes[type])).toMatchObject({ status: 404 });
    },
  );

  test('A patch that is refused leaves the object as it was', async () => {
    const server = await start();
    const before = await server.done('GET', path);
    await server.send('PATCH', path, { spec: { replicas: 'many' } }, mediaTypes.merge);
    expect(await server.done('GET', path)).toEqual(before);
  });
});

describe('fieldValidation of a patch', () => {
  const unknown: readonly { type: 'json' | 'merge'; body: unknown }[] = [
    { type: 'json', body: [{ op: 'add', path: '/spec/odd', value: 1 }] },
    { type: 'merge', body: { spec: { odd: 1 } } },
  ];

  test.each(unknown)('An unknown field of a $type patch is an error with Strict', async ({ type, body }) =>
    expect(await patch(type, body, '&fieldValidation=Strict')).toMatchObject({
      status: 422,
      message: expect.stringContaining('strict decoding error: unknown field "spec.odd"') as string,
    }),
  );

  test.each(unknown)('An unknown field of a $type patch is a warning with Warn', async ({ type, body }) =>
    expect(await patch(type, body, '&fieldValidation=Warn')).toMatchObject({
      status: 200,
      warnings: ['unknown field "spec.odd"'],
    }),
  );

  test.each(unknown)('An unknown field of a $type patch is dropped with Ignore', async ({ type, body }) => {
    const { status, warnings, body: after } = await patch(type, body, '&fieldValidation=Ignore');
    expect([status, warnings, (after['spec'] as Json)['odd']]).toEqual([200, [], undefined]);
  });

  const twice = `apiVersion: apps/v1
kind: Deployment
metadata:
  name: d
  labels:
    a: "1"
    a: "2"
    b: "1"
    b: "2"
`;

  test('Keys that the YAML of an apply has twice are an error with Strict', async () => {
    expect(await patch('apply', twice, '&fieldValidation=Strict')).toMatchObject({
      status: 400,
      message:
        'error strict decoding YAML: error converting YAML to JSON: yaml: unmarshal errors:\n' +
        '  line 7: key "a" already set in map\n  line 9: key "b" already set in map',
    });
  });

  test.each([
    { validation: 'Warn', expected: ['line 7: key "a" already set in map', 'line 9: key "b" already set in map'] },
    { validation: 'Ignore', expected: [] },
  ])(
    'Each key that the YAML of an apply has twice has its own warning with Warn, and none with Ignore ($validation)',
    async ({ validation, expected }) => {
      const { status, warnings, body } = await patch('apply', twice, `&fieldValidation=${validation}`);
      expect([status, warnings, (body['metadata'] as Json)['labels']]).toEqual([
        200,
        expected,
        { team: 'a', a: '2', b: '2' },
      ]);
    },
  );

  test('A conflict of an apply is told before keys that its YAML has twice', async () => {
    const body = `${twice}spec:\n  replicas: 9\n`;
    expect(await patch('apply', body, '&fieldValidation=Strict')).toMatchObject({ status: 409 });
  });

  const operations =
    '[{"op":"add","path":"/metadata/labels/a","value":"1","odd":1,"odd":2},' +
    '{"op":"add","path":"/x","path":"/metadata/labels/b","value":"2"}]';

  test('Each problem of the operations of a JSON patch is a warning of its own, in their order', async () => {
    expect(await patch('json', operations, '&fieldValidation=Warn')).toMatchObject({
      status: 200,
      warnings: ['json patch unknown field "[0].odd"', 'json patch duplicate field "[1].path"'],
    });
    expect(await patch('json', operations, '&fieldValidation=Strict')).toMatchObject({
      status: 422,
      message: expect.stringContaining(
        'strict decoding error: json patch unknown field "[0].odd", json patch duplicate field "[1].path"',
      ) as string,
    });
  });
});
