import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { OrchProcess, buildOrch, kubectl } from '../support/orch-process.ts';
import { freePorts } from '../support/ports.ts';

let directory: string;
let orch: OrchProcess;
let kubeconfig: string;
beforeAll(async () => {
  buildOrch();
  directory = await mkdtemp(join(tmpdir(), 'orch-e2e-'));
  kubeconfig = join(directory, 'data', 'admin.kubeconfig');
  const [port = 0] = await freePorts(1);
  orch = OrchProcess.up(join(directory, 'data'), port);
  await orch.says('Ready');
});
afterAll(async () => {
  await orch.kill('SIGINT');
  await rm(directory, { recursive: true });
});

/** Runs kubectl as another user: the certificate of the administrator would win over a token. */
async function runAs(user: string, ...args: string[]): Promise<string> {
  const own = join(directory, 'own.kubeconfig');
  const text = await readFile(kubeconfig, 'utf8');
  await writeFile(
    own,
    text.replace(
      / {4}client-certificate-data: .*\n {4}client-key-data: .*\n/,
      user.replace(/^/gm, '    ').concat('\n'),
    ),
  );
  return kubectl('1.32', own, ...args);
}

const withToken = (token: string, ...args: string[]): Promise<string> => runAs(`token: ${token}`, ...args);
const name = ['auth', 'whoami', '-o', 'jsonpath={.status.userInfo.username}'];

const run = (...args: string[]): Promise<string> => kubectl('1.32', kubeconfig, ...args);

describe('kubectl with the credentials of orch up', () => {
  test('kubectl auth whoami shows the user of the client certificate', async () => {
    const shown = await run('auth', 'whoami', '-o', 'jsonpath={.status.userInfo.username} {.status.userInfo.groups}');
    expect(shown).toBe('orch-admin ["system:masters","system:authenticated"]');
  });

  test('kubectl create token makes one that the server knows, for as long as it was asked for', async () => {
    await run('create', 'serviceaccount', 'robot');
    const token = (await run('create', 'token', 'robot', '--duration=20m')).trim();
    const { exp, iat, iss } = JSON.parse(Buffer.from(token.split('.')[1]!, 'base64url').toString()) as {
      exp: number;
      iat: number;
      iss: string;
    };
    expect([exp - iat, iss]).toEqual([1200, 'https://kubernetes.default.svc.cluster.local']);
    expect(await withToken(token, ...name)).toBe('system:serviceaccount:default:robot');
    await expect(withToken(`${token}x`, ...name)).rejects.toThrow('You must be logged in to the server');
  });

  test('kubectl create token binds to objects', async () => {
    await run('create', 'serviceaccount', 'bound');
    await run('create', 'secret', 'generic', 'anchor');
    const token = (
      await run('create', 'token', 'bound', '--bound-object-kind=Secret', '--bound-object-name=anchor')
    ).trim();
    await run('delete', 'secret', 'anchor');
    await expect(withToken(token, ...name)).rejects.toThrow('You must be logged in to the server');
  });

  test('An exec plugin hands over such a token', async () => {
    await run('create', 'serviceaccount', 'plugin');
    const token = (await run('create', 'token', 'plugin')).trim();
    const program = join(directory, 'plugin');
    await writeFile(
      program,
      `#!/bin/sh\necho '{"apiVersion":"client.authentication.k8s.io/v1","kind":"ExecCredential",` +
        `"status":{"token":"${token}"}}'\n`,
    );
    await chmod(program, 0o700);
    expect(
      await runAs(
        `exec:\n  apiVersion: client.authentication.k8s.io/v1\n  command: ${program}\n  interactiveMode: Never`,
        ...name,
      ),
    ).toBe('system:serviceaccount:default:plugin');
  });

  test('An exec plugin hands over a certificate and its key', async () => {
    const own = await readFile(kubeconfig, 'utf8');
    const pemOf = (field: string): string =>
      JSON.stringify(Buffer.from(new RegExp(`${field}: (\\S+)`).exec(own)![1]!, 'base64').toString());
    const program = join(directory, 'certificate-plugin');
    const status =
      `{"clientCertificateData":${pemOf('client-certificate-data')},` + `"clientKeyData":${pemOf('client-key-data')}}`;
    await writeFile(
      `${program}.json`,
      `{"apiVersion":"client.authentication.k8s.io/v1","kind":"ExecCredential","status":${status}}`,
    );
    await writeFile(program, `#!/bin/sh\ncat '${program}.json'\n`, { mode: 0o700 });
    expect(
      await runAs(
        `exec:\n  apiVersion: client.authentication.k8s.io/v1\n  command: ${program}\n  interactiveMode: Never`,
        ...name,
      ),
    ).toBe('orch-admin');
  });

  test('kubectl uses a token from a file, and impersonates another user', async () => {
    await run('create', 'serviceaccount', 'filed');
    const file = join(directory, 'token');
    await writeFile(file, await run('create', 'token', 'filed'));
    expect(await runAs(`tokenFile: ${file}`, ...name)).toBe('system:serviceaccount:default:filed');
    expect(await run('--as=jane', '--as-group=devs', ...name)).toBe('jane');
    await expect(runAs('token: made-up', ...name)).rejects.toThrow('You must be logged in to the server');
  });
});
