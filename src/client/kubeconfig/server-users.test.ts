import { access, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { FakeClock } from '../../base/testing/fake-clock.ts';
import { createSelfSigned } from '../../pki/pki.ts';
import { parseKubeconfig } from './merge.ts';
import { credentialsOfUser, type ServerCredentials, userForServer } from './server-users.ts';

const found = (server: string, names: readonly string[], more: object = {}): unknown => {
  const users = names.map((name) => ({ name, user: { token: name } }));
  return userForServer(parseKubeconfig(JSON.stringify({ users, ...more }), '/'), server)?.fields['token'];
};
const currentUser = (user: string): object => ({
  'current-context': 'c',
  contexts: [{ name: 'c', context: { cluster: 'none', user } }],
});

describe('the user of a kubeconfig for a server', () => {
  test.each<{ name: string; server: string; users: readonly string[]; expected: string | undefined }>([
    {
      name: 'by host and port, before all others',
      server: 'a.b.c:443',
      users: ['*', '*.c', '*.b.c:443', 'a.b.c', 'a.b.c:443'],
      expected: 'a.b.c:443',
    },
    {
      name: 'by a domain with the port, before the host alone',
      server: 'a.b.c:443',
      users: ['a.b.c', '*.c:443'],
      expected: '*.c:443',
    },
    {
      name: 'by the longest domain with the port',
      server: 'a.b.c:8443',
      users: ['*.c:8443', '*.b.c:8443'],
      expected: '*.b.c:8443',
    },
    { name: 'by the host, for port 443', server: 'a.b.c:443', users: ['*', '*.b.c', 'a.b.c'], expected: 'a.b.c' },
    { name: 'by the longest domain, for port 443', server: 'a.b.c:443', users: ['*.c', '*.b.c'], expected: '*.b.c' },
    { name: 'not by the host for another port', server: 'a.b.c:8443', users: ['a.b.c', '*.b.c'], expected: undefined },
    { name: 'not by another port', server: 'a.b.c:443', users: ['a.b.c:8443'], expected: undefined },
    { name: 'not by the domain that the host is', server: 'b.c:443', users: ['*.b.c'], expected: undefined },
    { name: 'not in other case', server: 'a.b.c:443', users: ['A.b.c'], expected: undefined },
    {
      name: 'by its service',
      server: 'hook.team.svc:443',
      users: ['*.svc', 'hook.team.svc'],
      expected: 'hook.team.svc',
    },
    {
      name: 'by the namespace of its service',
      server: 'hook.team.svc:443',
      users: ['*.team.svc'],
      expected: '*.team.svc',
    },
    { name: 'by an address', server: '10.0.0.1:443', users: ['10.0.0.1'], expected: '10.0.0.1' },
    { name: 'by an IPv6 address', server: '[::1]:443', users: ['::1'], expected: '::1' },
    { name: 'by an IPv6 address with its port', server: '[::1]:8443', users: ['[::1]:8443'], expected: '[::1]:8443' },
    { name: 'that is for all others', server: 'a.b.c:8443', users: ['x.b.c', '*'], expected: '*' },
    { name: 'nowhere', server: 'a.b.c:443', users: [], expected: undefined },
  ])('A server has its user $name', ({ server, users, expected }) => {
    expect(found(server, users)).toBe(expected);
  });

  test.each([
    { name: 'where no name fits', users: ['me'], current: 'me', expected: 'me' },
    { name: 'not where a name fits', users: ['me', '*'], current: 'me', expected: '*' },
    { name: 'not where it names none', users: ['me', ''], current: '', expected: undefined },
    { name: 'not where its user is absent', users: ['me'], current: 'you', expected: undefined },
  ])('The user of the current context counts $name', ({ users, current, expected }) => {
    expect(found('a.b.c:443', users, currentUser(current))).toBe(expected);
  });
});

describe('the credentials of a user for servers', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'orch-users-'));
  });
  afterEach(() => rm(folder, { recursive: true }));

  const write = (name: string, content: string): Promise<void> => writeFile(path.join(folder, name), content);
  const credentials = (fields: object, clock = new FakeClock()): ServerCredentials =>
    credentialsOfUser({ fields: { ...fields }, folder }, { server: 'https://hook.example.com' }, { clock });
  const pair = (name: string): { certificate: string; key: string } =>
    createSelfSigned(name, { dnsNames: [name], ipAddresses: [] }, new Date());
  const inFiles = { 'client-certificate': 'client.crt', 'client-key': 'client.key' };

  test.each([
    { name: 'a token', user: { token: 't' }, header: 'Bearer t' },
    { name: 'a name and a password', user: { username: 'u', password: 'p' }, header: 'Basic dTpw' },
    { name: 'nothing', user: {}, header: undefined },
    { name: 'a certificate without a key', user: { 'client-certificate-data': 'eA==' }, header: undefined },
  ])('A user with $name has that and no certificate', async ({ user, header }) => {
    const { authorization, renewedPair } = credentials(user);
    expect([await authorization(), renewedPair]).toEqual([header, undefined]);
  });

  test('A token file is read for each request', async () => {
    const { authorization } = credentials({ tokenFile: 'token' });
    const reason = `open ${path.join(folder, 'token')}: no such file or directory`;
    await expect(authorization()).rejects.toMatchObject({ name: 'KubeconfigError', message: reason });
    for (const token of ['one', 'two']) {
      await write('token', `${token}\n`);
      expect(await authorization()).toBe(`Bearer ${token}`);
    }
  });

  test('Files of a user that become wrong are reported, and what they had before is shown', async () => {
    const clock = new FakeClock();
    const first = pair('first');
    await write('client.crt', first.certificate);
    await write('client.key', first.key);
    await write('token', 'one\n');
    const refused: string[] = [];
    const reports = { taken: () => undefined, refused: (files: readonly string[]) => void refused.push(...files) };
    const user = { fields: { ...inFiles, tokenFile: 'token' }, folder };
    const { authorization, renewedPair } = credentialsOfUser(user, {}, { clock, reports });
    const shown = async (): Promise<unknown> => [await authorization(), await renewedPair!()];
    const before = await shown();
    await rm(path.join(folder, 'token'));
    await write('client.key', 'half of a k');
    await clock.advance(1000);
    expect(await shown()).toEqual(before);
    expect(refused.map((file) => path.basename(file))).toEqual(['token', 'client.crt', 'client.key']);
  });

  test('A certificate and its key in the kubeconfig are the same object for each request', async () => {
    const { certificate, key } = pair('inside');
    const data = (pem: string): string => Buffer.from(pem).toString('base64');
    const { renewedPair } = credentials({ 'client-certificate-data': data(certificate), 'client-key-data': data(key) });
    const first = await renewedPair!();
    expect(first).toEqual({ certificate, key });
    expect(await renewedPair!()).toBe(first);
  });

  test('A certificate and its key in files are read when they are there, and again when they change', async () => {
    const clock = new FakeClock();
    const { renewedPair } = credentials(inFiles, clock);
    await expect(renewedPair!()).rejects.toMatchObject({
      name: 'KubeconfigError',
      message: `open ${path.join(folder, 'client.crt')}: no such file or directory`,
    });
    for (const now of [pair('first'), pair('second')]) {
      await write('client.crt', now.certificate);
      await write('client.key', now.key);
      await clock.advance(1000);
      expect(await renewedPair!()).toEqual(now);
    }
  });

  test('A user with an auth-provider is refused', async () => {
    await expect(credentials({ 'auth-provider': {} }).authorization()).rejects.toThrow(
      'users with auth-provider are not supported here',
    );
  });

  /** A plugin that notes what it is told, and prints the token `printed`. */
  const plugin = async (more: object = {}): Promise<object> => {
    const status = JSON.stringify({
      apiVersion: 'client.authentication.k8s.io/v1',
      kind: 'ExecCredential',
      status: { token: 'printed' },
    });
    await write('plugin', `echo "$KUBERNETES_EXEC_INFO" >> ${folder}/told; echo '${status}'`);
    const args = [path.join(folder, 'plugin')];
    const apiVersion = 'client.authentication.k8s.io/v1';
    return { apiVersion, command: '/bin/sh', args, interactiveMode: 'IfAvailable', ...more };
  };

  test('A user with an exec plugin has what it prints, once it is needed', async () => {
    const shown = credentials({ exec: await plugin({ provideClusterInfo: true }) });
    await expect(access(path.join(folder, 'told'))).rejects.toThrow('ENOENT');
    expect(await shown.authorization()).toBe('Bearer printed');
    expect(await shown.renewedPair!()).toBeUndefined();
    expect(JSON.parse(await readFile(path.join(folder, 'told'), 'utf8'))).toMatchObject({
      spec: { cluster: { server: 'https://hook.example.com' }, interactive: false },
    });
  });

  test('A plugin of a user for servers tells an observer how it ended', async () => {
    const shown = credentials({ exec: await plugin() });
    const ends: string[] = [];
    shown.observePlugin!({
      called: ({ status, code }) => void ends.push(`${status} ${code}`),
      rotated: () => undefined,
      holds: () => undefined,
    });
    await shown.authorization();
    expect(ends).toEqual(['no_error 0']);
  });

  test('A plugin whose credentials are refused is run again', async () => {
    const shown = credentials({ exec: await plugin() });
    await shown.onUnauthorized!(await shown.authorization());
    expect((await readFile(path.join(folder, 'told'), 'utf8')).trim().split('\n')).toHaveLength(2);
  });

  test.each([
    { name: 'a token', user: { token: 't' }, header: 'Bearer t' },
    { name: 'a name and a password', user: { username: 'u', password: 'p' }, header: 'Basic dTpw' },
  ])('A user with $name beside an exec plugin has its own', async ({ user, header }) => {
    expect(await credentials({ ...user, exec: await plugin() }).authorization()).toBe(header);
  });

  test.each([
    { name: 'is not complete', exec: { command: '' }, error: 'KubeconfigError', message: 'exec: command is missing' },
    {
      name: 'does not exist',
      exec: { command: 'no-such-plugin' },
      error: 'Error',
      message: 'no-such-plugin: not found',
    },
  ])('A user whose exec plugin $name has no credentials', async ({ exec, error, message }) => {
    const failed = credentials({ exec: await plugin(exec) }).authorization();
    await expect(failed).rejects.toMatchObject({ name: error, message: expect.stringContaining(message) as string });
  });

  test.each([
    {
      name: 'that acts as another',
      user: { as: 'jane', 'as-uid': '7', 'as-groups': ['a', 'b'], 'as-user-extra': { scopes: ['x'] } },
      impersonate: { user: 'jane', uid: '7', groups: ['a', 'b'], extra: { scopes: ['x'] } },
    },
    { name: 'that acts as none, whatever its groups', user: { 'as-groups': ['a'] }, impersonate: undefined },
  ])('A user $name is shown so', ({ user, impersonate }) => {
    expect(credentials(user).impersonate).toEqual(impersonate);
  });
});
