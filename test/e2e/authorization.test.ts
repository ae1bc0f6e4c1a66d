import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { encodedRequest } from '../support/certificate-requests.ts';
import { OrchProcess, buildOrch, kubectl } from '../support/orch-process.ts';
import { freePorts } from '../support/ports.ts';

let directory: string;
let orch: OrchProcess;
let admin: string;
let alice: string;
beforeAll(async () => {
  buildOrch();
  directory = await mkdtemp(join(tmpdir(), 'orch-e2e-authz-'));
  const [port = 0] = await freePorts(1);
  const tokens = join(directory, 'tokens.csv');
  await writeFile(tokens, 'alicetoken,alice,1,"devs"\n');
  orch = OrchProcess.up(join(directory, 'data'), port, '--token-auth-file', tokens);
  await orch.says('Ready');
  admin = join(directory, 'data', 'admin.kubeconfig');
  alice = join(directory, 'alice.kubeconfig');
  const text = await readFile(admin, 'utf8');
  await writeFile(
    alice,
    text.replace(/client-certificate-data: .*\n/, 'token: alicetoken\n').replace(/ *client-key-data: .*\n/, ''),
  );
});
afterAll(async () => {
  await orch[Symbol.asyncDispose]();
  await rm(directory, { recursive: true });
});

const apply = async (name: string, object: object): Promise<string> => {
  const file = join(directory, `${name}.json`);
  await writeFile(file, JSON.stringify(object));
  return file;
};
const role = {
  apiVersion: 'rbac.authorization.k8s.io/v1',
  kind: 'ClusterRole',
  metadata: { name: 'reader' },
  rules: [{ apiGroups: [''], resources: ['configmaps'], verbs: ['get', 'list'] }],
};

describe.each(['1.32', '1.20'] as const)('kubectl %s', (version) => {
  /** The exit code of `can-i` says no. */
  const canI = (kubeconfig: string, ...args: string[]): Promise<string> =>
    kubectl(version, kubeconfig, 'auth', 'can-i', ...args).catch((error: { stdout: string }) => error.stdout);

  test('kubectl auth can-i asks for the user, and for others', async () => {
    expect(await canI(admin, 'delete', 'nodes')).toMatch(/yes\n$/);
    expect(await canI(alice, 'list', 'secrets')).toBe('no\n');
    expect(await canI(admin, 'list', 'secrets', '--as', 'alice')).toBe('no\n');
    expect(await canI(alice, 'get', '/healthz')).toBe('yes\n');
  });

  test('kubectl auth can-i --list shows the rules', async () => {
    const mine = await kubectl(version, alice, 'auth', 'can-i', '--list', '--no-headers');
    expect(mine).toMatch(/selfsubjectaccessreviews\.authorization\.k8s\.io +\[\] +\[\] +\[create\]/);
    expect(mine).not.toContain('*.*');
    expect(await kubectl(version, admin, 'auth', 'can-i', '--list', '--no-headers')).toMatch(
      /\*\.\* +\[\] +\[\] +\[\*\]/,
    );
  });

  test('kubectl auth reconcile gives back what was taken', async () => {
    const file = await apply('reader', role);
    await kubectl(version, admin, 'auth', 'reconcile', '-f', file);
    await kubectl(version, admin, 'patch', 'clusterrole', 'reader', '--type=merge', '-p', '{"rules":[]}');
    expect(await kubectl(version, admin, 'auth', 'reconcile', '-f', file)).toContain('reader reconciled');
    expect(await kubectl(version, admin, 'get', 'clusterrole', 'reader', '-o', 'jsonpath={.rules[*].verbs}')).toContain(
      'list',
    );
    await kubectl(version, admin, 'delete', 'clusterrole', 'reader');
  });

  test('kubectl certificate approve succeeds for a user with the right', async () => {
    const name = `csr-${version.replace('.', '-')}`;
    const request = {
      apiVersion: 'certificates.k8s.io/v1',
      kind: 'CertificateSigningRequest',
      metadata: { name },
      spec: { signerName: 'example.com/one', request: encodedRequest({ commonName: 'a' }), usages: ['client auth'] },
    };
    await kubectl('1.32', admin, 'create', '-f', await apply(name, request));
    await expect(kubectl('1.32', alice, 'certificate', 'approve', name)).rejects.toThrow('User "alice" cannot');
    expect(await kubectl('1.32', admin, 'certificate', 'approve', name)).toContain('approved');
    expect(await kubectl(version, admin, 'get', 'csr', name)).toContain('Approved');
  });
});

test('A refusal is told as kubectl users know it', async () => {
  await expect(kubectl('1.32', alice, 'get', 'secrets')).rejects.toThrow(
    'Error from server (Forbidden): secrets is forbidden: User "alice" cannot list resource "secrets" in API ' +
      'group "" in the namespace "default"',
  );
  await expect(
    kubectl('1.32', alice, 'create', 'clusterrolebinding', 'mine', '--clusterrole=cluster-admin', '--user=alice'),
  ).rejects.toThrow('cannot create resource "clusterrolebindings"');
});
