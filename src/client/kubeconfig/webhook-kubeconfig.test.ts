import { generateKeyPairSync } from 'node:crypto';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { FakeClock } from '../../base/testing/fake-clock.ts';
import { createSelfSigned } from '../../pki/pki.ts';
import { readWebhookKubeconfig } from './webhook-kubeconfig.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'orch-connection-'));
});
afterEach(() => rm(folder, { recursive: true }));

const write = async (name: string, text: string): Promise<string> => {
  await writeFile(path.join(folder, name), text);
  return path.join(folder, name);
};

const connectionFile = (
  user: object,
  cluster: object = { server: 'https://hook.example.com/review' },
): Promise<string> =>
  write(
    'connection.yaml',
    JSON.stringify({
      'current-context': 'c',
      contexts: [{ name: 'c', context: { cluster: 'hook', user: 'me' } }],
      clusters: [{ name: 'hook', cluster }],
      users: [{ name: 'me', user }],
    }),
  );

const pair = (name: string): { certificate: string; key: string } =>
  createSelfSigned(name, { dnsNames: [name], ipAddresses: [] }, new Date());

describe('certificate and key in files of their own', () => {
  async function follow() {
    const first = pair('first');
    await write('client.crt', first.certificate);
    await write('client.key', first.key);
    const clock = new FakeClock();
    const { renewedPair } = await readWebhookKubeconfig(
      await connectionFile({ 'client-certificate': 'client.crt', 'client-key': 'client.key' }),
      { clock },
    );
    /** The pair when it is time to look again. */
    const next = async () => {
      await clock.advance(1000);
      return renewedPair!();
    };
    return { first, renewedPair: renewedPair!, next };
  }

  test('Certificate and key in files of their own are looked at again after a second', async () => {
    const { first, renewedPair, next } = await follow();
    const second = pair('second');
    await write('client.crt', second.certificate);
    await write('client.key', second.key);
    expect(await renewedPair()).toEqual(first);
    expect(await next()).toEqual(second);
  });

  test.each([
    { name: 'only one of them is new', spoil: () => write('client.crt', pair('second').certificate) },
    { name: 'one cannot be read', spoil: () => rm(path.join(folder, 'client.key')) },
    { name: 'one is no PEM', spoil: () => write('client.key', 'half of a k') },
    {
      name: 'the key belongs to another certificate',
      spoil: () =>
        write(
          'client.key',
          generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({
            type: 'pkcs8',
            format: 'pem',
          }) as string,
        ),
    },
  ])('Certificate and key in files of their own stay those from before while $name', async ({ spoil }) => {
    const { first, next } = await follow();
    await spoil();
    expect(await next()).toEqual(first);
  });

  test('Certificate and key files are the same object until they change: connections are kept', async () => {
    const { next } = await follow();
    expect(await next()).toBe(await next());
  });
});

test('Certificate and key in the file itself are read once, with the file', async () => {
  const { certificate, key } = pair('inside');
  const data = (pem: string): string => Buffer.from(pem).toString('base64');
  const connection = await readWebhookKubeconfig(
    await connectionFile({ 'client-certificate-data': data(certificate), 'client-key-data': data(key) }),
  );
  expect(connection).toMatchObject({ certificate, key });
  expect(connection.renewedPair).toBeUndefined();
});

describe('the credentials in a connection file', () => {
  test.each([
    { name: 'a token', user: { token: 't' }, header: 'Bearer t' },
    {
      name: 'a name and a password',
      user: { username: 'jane', password: 'p:w' },
      header: `Basic ${Buffer.from('jane:p:w').toString('base64')}`,
    },
    { name: 'none', user: {}, header: undefined },
  ])('The credentials in the kubeconfig of a webhook: $name', async ({ user, header }) => {
    expect(await (await readWebhookKubeconfig(await connectionFile(user))).authorization()).toBe(header);
  });

  test('A token in a file is read for each request, and wins over one in the connection file', async () => {
    const token = await write('token', 'old\n');
    const { authorization } = await readWebhookKubeconfig(await connectionFile({ token: 'fixed', tokenFile: 'token' }));
    expect(await authorization()).toBe('Bearer old');
    await writeFile(token, 'new\n');
    expect(await authorization()).toBe('Bearer new');
  });

  test.each<{ name: string; spoil: (file: string) => Promise<void>; reason: RegExp }>([
    { name: 'is gone', spoil: (file) => rm(file), reason: /no such file or directory/ },
    { name: 'is empty', spoil: (file) => writeFile(file, '\n'), reason: /read empty token from file/ },
  ])('While its file $name the token from before is shown, and that is reported', async ({ spoil, reason }) => {
    const token = await write('token', 'old\n');
    const told: string[] = [];
    const reports = {
      taken: (files: readonly string[]) => void told.push(`taken ${files.join(' ')}`),
      refused: (files: readonly string[], error: unknown) => void told.push(`${files.join(' ')}: ${String(error)}`),
    };
    const { authorization } = await readWebhookKubeconfig(await connectionFile({ tokenFile: 'token' }), { reports });
    await authorization();
    await spoil(token);
    expect(await authorization()).toBe('Bearer old');
    await writeFile(token, 'old\n');
    expect(await authorization()).toBe('Bearer old');
    expect(told).toEqual([expect.stringMatching(reason), `taken ${token}`]);
    expect(told[0]!.startsWith(`${token}: `)).toBe(true);
  });

  test('A token file that could never be read is an error', async () => {
    const { authorization } = await readWebhookKubeconfig(await connectionFile({ tokenFile: 'absent' }));
    await expect(authorization()).rejects.toThrow('no such file or directory');
  });
});

