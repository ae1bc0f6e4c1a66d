/** A server that reaches its etcd through a tunnel only. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { readFileSync } from 'node:fs';
import { expect, onTestFinished, test } from 'vitest';
import { createTestCertificates } from '../support/certificates.ts';
import { EtcdServer } from '../support/etcd.ts';
import { startConnectProxy } from '../support/forward-proxy.ts';
import { startReplica } from '../support/replica.ts';
import { startTunnelServer } from '../support/tunnel-server.ts';

const configMaps = '/api/v1/namespaces/default/configmaps';

async function configure(
  name: string,
  connection: object,
): Promise<{ readonly flag: string; readonly folder: string }> {
  const folder = await mkdtemp(path.join(tmpdir(), 'orch-egress-store-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const file = path.join(folder, 'egress.yaml');
  const document = {
    apiVersion: 'apiserver.k8s.io/v1beta1',
    kind: 'EgressSelectorConfiguration',
    egressSelections: [{ name, connection }],
  };
  await writeFile(file, JSON.stringify(document).replaceAll('FOLDER', folder));
  return { flag: `--egress-selector-config-file=${file}`, folder };
}

test('A server writes to an etcd with TLS through a proxy with TLS', async () => {
  await using certificates = await createTestCertificates();
  const { caFile, server, client } = certificates;
  await using etcd = await EtcdServer.start({ tls: { caFile, ...server } });
  await using proxy = await startConnectProxy(undefined, {
    ca: readFileSync(caFile),
    cert: readFileSync(server.certFile),
    key: readFileSync(server.keyFile),
    requestCert: true,
    rejectUnauthorized: true,
  });
  const tlsConfig = { caBundle: caFile, clientCert: client.certFile, clientKey: client.keyFile };
  const { flag } = await configure('etcd', {
    proxyProtocol: 'HTTPConnect',
    transport: { tcp: { url: `https://127.0.0.1:${proxy.port}`, tlsConfig } },
  });
  await using replica = await startReplica(
    etcd.url,
    flag,
    `--store-cafile=${caFile}`,
    `--store-certfile=${client.certFile}`,
    `--store-keyfile=${client.keyFile}`,
  );
  expect((await replica.send('POST', configMaps, { metadata: { name: 'm' } })).status).toBe(201);
  expect(new Set(proxy.asked)).toEqual(new Set([`127.0.0.1:${etcd.port}`]));
});

test('A server writes to an etcd whose name is known behind the tunnel server only', async () => {
  await using etcd = await EtcdServer.start();
  const { flag, folder } = await configure('store', {
    proxyProtocol: 'GRPC',
    transport: { uds: { udsName: 'FOLDER/tunnel.sock' } },
  });
  const routes = { 'etcd.example:2379': `127.0.0.1:${etcd.port}` };
  await using tunnel = await startTunnelServer(path.join(folder, 'tunnel.sock'), { routes });
  await using replica = await startReplica('http://etcd.example:2379', flag);
  expect((await replica.send('POST', configMaps, { metadata: { name: 'm' } })).status).toBe(201);
  expect(new Set(tunnel.asked)).toEqual(new Set(['etcd.example:2379']));
});
