/** A server that reaches others through tunnels only: the names and addresses that it asks for exist behind them. */
import { readFileSync } from 'node:fs';
import http from 'node:http';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { AdmissionWebhook } from '../support/admission-webhook.ts';
import { type ApiUsers, startApiUsers } from '../support/api-users.ts';
import { createTestCertificates, type TestCertificates } from '../support/certificates.ts';
import {
  apiService,
  apiServicesPath,
  createFrontProxyFiles,
  ExtensionBackend,
  type FrontProxyFiles,
} from '../support/extension-backend.ts';
import { type ForwardProxy, startConnectProxy } from '../support/forward-proxy.ts';
import { createKubeletFiles, type KubeletFiles, TestKubelet } from '../support/kubelet.ts';
import { serveStreams } from '../support/kubelet-streams.ts';
import { openSpdy } from '../support/spdy-client.ts';
import { startTunnelServer, type TunnelServer } from '../support/tunnel-server.ts';

const clusterIp = '10.0.0.77';
const services = '/api/v1/namespaces/default/services';
const configurations = '/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations';

let directory: string;
let certificates: TestCertificates;
let files: FrontProxyFiles;
let proxy: ForwardProxy;
let tunnel: TunnelServer;
let backend: ExtensionBackend;
let hooks: AdmissionWebhook;
let tokens: http.Server;
let users: ApiUsers;
let agentFiles: KubeletFiles;
let agent: TestKubelet;
let app: TestKubelet;

beforeAll(async () => {
  directory = await mkdtemp(path.join(tmpdir(), 'orch-egress-'));
  certificates = await createTestCertificates();
  files = await createFrontProxyFiles();
  const read = (file: string): Buffer => readFileSync(file);
  proxy = await startConnectProxy(undefined, {
    ca: read(certificates.caFile),
    cert: read(certificates.server.certFile),
    key: read(certificates.server.keyFile),
    requestCert: true,
    rejectUnauthorized: true,
  });
  backend = await ExtensionBackend.start({ files });
  hooks = await AdmissionWebhook.start(['hooks.default.svc', 'hooks.example']);
  agentFiles = await createKubeletFiles();
  agent = await TestKubelet.start(agentFiles);
  app = await TestKubelet.start();
  serveStreams(agent);
  const socket = path.join(directory, 'tunnel.sock');
  tunnel = await startTunnelServer(socket, {
    routes: {
      [`${clusterIp}:443`]: `127.0.0.1:${hooks.port}`,
      'agg.example:443': `127.0.0.1:${backend.port}`,
      'node.example:10250': `127.0.0.1:${agent.port}`,
      '10.1.0.9:80': `127.0.0.1:${app.port}`,
    },
  });
  tokens = http.createServer((request, response) => {
    const status = { authenticated: true, user: { username: 'through-the-tunnel', groups: ['system:masters'] } };
    const review = { apiVersion: 'authentication.k8s.io/v1beta1', kind: 'TokenReview', status };
    request
      .resume()
      .on('end', () => response.setHeader('content-type', 'application/json').end(JSON.stringify(review)));
  });
  tokens.listen(0, '127.0.0.1');
  await once(tokens, 'listening');
  const write = async (name: string, content: unknown): Promise<string> => {
    await writeFile(path.join(directory, name), JSON.stringify(content));
    return path.join(directory, name);
  };
  const tokenPort = (tokens.address() as AddressInfo).port;
  const kubeconfig = await write('tokens.kubeconfig', {
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': 'c',
    contexts: [{ name: 'c', context: { cluster: 'c', user: 'u' } }],
    clusters: [{ name: 'c', cluster: { server: `http://tokens.example:${tokenPort}/` } }],
    users: [{ name: 'u', user: {} }],
  });
  const { caFile, client } = certificates;
  const tlsConfig = { caBundle: caFile, clientCert: client.certFile, clientKey: client.keyFile };
  const egress = await write('egress.yaml', {
    apiVersion: 'apiserver.k8s.io/v1beta1',
    kind: 'EgressSelectorConfiguration',
    egressSelections: [
      { name: 'cluster', connection: { proxyProtocol: 'GRPC', transport: { uds: { udsName: socket } } } },
      {
        name: 'controlplane',
        connection: {
          proxyProtocol: 'HTTPConnect',
          transport: { tcp: { url: `https://127.0.0.1:${proxy.port}`, tlsConfig } },
        },
      },
    ],
  });
  users = await startApiUsers({}, [
    `--egress-selector-config-file=${egress}`,
    `--authentication-token-webhook-config-file=${kubeconfig}`,
    ...files.flags,
    // The node is not called what its certificate is for.
    ...agentFiles.flags.filter((flag) => !flag.startsWith('--kubelet-certificate-authority')),
  ]);
});
afterAll(async () => {
  await users[Symbol.asyncDispose]();
  for (const one of [proxy, tunnel, backend, hooks, agent, app, agentFiles, files, certificates])
    await one[Symbol.asyncDispose]();
  tokens.closeAllConnections();
  tokens.close();
  await rm(directory, { recursive: true });
});

