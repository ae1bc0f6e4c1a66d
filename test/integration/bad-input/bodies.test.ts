import { describe, expect, test } from 'vitest';
import { configMaps, server, outcome, startBeforeTests } from '../../support/servers/nesting.ts';

startBeforeTests();

describe('YAML that grows by aliases', () => {
  const bomb = (levels: number, width: number): string => {
    const list = (alias: string): string => `[${Array.from({ length: width }, () => alias).join(', ')}]`;
    const lines = Array.from({ length: levels }, (_, i) => `a${i + 1}: &a${i + 1} ${list(`*a${i}`)}\n`);
    return `a0: &a0 [x]\n${lines.join('')}`;
  };

  test.each([
    { levels: 9, width: 9 },
    { levels: 30, width: 2 },
    { levels: 3, width: 1000 },
  ])('YAML that grows by aliases: $levels levels of $width', async ({ levels, width }) => {
    for (const [method, path, contentType] of [
      ['POST', configMaps, 'application/yaml'],
      ['PATCH', `${configMaps}/a?fieldManager=m`, 'application/apply-patch+yaml'],
    ] as const) {
      const [status, message] = outcome(
        await server.client.send(method, path, `apiVersion: v1\nkind: ConfigMap\n${bomb(levels, width)}`, {
          contentType,
        }),
      );
      expect([status, message]).toEqual([400, expect.stringContaining('document contains excessive aliasing')]);
    }
  });

  test('An alias inside what it stands for', async () => {
    const [status, message] = outcome(
      await server.client.send('POST', configMaps, 'apiVersion: v1\nkind: ConfigMap\nodd: &a [*a]\n', {
        contentType: 'application/yaml',
      }),
    );
    expect([status, message]).toEqual([400, expect.stringContaining("anchor 'a' value contains itself")]);
  });

  test('Any number of nodes is read', async () => {
    const body = `metadata: {name: nodes}\nodd: [${'a, '.repeat(400_000)}a]`;
    expect(
      (await server.client.send('POST', `${configMaps}?dryRun=All`, body, { contentType: 'application/yaml' })).status,
    ).toBe(201);
  });
});

describe('a body that is', () => {
  test.each([
    { name: 'empty', body: '', status: 400, message: 'unexpected end of JSON input' },
    { name: 'JSON cut off', body: '{"metadata":{"name":"x"', status: 400, message: 'unexpected end of JSON input' },
    {
      name: 'no JSON',
      body: '{"metadata":{"name":x}}',
      status: 400,
      message: "invalid character 'x' looking for beginning of value",
    },
    { name: 'YAML cut off', body: 'data: {a: b', contentType: 'application/yaml', status: 400, message: 'yaml: ' },
    {
      name: 'YAML with a tab',
      body: 'data:\n\ta: b\n',
      contentType: 'application/yaml',
      status: 400,
      message: 'yaml: line 2: found character that cannot start any token',
    },
    {
      name: 'no protobuf',
      body: '{"metadata":{"name":"x"}}',
      contentType: 'application/vnd.kubernetes.protobuf',
      status: 400,
      message: 'provided data does not appear to be a protobuf message',
    },
    {
      name: 'protobuf cut off',
      body: 'k8s\0\n\x10\n\x02v1',
      contentType: 'application/vnd.kubernetes.protobuf',
      status: 400,
      message: 'unexpected EOF',
    },
    {
      name: 'of another kind',
      body: '{"apiVersion":"v1","kind":"Secret","metadata":{"name":"x"}}',
      status: 400,
      message: 'Secret in version "v1" cannot be handled as a ConfigMap',
    },
    {
      name: 'of a version that is not there',
      body: '{"apiVersion":"v9","kind":"ConfigMap","metadata":{"name":"x"}}',
      status: 400,
      message: 'no kind "ConfigMap" is registered for version "v9"',
    },
    {
      name: 'of an unknown type',
      body: 'x',
      contentType: 'text/csv',
      status: 415,
      message: 'the body of the request was in an unknown format',
    },
    { name: 'a list', body: '[]', status: 400, message: 'cannot unmarshal array' },
    {
      name: 'with keys twice, strictly read',
      body: '{"metadata":{"name":"x","name":"y"}}',
      query: '?fieldValidation=Strict',
      status: 400,
      message: 'duplicate field "metadata.name"',
    },
    {
      name: 'with keys twice in YAML, strictly read',
      body: 'metadata: {name: a}\nmetadata: {name: b}\n',
      contentType: 'application/yaml',
      query: '?fieldValidation=Strict',
      status: 400,
      message: 'already set in map',
    },
    { name: 'without a name', body: '{}', status: 422, message: 'name or generateName is required' },
    {
      name: 'with a name that is none',
      body: '{"metadata":{"name":"-"}}',
      status: 422,
      message: 'a lowercase RFC 1123 subdomain must consist of',
    },
    {
      name: 'of another namespace',
      body: '{"metadata":{"name":"x","namespace":"kube-system"}}',
      status: 400,
      message: 'does not match the namespace',
    },
  ])('A request body that is $name', async ({ body, contentType, query = '', status, message }) => {
    const answer = await server.client.send(
      'POST',
      `${configMaps}${query}`,
      body,
      contentType === undefined ? {} : { contentType, headers: { accept: 'application/json' } },
    );
    expect(outcome(answer)).toEqual([status, expect.stringContaining(message)]);
    expect(answer.object).toMatchObject({ kind: 'Status', apiVersion: 'v1', status: 'Failure', code: status });
  });
});
