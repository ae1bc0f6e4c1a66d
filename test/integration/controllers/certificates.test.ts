import { X509Certificate } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import type { Client } from '../../../src/client/client.ts';
import { startControllers } from '../../../src/controllers/manager/manager.ts';
import { defaultControllerManagerOptions } from '../../../src/controllers/manager/options.ts';
import { createAuthority } from '../../../src/pki/pki.ts';
import { encodedRequest } from '../../support/certificate-requests.ts';
import { startClientServer } from '../client/client-server.ts';
import { startControllerCluster } from './controller-cluster.ts';

const authority = createAuthority({ commonName: 'nodes-ca' }, new Date());
let directory: string;

beforeAll(async () => {
  directory = await mkdtemp(path.join(tmpdir(), 'orch-certificates-'));
  await writeFile(path.join(directory, 'ca.crt'), authority.certificate);
  await writeFile(path.join(directory, 'ca.key'), authority.key);
});

afterAll(() => rm(directory, { recursive: true }));

const waiting = { timeout: 10_000, interval: 50 };
const node = { commonName: 'system:node:a', organizations: ['system:nodes'] };

const clusterWith = (controllers: readonly string[]) => {
  const signer = { certFile: path.join(directory, 'ca.crt'), keyFile: path.join(directory, 'ca.key') };
  const { signing } = defaultControllerManagerOptions;
  const signers = { ...signing.signers, kubeletClient: signer, kubeletServing: signer };
  return startControllerCluster({ controllers, options: { signing: { ...signing, signers } } });
};

const createRequest = (client: Client, name: string, signer: string, usage: 'client auth' | 'server auth') =>
  client.certificates.v1.certificatesigningrequests.create({
    metadata: { name },
    spec: {
      request: encodedRequest(node),
      signerName: `kubernetes.io/${signer}`,
      usages: ['digital signature', usage],
      expirationSeconds: 3600,
    },
  });

test('A kubelet gets a client certificate of the authority for as long as it asks', async () => {
  await using cluster = await clusterWith(['csrapproving', 'csrsigning']);
  const requests = cluster.client.certificates.v1.certificatesigningrequests;
  await createRequest(cluster.client, 'node-a', 'kube-apiserver-client-kubelet', 'client auth');
  const { status } = await vi.waitFor(async () => {
    const request = await requests.get('node-a');
    expect(request.status.certificate).toBeDefined();
    return request;
  }, waiting);
  expect(status.conditions).toMatchObject([{ type: 'Approved', status: 'True', reason: 'AutoApproved' }]);
  const certificate = new X509Certificate(Buffer.from(status.certificate!, 'base64'));
  expect(certificate.verify(new X509Certificate(authority.certificate).publicKey)).toBe(true);
  expect(certificate.subject).toBe('O=system:nodes\nCN=system:node:a');
  const seconds = (Date.parse(certificate.validTo) - Date.parse(certificate.validFrom)) / 1000;
  expect(seconds).toBe(3600 + 300);
});

test('A request that its signer refuses says why, once it is approved', async () => {
  await using cluster = await clusterWith(['csrapproving', 'csrsigning']);
  const requests = cluster.client.certificates.v1.certificatesigningrequests;
  const made = await createRequest(cluster.client, 'serving', 'kubelet-serving', 'server auth');
  const conditions = [{ type: 'Approved' as const, status: 'True' as const, reason: 'Test' }];
  await requests.approval.update({ ...made, status: { conditions } });
  await vi.waitFor(async () => {
    expect((await requests.get('serving')).status).toMatchObject({
      conditions: [
        { type: 'Approved', reason: 'Test' },
        { type: 'Failed', reason: 'SignerValidationFailure', message: 'DNS or IP subjectAltName is required' },
      ],
    });
  }, waiting);
  expect((await requests.get('serving')).status.certificate).toBeUndefined();
});

test('A request that nothing was decided about is deleted after a day', async () => {
  await using server = await startClientServer({ settled: true });
  const requests = server.client.certificates.v1.certificatesigningrequests;
  await createRequest(server.client, 'old', 'kubelet-serving', 'server auth');
  const generic = { ...defaultControllerManagerOptions.generic, controllers: ['csrcleaner'] };
  await using _manager = startControllers({
    clientFor: () => server.client,
    options: { ...defaultControllerManagerOptions, generic },
    wallTime: () => Date.now() + 25 * 3_600_000,
  });
  await vi.waitFor(async () => expect((await requests.list()).items).toEqual([]), waiting);
});

const tokenSecret = (id: string, expiration: string) => ({
  metadata: { name: `bootstrap-token-${id}`, namespace: 'kube-system' },
  type: 'bootstrap.kubernetes.io/token',
  stringData: {
    'token-id': id,
    'token-secret': '0123456789abcdef',
    'usage-bootstrap-signing': 'true',
    ...(expiration === '' ? {} : { expiration }),
  },
});

test('A bootstrap token signs the cluster information, and one that has expired is deleted', async () => {
  await using cluster = await startControllerCluster({ controllers: ['bootstrapsigner', 'tokencleaner'] });
  const { secrets, configmaps } = cluster.client.core.v1;
  await configmaps.create({
    metadata: { name: 'cluster-info', namespace: 'kube-public' },
    data: { kubeconfig: 'apiVersion: v1\nkind: Config\n' },
  });
  await secrets.create(tokenSecret('aaaaaa', ''));
  await secrets.create(tokenSecret('bbbbbb', '2020-01-01T00:00:00Z'));
  await vi.waitFor(async () => {
    const { data } = await configmaps.namespace('kube-public').get('cluster-info');
    expect(Object.keys(data ?? {}).sort()).toEqual(['jws-kubeconfig-aaaaaa', 'kubeconfig']);
    const left = await secrets.namespace('kube-system').list();
    expect(left.items!.map(({ metadata }) => metadata.name)).toEqual(['bootstrap-token-aaaaaa']);
  }, waiting);
});
