import { generateKeyPairSync } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { createClient } from '../../../src/client/index.ts';
import { defaultControllerManagerOptions } from '../../../src/controllers/manager/options.ts';
import { startControllerCluster } from './controller-cluster.ts';

const token = (name: string, account: string): object => ({
  metadata: { name, namespace: 'team', annotations: { 'kubernetes.io/service-account.name': account } },
  type: 'kubernetes.io/service-account-token',
});

let directory: string;
let keyFile: string;

beforeAll(async () => {
  directory = await mkdtemp(path.join(tmpdir(), 'orch-accounts-'));
  keyFile = path.join(directory, 'accounts.key');
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'prime256v1' });
  await writeFile(keyFile, privateKey.export({ type: 'pkcs8', format: 'pem' }));
});

afterAll(() => rm(directory, { recursive: true }));

const clusterWith = (controllers: readonly string[]) =>
  startControllerCluster({
    controllers,
    options: {
      serviceAccountToken: { ...defaultControllerManagerOptions.serviceAccountToken, privateKeyFile: keyFile },
    },
    serverFlags: [`--service-account-key-file=${keyFile}`, '--service-account-issuer=https://example.com'],
  });

test('A namespace gets its account and its root certificate, and gets them again', async () => {
  await using cluster = await clusterWith(['serviceaccount', 'root-ca-cert-publisher']);
  const { namespaces, serviceaccounts, configmaps } = cluster.client.core.v1;
  await namespaces.create({ metadata: { name: 'team' } });
  const accounts = serviceaccounts.namespace('team');
  const maps = configmaps.namespace('team');
  const first = await vi.waitFor(() => accounts.get('default'), 5000);
  await vi.waitFor(async () => {
    expect((await maps.get('kube-root-ca.crt')).data).toEqual({ 'ca.crt': cluster.client.config.ca });
  }, 5000);
  await accounts.delete('default');
  await maps.patch('kube-root-ca.crt', { merge: { data: { 'ca.crt': 'x', more: 'y' } } });
  await vi.waitFor(async () => {
    expect((await accounts.get('default')).metadata.uid).not.toBe(first.metadata.uid);
    expect((await maps.get('kube-root-ca.crt')).data).toEqual({ 'ca.crt': cluster.client.config.ca });
  }, 5000);
});

test('A secret gets a token that the server takes, and goes with its account', async () => {
  await using cluster = await clusterWith(['serviceaccount-token']);
  const { client } = cluster;
  const { namespaces, serviceaccounts } = client.core.v1;
  const secrets = client.core.v1.secrets.namespace('team');
  await namespaces.create({ metadata: { name: 'team' } });
  await serviceaccounts.create({ metadata: { name: 'robot', namespace: 'team' }, secrets: [{ name: 'mine' }] });
  await secrets.create(token('mine', 'robot'));
  await secrets.create(token('orphaned', 'deleted-account'));
  const filled = await vi.waitFor(async () => {
    const secret = await secrets.get('mine');
    expect(Object.keys(secret.data ?? {}).sort()).toEqual(['ca.crt', 'namespace', 'token']);
    return secret;
  }, 5000);
  const bearer = Buffer.from(filled.data!['token']!, 'base64').toString();
  await using robot = createClient({ ...client.config, authorization: () => Promise.resolve(`Bearer ${bearer}`) });
  const { status } = await robot.authentication.v1.selfsubjectreviews.create({});
  expect(status?.userInfo?.username).toBe('system:serviceaccount:team:robot');
  await vi.waitFor(async () => {
    expect((await secrets.list()).items.map(({ metadata }) => metadata.name)).toEqual(['mine']);
  }, 5000);
  await secrets.delete('mine');
  await vi.waitFor(async () => {
    expect((await serviceaccounts.namespace('team').get('robot')).secrets ?? []).toEqual([]);
  }, 5000);
  await secrets.create(token('again', 'robot'));
  await serviceaccounts.namespace('team').delete('robot');
  await vi.waitFor(async () => expect((await secrets.list()).items).toEqual([]), 5000);
});
