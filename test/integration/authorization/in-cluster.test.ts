/**
 * An API server whose access is judged by the API of the cluster that it is a pod of: two servers, and the account of a
 * pod.
 */
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type ApiUsers, startApiUsers } from '../../support/api-users.ts';
import { startTestServer, type TestServer } from '../../support/caller.ts';
import { replaceFile } from '../../support/replace-file.ts';

const rbac = '/apis/rbac.authorization.k8s.io/v1';
const rbacGroup = 'rbac.authorization.k8s.io';
const accounts = '/api/v1/namespaces/default/serviceaccounts';

let cluster: ApiUsers;
let directory: string;
let configuration: string;
const file = (name: string): string => path.join(directory, name);

beforeAll(async () => {
  cluster = await startApiUsers({}, ['--authorization-mode=RBAC']);
  directory = await mkdtemp(path.join(tmpdir(), 'orch-pod-'));
  for (const name of ['judge', 'nobody']) await cluster.create(accounts, { metadata: { name } });
  const bind = (name: string, role: string, subject: object): Promise<unknown> =>
    cluster.create(`${rbac}/clusterrolebindings`, {
      metadata: { name },
      roleRef: { apiGroup: rbacGroup, kind: 'ClusterRole', name: role },
      subjects: [subject],
    });
  await bind('judge', 'system:auth-delegator', { kind: 'ServiceAccount', name: 'judge', namespace: 'default' });
  await cluster.create(`${rbac}/clusterroles`, {
    metadata: { name: 'pod-reader' },
    rules: [{ apiGroups: [''], resources: ['pods'], verbs: ['list'] }],
  });
  await bind('alice', 'pod-reader', { apiGroup: rbacGroup, kind: 'User', name: 'alice' });
  const config = await readFile(cluster.kubeconfigPath, 'utf8');
  await writeFile(file('ca.crt'), Buffer.from(/certificate-authority-data: (\S+)/.exec(config)![1]!, 'base64'));
  await writeFile(file('tokens.csv'), 'alice-token,alice,1\n');
  configuration = file('authorization.json');
  await writeFile(
    configuration,
    JSON.stringify({
      apiVersion: 'apiserver.config.k8s.io/v1',
      kind: 'AuthorizationConfiguration',
      authorizers: [
        {
          type: 'Webhook',
          name: 'cluster',
          webhook: {
            timeout: '10s',
            authorizedTTL: '1ms',
            unauthorizedTTL: '1ms',
            subjectAccessReviewVersion: 'v1',
            failurePolicy: 'Deny',
            connectionInfo: { type: 'InClusterConfig' },
          },
        },
      ],
    }),
  );
});
afterAll(async () => {
  await cluster[Symbol.asyncDispose]();
  await rm(directory, { recursive: true });
});

async function giveToken(account: string): Promise<void> {
  const { body } = await cluster.call('admin', 'POST', `${accounts}/${account}/token`, { body: {} });
  await replaceFile(file('token'), `${(body as { status: { token: string } }).status.token}\n`);
}

const start = (
  environment: Readonly<Record<string, string>> = {
    KUBERNETES_SERVICE_HOST: '127.0.0.1',
    KUBERNETES_SERVICE_PORT: new URL(cluster.url).port,
  },
): Promise<TestServer> =>
  startTestServer(
    { flags: ['--authorization-config', configuration, '--token-auth-file', file('tokens.csv')] },
    { pod: { environment, accountFolder: directory } },
  );

describe('connectionInfo.type: InClusterConfig', () => {
  test('The cluster is asked with the account of the pod, and a renewed token is used without a restart', async () => {
    await giveToken('judge');
    await using server = await start();
    const ask = (resource: string) =>
      server.call({ path: `/api/v1/namespaces/default/${resource}`, headers: ['authorization', 'Bearer alice-token'] });
    await expect.poll(async () => (await ask('pods')).status, { timeout: 20_000 }).toBe(200);
    expect((await ask('secrets')).body['message']).toBe(
      'secrets is forbidden: User "alice" cannot list resource "secrets" in API group "" in the namespace "default"',
    );

    await giveToken('nobody');
    expect(await ask('pods')).toMatchObject({
      status: 500,
      text: 'Internal Server Error: "/api/v1/namespaces/default/pods": the webhook answered with status 403\n',
    });
    await giveToken('judge');
    expect((await ask('pods')).status).toBe(200);
    await rm(file('token'));
    expect((await ask('pods')).status).toBe(500);
    await giveToken('judge');
    expect((await ask('pods')).status).toBe(200);
  });

  test.each([
    {
      name: 'outside of a pod',
      environment: {},
      absent: undefined,
      message:
        'InClusterConfig is for a server that runs as a pod: KUBERNETES_SERVICE_HOST and ' +
        'KUBERNETES_SERVICE_PORT must be defined',
    },
    {
      name: 'without a token',
      environment: undefined,
      absent: 'token',
      message: 'InClusterConfig: open FOLDER/token: no such file or directory',
    },
    {
      name: 'without an authority',
      environment: undefined,
      absent: 'ca.crt',
      message: 'InClusterConfig: open FOLDER/ca.crt: no such file or directory',
    },
  ])(
    'InClusterConfig of an authorization webhook: $name the server does not start',
    async ({ environment, absent, message }) => {
      await giveToken('judge');
      if (absent !== undefined) await rm(file(absent));
      await expect(start(environment)).rejects.toThrow(
        `--authorization-config: ${configuration}: authorizer cluster: ${message.replace('FOLDER', directory)}`,
      );
    },
  );
});
