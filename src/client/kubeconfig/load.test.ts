import { chmod, mkdir, mkdtemp, rm, writeFile, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { FakeClock } from '../../base/testing/fake-clock.ts';
import { createSelfSigned } from '../../pki/pki.ts';
import type { ClientConfig } from '../client-config.ts';
import { loadKubeconfig, type LoadOptions, parseClientConfig } from './load.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'orch-kubeconfig-'));
});
afterEach(() => rm(folder, { recursive: true }));

const noPod = { environment: {}, accountFolder: '/nonexistent' };
const write = async (name: string, content: string): Promise<string> => {
  const file = path.join(folder, name);
  await mkdir(path.dirname(file), { recursive: true });
  await writeFile(file, content);
  return file;
};
const load = (options: LoadOptions = {}): Promise<ClientConfig> =>
  loadKubeconfig({ environment: { HOME: folder }, pod: noPod, isInteractive: false, ...options });

interface Parts {
  readonly name?: string;
  readonly cluster?: object;
  readonly user?: object;
  readonly context?: object;
}
/** A file with one context, cluster and user, all of one name. */
const fileWith = ({ name = 'c', cluster = {}, user = {}, context = {} }: Parts): string =>
  JSON.stringify({
    'current-context': name,
    contexts: [{ name, context: { cluster: name, user: name, ...context } }],
    clusters: [{ name, cluster: { server: `https://${name}.example.com`, ...cluster } }],
    users: [{ name, user }],
  });

describe('a kubeconfig is found', () => {
  test('A kubeconfig is found in the home folder', async () => {
    await write('.kube/config', fileWith({ name: 'home', context: { namespace: 'apps' } }));
    expect(await load()).toMatchObject({ url: 'https://home.example.com', namespace: 'apps' });
  });

  test('A kubeconfig is found by KUBECONFIG, which wins over the home folder', async () => {
    await write('.kube/config', fileWith({ name: 'home' }));
    const file = await write('other', fileWith({ name: 'other' }));
    expect((await load({ environment: { HOME: folder, KUBECONFIG: file } })).url).toBe('https://other.example.com');
  });

  test('A kubeconfig is found by its path, which wins over KUBECONFIG', async () => {
    const [a, b] = [await write('a', fileWith({ name: 'a' })), await write('b', fileWith({ name: 'b' }))];
    expect((await load({ path: b, environment: { KUBECONFIG: a } })).url).toBe('https://b.example.com');
  });

  test('A kubeconfig is found as the account of a pod, where there is no file', async () => {
    await write('account/token', 'pod-token\n');
    await write('account/ca.crt', 'a certificate');
    await write('account/namespace', 'apps');
    const environment = { KUBERNETES_SERVICE_HOST: '10.0.0.1', KUBERNETES_SERVICE_PORT: '443' };
    const config = await load({ pod: { environment, accountFolder: path.join(folder, 'account') } });
    expect(config).toMatchObject({ url: 'https://10.0.0.1:443', ca: 'a certificate', namespace: 'apps' });
    expect(await config.authorization!()).toBe('Bearer pod-token');
  });

  test('The account of a pod is in namespace default where its folder has no namespace', async () => {
    expect((await load(await podWithoutNamespace())).namespace).toBe('default');
  });

  test('The account of a pod is refused where its namespace cannot be read', async () => {
    const options = await podWithoutNamespace();
    const file = path.join(folder, 'account/namespace');
    await symlink(file, file);
    await expect(load(options)).rejects.toMatchObject({ code: 'ELOOP' });
  });

  const podWithoutNamespace = async (): Promise<LoadOptions> => {
    await write('account/token', 'pod-token\n');
    await write('account/ca.crt', 'a certificate');
    const environment = { KUBERNETES_SERVICE_HOST: '10.0.0.1', KUBERNETES_SERVICE_PORT: '443' };
    return { pod: { environment, accountFolder: path.join(folder, 'account') } };
  };

  test.each([
    { name: 'nowhere', options: {}, message: /there is no kubeconfig: none of .*config exists, and this is no pod/ },
    { name: 'not at its path', options: { path: '/nonexistent/k' }, message: '/nonexistent/k: no such file' },
  ])('A kubeconfig is found $name: the error says where it was looked for', async ({ options, message }) => {
    await expect(load(options)).rejects.toThrow(message);
  });
});

