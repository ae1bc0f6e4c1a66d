import { X509Certificate } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { systemClock } from '../../../src/base/clock.ts';
import { silentLogger } from '../../../src/base/logger.ts';
import type { Client } from '../../../src/client/client.ts';
import { createClient } from '../../../src/client/client.ts';
import { loadKubeconfig, parseClientConfig } from '../../../src/client/kubeconfig/load.ts';
import { type ControllerManager, startControllers } from '../../../src/controllers/manager/manager.ts';
import { defaultControllerManagerOptions } from '../../../src/controllers/manager/options.ts';
import { bootstrap, needsBootstrap } from '../../../src/node-agent/node/certificates/bootstrap.ts';
import { CertificateFiles } from '../../../src/node-agent/node/certificates/certificate-files.ts';
import { CertificateKeeper } from '../../../src/node-agent/node/certificates/certificate-keeper.ts';
import { RequestRefused } from '../../../src/node-agent/node/certificates/signing-request.ts';
import { createAuthority } from '../../../src/pki/pki.ts';
import { type ClientServer, startClientServer } from '../client/client-server.ts';

const authority = createAuthority({ commonName: 'cluster-ca' }, new Date());
const waiting = { timeout: 10_000, interval: 50 };

let folder: string;
let server: ClientServer;
let controllers: ControllerManager;
let bootstrapKubeconfig: string;
const at = (name: string): string => path.join(folder, name);

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'orch-certificates-'));
  await writeFile(at('ca.crt'), authority.certificate);
  await writeFile(at('ca.key'), authority.key);
  server = await startClientServer({
    settled: true,
    flags: [`--client-ca-file=${at('ca.crt')}`, '--authorization-mode=Node,RBAC', '--enable-bootstrap-token-auth'],
  });
  const signer = { certFile: at('ca.crt'), keyFile: at('ca.key') };
  const { generic, signing } = defaultControllerManagerOptions;
  controllers = startControllers({
    clientFor: () => server.client,
    options: {
      ...defaultControllerManagerOptions,
      generic: { ...generic, controllers: ['csrapproving', 'csrsigning'] },
      signing: { ...signing, signers: { ...signing.signers, kubeletClient: signer, kubeletServing: signer } },
    },
  });
  await letNodesJoin(server.client);
  bootstrapKubeconfig = at('bootstrap.conf');
  await writeFile(bootstrapKubeconfig, kubeconfigOf('aaaaaa.0123456789abcdef'));
});

afterAll(async () => {
  await controllers.stop();
  await server[Symbol.asyncDispose]();
  await rm(folder, { recursive: true });
});

async function letNodesJoin({ core, rbac }: Client): Promise<void> {
  await core.v1.secrets.create({
    metadata: { name: 'bootstrap-token-aaaaaa', namespace: 'kube-system' },
    type: 'bootstrap.kubernetes.io/token',
    stringData: {
      'token-id': 'aaaaaa',
      'token-secret': '0123456789abcdef',
      'usage-bootstrap-authentication': 'true',
    },
  });
  const bind = (name: string, role: string, group: string): Promise<unknown> =>
    rbac.v1.clusterrolebindings.create({
      metadata: { name },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: role },
      subjects: [{ kind: 'Group', apiGroup: 'rbac.authorization.k8s.io', name: group }],
    });
  const nodeClient = 'system:certificates.k8s.io:certificatesigningrequests';
  await bind('join', 'system:node-bootstrapper', 'system:bootstrappers');
  await bind('approve-new', `${nodeClient}:nodeclient`, 'system:bootstrappers');
  await bind('approve-renewed', `${nodeClient}:selfnodeclient`, 'system:nodes');
}

const kubeconfigOf = (token: string): string =>
  JSON.stringify({
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': 'c',
    contexts: [{ name: 'c', context: { cluster: 'c', user: 'u' } }],
    clusters: [
      {
        name: 'c',
        cluster: {
          server: server.config.url,
          'certificate-authority-data': Buffer.from(server.config.ca!).toString('base64'),
        },
      },
    ],
    users: [{ name: 'u', user: { token } }],
  });

/** As `node` of a folder of its own. */
async function joined(node: string) {
  await using client = createClient(await loadKubeconfig({ path: bootstrapKubeconfig }), { qps: 0 });
  const kubeconfig = at(`${node}.conf`);
  const certDir = at(node);
  await bootstrap({
    nodeName: node,
    certDir,
    kubeconfig,
    bootstrapKubeconfig,
    client,
    log: silentLogger,
    clock: systemClock,
    wallTime: Date.now,
    signal: AbortSignal.timeout(20_000),
  });
  return { kubeconfig, certDir };
}

const userOf = async (client: Client): Promise<unknown> => {
  const review = await client.authentication.v1.selfsubjectreviews.create({});
  return review.status!.userInfo;
};

const common = { log: silentLogger, clock: systemClock, random: () => 0.5 };