describe('a file is refused', () => {
  test.each([
    { name: 'without a context', text: '{}', message: 'there is no current-context' },
    { name: 'with a context that is not there', text: '{current-context: c}', message: 'context "c" does not exist' },
    {
      name: 'with a cluster that is not there',
      text: '{current-context: c, contexts: [{name: c, context: {cluster: hook}}]}',
      message: 'cluster "hook" does not exist',
    },
    {
      name: 'with a user that is not there',
      text:
        '{current-context: c, contexts: [{name: c, context: {cluster: hook, user: me}}], clusters: [{name: hook, ' +
        'cluster: {server: "https://a"}}]}',
      message: 'user "me" does not exist',
    },
    {
      name: 'without a server',
      text:
        '{current-context: c, contexts: [{name: c, context: {cluster: hook}}], clusters: [{name: ' +
        'hook, cluster: {}}]}',
      message: 'cluster "hook" has no server that is a URL',
    },
  ])('The kubeconfig of a webhook is refused $name', async ({ text, message }) => {
    await expect(readWebhookKubeconfig(await write('connection.yaml', text))).rejects.toThrow(message);
  });

  test.each([
    {
      name: 'with a user that has an auth-provider',
      user: { 'auth-provider': {} },
      message: 'users with auth-provider are not supported here: use exec, a certificate or a token',
    },
    { name: 'with an exec plugin that is not complete', user: { exec: {} }, message: 'exec: command is missing' },
    {
      name: 'with groups to act in and no user',
      user: { 'as-groups': ['a'] },
      message: 'user "me" has as-uid, as-groups or as-user-extra without as',
    },
  ])('The kubeconfig of a webhook is refused $name', async ({ user, message }) => {
    await expect(readWebhookKubeconfig(await connectionFile(user))).rejects.toThrow(message);
  });
});

describe('an exec plugin in the kubeconfig of a webhook', () => {
  /** Prints what is in the file `status`, and then the cluster that it was told. */
  const plugin = async (status: object): Promise<object> => {
    const apiVersion = 'client.authentication.k8s.io/v1';
    await write('status', JSON.stringify({ apiVersion, kind: 'ExecCredential', status }));
    const args = ['-c', `echo "$KUBERNETES_EXEC_INFO" > ${folder}/told; cat ${folder}/status`];
    return { apiVersion, command: '/bin/sh', args, interactiveMode: 'Never', provideClusterInfo: true };
  };

  test('An exec plugin in the kubeconfig of a webhook prints the token, and is told of the cluster', async () => {
    const server = 'https://hook.example.com/review';
    const file = await connectionFile({ exec: await plugin({ token: 't' }), as: 'jane' }, { server });
    const connection = await readWebhookKubeconfig(file);
    expect(await connection.authorization()).toBe('Bearer t');
    expect(connection.impersonate).toEqual({ user: 'jane', groups: [], extra: {} });
    expect(JSON.parse(await readFile(path.join(folder, 'told'), 'utf8'))).toMatchObject({
      spec: { cluster: { server }, interactive: false },
    });
  });

  test('A pair that an exec plugin prints is shown, unless the user has one of its own', async () => {
    const printed = pair('printed');
    const exec = await plugin({ clientCertificateData: printed.certificate, clientKeyData: printed.key });
    expect(await (await readWebhookKubeconfig(await connectionFile({ exec }))).renewedPair!()).toEqual(printed);
    const own = pair('own');
    const data = (pem: string): string => Buffer.from(pem).toString('base64');
    const both = { exec, 'client-certificate-data': data(own.certificate), 'client-key-data': data(own.key) };
    const connection = await readWebhookKubeconfig(await connectionFile(both));
    expect(connection).toMatchObject(own);
    expect(connection.renewedPair).toBeUndefined();
  });
});