describe('several files are merged', () => {
  const list = async (...contents: string[]): Promise<LoadOptions> => {
    const files = await Promise.all(contents.map((content, i) => write(`file-${i}/config`, content)));
    return { environment: { KUBECONFIG: [...files, path.join(folder, 'absent')].join(path.delimiter) } };
  };

  test('The first current-context counts, and an entry of the first file that has it, whole', async () => {
    const first = JSON.stringify({ users: [{ name: 'c', user: { token: 'first' } }] });
    const second = fileWith({ user: { username: 'second', password: 'p' }, cluster: { 'tls-server-name': 'b' } });
    const third = fileWith({ name: 'third' });
    const config = await load(await list(first, second, third));
    expect(config).toMatchObject({ url: 'https://c.example.com', serverName: 'b' });
    expect(await config.authorization!()).toBe('Bearer first');
  });

  test('Another context can be asked for', async () => {
    const options = await list(fileWith({ name: 'one' }), fileWith({ name: 'two' }));
    expect((await load({ ...options, context: 'two' })).url).toBe('https://two.example.com');
  });

  test('Paths in merged kubeconfigs are relative to the file that has them', async () => {
    await write('file-1/ca.pem', 'the authority');
    const second = fileWith({ cluster: { 'certificate-authority': 'ca.pem' } });
    expect((await load(await list('{}', second))).ca).toBe('the authority');
  });
});

describe('a cluster says', () => {
  test.each([
    { name: 'its authority', cluster: { 'certificate-authority-data': 'Y2E=' }, config: { ca: 'ca', warnings: [] } },
    { name: 'a proxy', cluster: { 'proxy-url': 'socks5://p:1080' }, config: { proxyUrl: 'socks5://p:1080' } },
    { name: 'the name in its certificate', cluster: { 'tls-server-name': 'n' }, config: { serverName: 'n' } },
    {
      name: 'that it is not verified, with a warning',
      cluster: { 'insecure-skip-tls-verify': true },
      config: {
        skipVerify: true,
        warnings: ['insecure-skip-tls-verify: the certificate of the server is not verified'],
      },
    },
  ])('The cluster of a kubeconfig has $name', async ({ cluster, config }) => {
    expect(await parseClientConfig(fileWith({ cluster }))).toMatchObject(config);
  });
});