describe('TLS bootstrap', () => {
  test('A machine with a bootstrap token gets a certificate and a kubeconfig as the node that it is', async () => {
    const { kubeconfig, certDir } = await joined('joins');
    const config = await loadKubeconfig({ path: kubeconfig });
    expect(needsBootstrap(config, Date.now())).toBe(false);
    expect(needsBootstrap(config, Date.now() + 400 * 24 * 3_600_000)).toBe(true);
    await using client = createClient(config);
    expect(await userOf(client)).toMatchObject({
      username: 'system:node:joins',
      groups: ['system:nodes', 'system:authenticated'],
    });
    const current = path.join(certDir, 'kubelet-client-current.pem');
    expect(JSON.parse(await readFile(kubeconfig, 'utf8'))).toMatchObject({
      'current-context': 'default-context',
      users: [{ name: 'default-auth', user: { 'client-certificate': current, 'client-key': current } }],
    });
    expect((await readdir(certDir)).sort()).toEqual([
      expect.stringMatching(/^kubelet-client-\d{4}(-\d\d){5}\.pem$/),
      'kubelet-client-current.pem',
    ]);
  });

  test('A kubeconfig without a certificate, and none, need one', async () => {
    expect(needsBootstrap(undefined, 0)).toBe(true);
    expect(needsBootstrap(await parseClientConfig(kubeconfigOf('x')), 0)).toBe(true);
  });

  test('A refused request ends the bootstrap with the words of the refusal, and its key is dropped', async () => {
    const requests = server.client.certificates.v1.certificatesigningrequests;
    await server.client.rbac.v1.clusterrolebindings.delete('approve-new');
    const failed = joined('refused').then(
      () => undefined,
      (error: unknown) => error,
    );
    const made = await vi.waitFor(async () => {
      const { items } = await requests.list();
      const [request] = items.filter(({ status }) => (status?.conditions ?? []).length === 0);
      expect(request).toBeDefined();
      return request!;
    }, waiting);
    const conditions = [{ type: 'Denied', status: 'True', reason: 'Unknown', message: 'not ours' }] as const;
    await requests.approval.update({ ...made, status: { conditions: [...conditions] } });
    const error = await failed;
    expect(error).toBeInstanceOf(RequestRefused);
    expect((error as Error).message).toBe(
      `certificate signing request ${made.metadata.name} is denied, reason: Unknown, message: not ours`,
    );
    expect(await readdir(at('refused'))).toEqual([]);
  });
});

describe('Certificates of a node that is in the cluster', () => {
  test('A client certificate is renewed after 80 % of its life, with the certificate before it', async () => {
    await letAgain();
    const { kubeconfig, certDir } = await joined('renews');
    const files = new CertificateFiles(certDir, 'kubelet-client');
    const before = (await files.current())!;
    await using client = createClient(await loadKubeconfig({ path: kubeconfig }), { qps: 0 });
    const life = 365 * 24 * 3_600_000;
    const seen: string[] = [];
    const keep = async (age: number, done: () => boolean): Promise<void> => {
      const stop = new AbortController();
      const keeper = new CertificateKeeper({
        ...common,
        files,
        nodeName: 'renews',
        use: 'client auth',
        client,
        onRenewed: ({ certificate }) => {
          seen.push(certificate);
          if (done()) stop.abort();
        },
        wallTime: () => Date.now() + age * life,
      });
      await keeper.load();
      const running = keeper.run(stop.signal);
      if (done()) stop.abort();
      await running;
    };
    await keep(0.79, () => seen.length === 1);
    expect(seen).toEqual([before.certificate]);
    await keep(0.81, () => seen.length === 3);
    const renewed = (await files.current())!;
    expect(seen[2]).toBe(renewed.certificate);
    expect(renewed.certificate).not.toBe(before.certificate);
    await using after = createClient(await loadKubeconfig({ path: kubeconfig }), { qps: 0 });
    expect(await userOf(after)).toMatchObject({ username: 'system:node:renews' });
  });

  test('A serving certificate is for the addresses of the node, and renewed when they change', async () => {
    const { kubeconfig, certDir } = await joined('serves');
    await using client = createClient(await loadKubeconfig({ path: kubeconfig }), { qps: 0 });
    const requests = server.client.certificates.v1.certificatesigningrequests;
    const approved = new AbortController();
    const approving = (async () => {
      const { signal } = approved;
      const fieldSelector = 'spec.signerName=kubernetes.io/kubelet-serving';
      for await (const { type, object } of requests.watch({ fieldSelector, signal }))
        if (type === 'ADDED')
          await requests.approval.update({
            ...object,
            status: { conditions: [{ type: 'Approved', status: 'True', reason: 'Test' }] },
          });
    })().catch(() => undefined);
    let addresses = ['10.0.0.1'];
    const names: (string | undefined)[] = [];
    const keep = async (): Promise<void> => {
      const stop = new AbortController();
      const keeper = new CertificateKeeper({
        ...common,
        files: new CertificateFiles(certDir, 'kubelet-server'),
        nodeName: 'serves',
        use: 'server auth',
        client,
        names: () => ({ dnsNames: ['serves'], ipAddresses: addresses }),
        onRenewed: ({ certificate }) => {
          names.push(new X509Certificate(certificate).subjectAltName);
          if (names.at(-1)?.endsWith(addresses.at(-1)!) === true) stop.abort();
        },
        wallTime: Date.now,
      });
      await keeper.load();
      await keeper.run(stop.signal);
    };
    await keep();
    addresses = ['10.0.0.1', '10.0.0.2'];
    await keep();
    const first = 'DNS:serves, IP Address:10.0.0.1';
    expect(names).toEqual([first, first, `${first}, IP Address:10.0.0.2`]);
    approved.abort();
    await approving;
  });
});

async function letAgain(): Promise<void> {
  await server.client.rbac.v1.clusterrolebindings.create({
    metadata: { name: 'approve-new' },
    roleRef: {
      apiGroup: 'rbac.authorization.k8s.io',
      kind: 'ClusterRole',
      name: 'system:certificates.k8s.io:certificatesigningrequests:nodeclient',
    },
    subjects: [{ kind: 'Group', apiGroup: 'rbac.authorization.k8s.io', name: 'system:bootstrappers' }],
  });
}
