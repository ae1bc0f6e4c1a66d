/** Who may ask a node with real containers for what. Its runtime is not there: the port does not wait for it. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { type RunningCommand, runCommand } from '../../../src/cmd/testing/run-command.ts';
import { createAuthority, createClientPair } from '../../../src/pki/pki.ts';
import { type ApiUsers, startApiUsers } from '../../support/api-users.ts';
import { type Asked, askDaemon } from '../../support/ask-daemon.ts';
import { freePorts } from '../../support/ports.ts';
import { tokenKubeconfig } from '../../support/token-kubeconfig.ts';

const now = new Date();
const ca = createAuthority({ commonName: 'orch-ca' }, now);
const other = createAuthority({ commonName: 'orch-ca' }, now);
const pairOf = (authority: typeof ca, commonName: string, organization?: string): NonNullable<Asked['certificate']> => {
  const subject = { commonName, ...(organization === undefined ? {} : { organization }) };
  const { certificate, key } = createClientPair(authority, subject, now);
  return { cert: certificate, key };
};

let api: ApiUsers;
let folder: string;
let agent: RunningCommand;
let port: number;
let openPort: number;

beforeAll(async () => {
  api = await startApiUsers({ alice: [], scraper: [] }, ['--authorization-mode=RBAC']);
  await api.create('/apis/rbac.authorization.k8s.io/v1/clusterroles', {
    metadata: { name: 'scrape' },
    rules: [{ apiGroups: [''], resources: ['nodes/metrics'], verbs: ['get'] }],
  });
  await api.create('/apis/rbac.authorization.k8s.io/v1/clusterrolebindings', {
    metadata: { name: 'scrape' },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'scrape' },
    subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: 'scraper' }],
  });
  folder = await mkdtemp(path.join(tmpdir(), 'orch-agent-server-'));
  [port = 0, openPort = 0] = await freePorts(2);
  await writeFile(path.join(folder, 'ca.crt'), ca.certificate);
  await writeFile(
    path.join(folder, 'agent.yaml'),
    JSON.stringify({
      apiVersion: 'kubelet.config.k8s.io/v1beta1',
      kind: 'KubeletConfiguration',
      address: '127.0.0.1',
      authentication: { x509: { clientCAFile: 'ca.crt' } },
      authorization: { webhook: { cacheUnauthorizedTTL: '1ms', cacheAuthorizedTTL: '1ms' } },
      containerRuntimeEndpoint: 'unix:///none.sock',
      failSwapOn: false,
      healthzPort: 0,
      port,
      readOnlyPort: openPort,
    }),
  );
  agent = runCommand([
    'node-agent',
    `--config=${path.join(folder, 'agent.yaml')}`,
    `--kubeconfig=${await tokenKubeconfig(api, 'admin')}`,
    `--root-dir=${path.join(folder, 'root')}`,
    '--hostname-override=served-node',
    // The firewall of the machine is left alone.
    '--make-iptables-util-chains=false',
  ]);
  await agent.says('serving without TLS');
});

afterAll(async () => {
  agent.interrupt('SIGTERM');
  expect(await agent.exited).toBe(0);
  await api[Symbol.asyncDispose]();
  await rm(folder, { recursive: true });
});

describe('The port of a node', () => {
  test.each<{ name: string; target: string; asked: Asked; status: number; text: RegExp }>([
    { name: 'nothing is known', target: '/pods', asked: {}, status: 401, text: /^Unauthorized$/ },
    { name: 'a token is nobody’s', target: '/pods', asked: { token: 'wrong' }, status: 401, text: /^Unauthorized$/ },
    {
      name: 'a token is of a user without rights',
      target: '/pods',
      asked: { token: 'token-alice' },
      status: 403,
      text: /^Forbidden \(user=alice, verb=get, resource=nodes, subresource\(s\)=\[proxy\]\)\n$/,
    },
    {
      name: 'a token is of a user with the right for metrics alone',
      target: '/pods',
      asked: { token: 'token-scraper' },
      status: 403,
      text: /scraper/,
    },
    {
      name: 'metrics are asked for with that right',
      target: '/metrics',
      asked: { token: 'token-scraper' },
      status: 200,
      text: /kubelet_|process_/,
    },
    {
      name: 'a token is of an administrator',
      target: '/pods',
      asked: { token: 'token-admin' },
      status: 200,
      text: /"kind":"PodList"/,
    },
    {
      name: 'a certificate is of an administrator',
      target: '/configz',
      asked: { certificate: pairOf(ca, 'orch-admin', 'system:masters') },
      status: 200,
      text: /"kubeletconfig"/,
    },
    {
      name: 'a certificate is of a user without rights',
      target: '/configz',
      asked: { certificate: pairOf(ca, 'bob') },
      status: 403,
      text: /user=bob/,
    },
    {
      name: 'a certificate is of another authority',
      target: '/configz',
      asked: { certificate: pairOf(other, 'orch-admin', 'system:masters') },
      status: 401,
      text: /^Unauthorized$/,
    },
    { name: 'a path is not there', target: '/absent', asked: {}, status: 404, text: /^404 page not found\n$/ },
  ])('It answers as who asks may ask, where $name', async ({ target, asked, status, text }) => {
    const answer = await askDaemon(port, target, asked);
    expect(answer.status).toBe(status);
    expect(answer.text).toMatch(text);
  });

  test('The certificate that it shows is made on the machine, and is kept', async () => {
    expect((await askDaemon(port, '/healthz')).shownBy).toBe('served-node');
  });

  test.each([
    { target: '/pods', status: 200 },
    { target: '/metrics', status: 200 },
    { target: '/healthz', status: 200 },
    { target: '/configz', status: 404 },
    { target: '/exec/a/b/c', status: 404 },
    { target: '/containerLogs/a/b/c', status: 404 },
    { target: '/run/a/b/c', status: 404 },
  ])('Without TLS $target is answered with $status', async ({ target, status }) => {
    expect((await fetch(`http://127.0.0.1:${openPort}${target}`)).status).toBe(status);
  });

  test('A node whose runtime is not there is registered, and not ready', async () => {
    const node = await vi.waitFor(
      async () => {
        const { status, body } = await api.call('admin', 'GET', '/api/v1/nodes/served-node');
        expect(status).toBe(200);
        return body as { status: { conditions: { type: string; status: string; message: string }[] } };
      },
      { timeout: 10_000, interval: 50 },
    );
    const ready = node.status.conditions.find(({ type }) => type === 'Ready')!;
    expect(ready.status).toBe('False');
  });
});