describe('a user is', () => {
  test.each([
    { name: 'a token', user: { token: 't' }, authorization: 'Bearer t' },
    { name: 'name and password', user: { username: 'j', password: 'p' }, authorization: 'Basic ajpw' },
    { name: 'nothing', user: {}, authorization: undefined },
  ])('The user of a kubeconfig has $name', async ({ user, authorization }) => {
    expect(await (await parseClientConfig(fileWith({ user }))).authorization!()).toBe(authorization);
  });

  test('A user of a kubeconfig file impersonates another', async () => {
    const user = { as: 'jane', 'as-uid': 'u', 'as-groups': ['devs'], 'as-user-extra': { scope: ['a', 'b'] } };
    expect((await parseClientConfig(fileWith({ user }))).impersonate).toEqual({
      user: 'jane',
      uid: 'u',
      groups: ['devs'],
      extra: { scope: ['a', 'b'] },
    });
  });

  test('A certificate in files, which is read again', async () => {
    const pair = (name: string) => createSelfSigned(name, { dnsNames: [name], ipAddresses: [] }, new Date());
    const put = async ({ certificate, key }: ReturnType<typeof pair>): Promise<void> => {
      await write('c.crt', certificate);
      await write('c.key', key);
    };
    const [first, second] = [pair('first'), pair('second')];
    await put(first);
    const clock = new FakeClock();
    const file = await write('k', fileWith({ user: { 'client-certificate': 'c.crt', 'client-key': 'c.key' } }));
    const { renewedPair } = await load({ path: file, clock });
    expect(await renewedPair!()).toEqual(first);
    await put(second);
    await clock.advance(1000);
    expect(await renewedPair!()).toEqual(second);
  });

  test('A token in a file, which is read again after ten seconds and when the server refuses it', async () => {
    const token = await write('token', 'one\n');
    const clock = new FakeClock();
    const file = await write('k', fileWith({ user: { token: 'fixed', tokenFile: 'token' } }));
    const { authorization, onUnauthorized } = await load({ path: file, clock });
    expect(await authorization!()).toBe('Bearer one');
    await writeFile(token, 'two');
    expect(await authorization!()).toBe('Bearer one');
    expect(await onUnauthorized!('Bearer one')).toBe(true);
    expect(await authorization!()).toBe('Bearer two');
    expect(await onUnauthorized!('Bearer two')).toBe(false);
    await writeFile(token, 'three');
    await clock.advance(10_000);
    expect(await authorization!()).toBe('Bearer three');
    await rm(token);
    await clock.advance(10_000);
    expect(await authorization!()).toBe('Bearer three');
  });
});

describe('a kubeconfig is refused', () => {
  const exec = { apiVersion: 'client.authentication.k8s.io/v1', command: 'x', interactiveMode: 'Never' };
  test.each<{ name: string; parts: Parts; message: string }>([
    {
      name: 'with a user and no token',
      parts: { user: { username: 'a', token: 'b' } },
      message: 'only one is allowed',
    },
    { name: 'with groups of no user', parts: { user: { 'as-groups': ['g'] } }, message: 'as-groups or as-user-extra' },
    { name: 'with half a certificate', parts: { user: { 'client-key-data': 'YQ==' } }, message: 'has only one of' },
    { name: 'with an auth-provider', parts: { user: { 'auth-provider': {} } }, message: 'use exec instead' },
    { name: 'with a proxy of another kind', parts: { cluster: { 'proxy-url': 'ftp://a' } }, message: 'scheme must be' },
    {
      name: 'with an authority that is not looked at',
      parts: { cluster: { 'insecure-skip-tls-verify': true, 'certificate-authority-data': 'Y2E=' } },
      message: 'exclude each other',
    },
    { name: 'with a server that is no URL', parts: { cluster: { server: 'a b' } }, message: 'no server that is a URL' },
    { name: 'with exec without a command', parts: { user: { exec: { ...exec, command: '' } } }, message: 'command is' },
    {
      name: 'with exec of an old version',
      parts: { user: { exec: { ...exec, apiVersion: 'client.authentication.k8s.io/v1alpha1' } } },
      message: 'is none of client.authentication.k8s.io/v1, client.authentication.k8s.io/v1beta1',
    },
    {
      name: 'with exec v1 that does not say whether it asks',
      parts: { user: { exec: { ...exec, interactiveMode: undefined } } },
      message: 'interactiveMode "" is none of Never, IfAvailable, Always',
    },
    {
      name: 'with exec that has to ask where no person is',
      parts: { user: { exec: { ...exec, interactiveMode: 'Always' } } },
      message: 'needs a terminal',
    },
  ])('A kubeconfig is refused: $name', async ({ parts, message }) => {
    await expect(parseClientConfig(fileWith(parts), { isInteractive: false })).rejects.toThrow(message);
  });

  test('A kubeconfig that is no YAML is refused with the name of the file', async () => {
    const file = await write('broken', '{');
    await expect(load({ path: file })).rejects.toThrow(file);
  });

  test.skipIf(process.getuid?.() === 0)('A kubeconfig that cannot be read is refused', async () => {
    const file = await write('closed', '{}');
    await chmod(file, 0);
    await expect(load({ path: file })).rejects.toThrow('permission denied');
  });
});
