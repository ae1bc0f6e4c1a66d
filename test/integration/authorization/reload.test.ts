/** What may change in an authorization configuration while the server runs. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { silentLogger } from '../../../src/base/logger.ts';
import { type ApiUsers, startApiUsers } from '../../support/api-users.ts';
import { replaceFile } from '../../support/replace-file.ts';

const configMaps = '/api/v1/namespaces/default/configmaps';
const authorizerOf = (type: string): object => ({ type, name: type.toLowerCase() });

let directory: string;
beforeAll(async () => {
  directory = await mkdtemp(path.join(tmpdir(), 'orch-reload-'));
});
afterAll(() => rm(directory, { recursive: true }));

interface Reloading extends AsyncDisposable {
  readonly api: ApiUsers;
  /** Writes the file and waits until it was read. @returns why it is not used; undefined when it is */
  reload(...types: readonly string[]): Promise<string | undefined>;
}

async function start(name: string, types: readonly string[], flags: readonly string[] = []): Promise<Reloading> {
  const file = path.join(directory, `${name}.json`);
  const write = (all: readonly string[]): Promise<void> =>
    replaceFile(
      file,
      JSON.stringify({
        apiVersion: 'apiserver.config.k8s.io/v1',
        kind: 'AuthorizationConfiguration',
        authorizers: all.map(authorizerOf),
      }),
    );
  await write(types);
  const refusals: string[] = [];
  const log = {
    ...silentLogger,
    error: ({ err }: { err?: Error }, message: string) =>
      void (message.includes('authorization configuration') && refusals.push(err!.message)),
  };
  const api = await startApiUsers({ alice: [] }, ['--authorization-config', file, ...flags], { fileCheckMs: 20, log });
  const counts = (text: string): number =>
    [...text.matchAll(/automatic_reloads_total\{[^}]*\} (\d+)/g)].reduce((sum, [, count]) => sum + Number(count), 0);
  return {
    api,
    async reload(...all) {
      const before = counts((await api.call('admin', 'GET', '/metrics')).body as string);
      const refused = refusals.length;
      await write(all);
      await api.until('admin', 'GET', '/metrics', ({ body }) => counts(body as string) > before);
      return refusals[refused];
    },
    [Symbol.asyncDispose]: () => api[Symbol.asyncDispose](),
  };
}

describe('a server that began with RBAC and Node', () => {
  let server: Reloading;
  beforeAll(async () => {
    server = await start('two', ['Node', 'RBAC']);
  });
  afterAll(() => server[Symbol.asyncDispose]());

  test.each([
    { name: 'without RBAC', types: ['Node'], message: 'missing required types: [RBAC]' },
    { name: 'without both', types: ['AlwaysDeny'], message: 'missing required types: [Node RBAC]' },
    {
      name: 'with ABAC, which would need a policy from the start',
      types: ['Node', 'RBAC', 'ABAC'],
      message: 'authorizer ABAC needs --authorization-policy-file',
    },
    {
      name: 'with AlwaysAllow',
      types: ['Node', 'RBAC', 'AlwaysAllow'],
      message: 'authorizer type AlwaysAllow is not allowed if it was not enabled at initial server startup',
    },
    {
      name: 'with a type twice',
      types: ['Node', 'RBAC', 'RBAC'],
      message: 'authorizers[2].type: Duplicate value: "RBAC"',
    },
    {
      name: 'with nothing',
      types: [],
      message: 'authorizers: Required value: at least one authorization mode must be defined',
    },
  ])('A server that began with RBAC and Node does not use a file $name', async ({ types, message }) => {
    expect(await server.reload(...types)).toContain(message);
    expect((await server.api.call('alice', 'GET', '/api')).status).toBe(200);
    expect((await server.api.call('alice', 'GET', configMaps)).body.message).not.toContain('Everything is forbidden');
  });

  test('A server that began with RBAC and Node uses another order, and AlwaysDeny meanwhile', async () => {
    expect(await server.reload('RBAC', 'Node', 'AlwaysDeny')).toBeUndefined();
    expect((await server.api.call('alice', 'GET', '/api')).status).toBe(200);
    expect((await server.api.call('alice', 'GET', configMaps)).body.message).toContain('Everything is forbidden');
    expect(await server.reload('RBAC', 'Node')).toBeUndefined();
    expect((await server.api.call('alice', 'GET', configMaps)).body.message).not.toContain('Everything is forbidden');
  });
});

test('What a server began with cannot come either, nor go: Node', async () => {
  await using server = await start('one', ['RBAC']);
  expect(await server.reload('RBAC', 'Node')).toBe(
    'authorizer type Node is not allowed if it was not enabled at initial server startup',
  );
});

test('AlwaysAllow may stay, and must', async () => {
  await using server = await start('all', ['AlwaysAllow']);
  expect(await server.reload('AlwaysDeny')).toBe('missing required types: [AlwaysAllow]');
  expect(await server.reload('AlwaysAllow', 'AlwaysDeny')).toBeUndefined();
  expect((await server.api.call('alice', 'GET', configMaps)).status).toBe(200);
  expect((await server.api.call(undefined, 'GET', configMaps)).status).toBe(401);
});

test('The policy of ABAC is that of the start', async () => {
  const policy = path.join(directory, 'policy.jsonl');
  const rule = (user: string): string => {
    const spec = { user, namespace: 'default', resource: 'configmaps', readonly: true };
    return `${JSON.stringify({ apiVersion: 'abac.authorization.kubernetes.io/v1beta1', kind: 'Policy', spec })}\n`;
  };
  await replaceFile(policy, rule('alice'));
  await using server = await start('abac', ['ABAC'], ['--authorization-policy-file', policy]);
  expect((await server.api.call('alice', 'GET', configMaps)).status).toBe(200);
  await replaceFile(policy, rule('bob'));
  expect(await server.reload('ABAC', 'AlwaysDeny')).toBeUndefined();
  expect((await server.api.call('alice', 'GET', configMaps)).status).toBe(200);
});

test('ABAC without a policy file keeps the server from starting', async () => {
  await expect(start('nothing', ['ABAC'])).rejects.toThrow(/authorization-policy-file/);
});