/** Creates a config map until a configuration that was just made asks about it. */
async function asked(hook: string, clientConfig: object): Promise<void> {
  await users.create(configurations, {
    metadata: { name: hook },
    webhooks: [
      hooks.webhook(hook, { clientConfig: { ...clientConfig, caBundle: hooks.caBundle }, timeoutSeconds: 10 }),
    ],
  });
  const before = hooks.asked.length;
  for (let i = 0; hooks.asked.length === before; i++) {
    if (i === 500) throw new Error('the webhook was not asked');
    await users.create('/api/v1/namespaces/default/configmaps', {
      metadata: { generateName: 'm-', labels: { hook } },
    });
  }
}

test('A token webhook is called through the tunnel of the control plane', async () => {
  const path = '/apis/authentication.k8s.io/v1/selfsubjectreviews';
  const { body } = await users.call('stranger', 'POST', path, { body: {} });
  expect(body).toMatchObject({ status: { userInfo: { username: 'through-the-tunnel' } } });
  expect(proxy.asked).toEqual([`tokens.example:${(tokens.address() as AddressInfo).port}`]);
});

test('An admission webhook with a URL is called through the tunnel of the control plane', async () => {
  const { port } = hooks;
  await asked('by-url', { url: `https://hooks.example:${port}/by-url` });
  expect(proxy.asked).toContain(`hooks.example:${port}`);
});

test('An admission webhook of a service is called through the tunnel of the cluster', async () => {
  await users.create(services, { metadata: { name: 'hooks' }, spec: { clusterIP: clusterIp, ports: [{ port: 443 }] } });
  await asked('by-service', { service: { namespace: 'default', name: 'hooks', path: '/by-service' } });
  expect(tunnel.asked).toContain(`${clusterIp}:443`);
});

test('An aggregated API is reached through the tunnel of the cluster', async () => {
  await users.create(services, {
    metadata: { name: 'agg' },
    spec: { type: 'ExternalName', externalName: 'agg.example' },
  });
  await users.create(apiServicesPath, apiService({ port: 443, spec: { caBundle: files.caBundle } }));
  await users.until('admin', 'GET', '/apis/agg.example.com/v1/things', ({ status }) => status === 200);
  expect(backend.received.at(-1)!.target).toBe('/apis/agg.example.com/v1/things');
  expect(tunnel.asked).toContain('agg.example:443');
});

test('Nodes and pods are reached through the tunnel of the cluster', async () => {
  await users.create('/api/v1/nodes', {
    metadata: { name: 'n1' },
    status: {
      addresses: [{ type: 'Hostname', address: 'node.example' }],
      daemonEndpoints: { kubeletEndpoint: { Port: 10250 } },
    },
  });
  const pods = '/api/v1/namespaces/default/pods';
  await users.create(pods, {
    metadata: { name: 'p' },
    spec: { nodeName: 'n1', containers: [{ name: 'c', image: 'i', ports: [{ containerPort: 80 }] }] },
  });
  const podIPs = [{ ip: '10.1.0.9' }];
  const { body: pod } = await users.call('admin', 'GET', `${pods}/p`);
  await users.call('admin', 'PUT', `${pods}/p/status`, {
    body: { ...(pod as object), status: { phase: 'Running', podIP: podIPs[0]!.ip, podIPs } },
  });
  const log = await users.call('admin', 'GET', `${pods}/p/log`);
  expect([log.status, agent.last.target]).toEqual([200, '/containerLogs/default/p/c']);
  for (const file of ['a', 'b']) {
    const proxied = await users.call('admin', 'GET', `${pods}/p/proxy/${file}`);
    expect([proxied.status, app.last.target]).toEqual([200, `/${file}`]);
  }
  const server = { ...users, token: 'token-admin' };
  const channel = await openSpdy(server, `${pods}/p/exec?command=cat&stdin=1&stdout=1`, ['v4.channel.k8s.io']);
  const [, stdin, stdout] = ['error', 'stdin', 'stdout'].map((streamtype) => channel.open({ streamtype }));
  stdin!.end('through the tunnel');
  expect(await text(stdout!)).toBe('through the tunnel');
  channel.connection.close();
  expect(tunnel.asked).toEqual(expect.arrayContaining(['node.example:10250', '10.1.0.9:80']));
});

test('Dials are counted by protocol and transport', async () => {
  const { body } = await users.call('admin', 'GET', '/metrics');
  for (const series of [
    /^apiserver_egress_dialer_dial_start_total\{protocol="grpc",transport="uds"\} [1-9]/m,
    /^apiserver_egress_dialer_dial_start_total\{protocol="http_connect",transport="tcp"\} [1-9]/m,
    /^apiserver_egress_dialer_dial_duration_seconds_count\{protocol="grpc",transport="uds"\} [1-9]/m,
  ])
    expect(String(body)).toMatch(series);
});
