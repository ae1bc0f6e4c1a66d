/** Two API servers on one etcd, asked over HTTP. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Endpoints, Service } from '../../../src/api/gen/types/core-v1.ts';
import { type ControlPlane, createControlPlane } from '../../../src/index.ts';
import { EtcdStore } from '../../../src/storage/etcd/store.ts';
import { Client } from '../../conformance/golden/client.ts';
import { EtcdServer } from '../../support/etcd.ts';

interface Replica {
  readonly controlPlane: ControlPlane;
  send<T>(method: string, path: string, body?: unknown): Promise<{ status: number; body: T }>;
  close(): Promise<void>;
}

let etcd: EtcdServer;
let directory: string;
beforeAll(async () => {
  etcd = await EtcdServer.start();
  directory = await mkdtemp(path.join(tmpdir(), 'orch-replicas-'));
  await writeFile(path.join(directory, 'tokens.csv'), 'admintoken,admin,1,"system:masters"\n');
});
afterAll(async () => {
  await etcd[Symbol.asyncDispose]();
  await rm(directory, { recursive: true });
});

async function startReplica(address: string): Promise<Replica> {
  const flags = [
    `--store-servers=${etcd.url}`,
    `--advertise-address=${address}`,
    `--token-auth-file=${path.join(directory, 'tokens.csv')}`,
    '--service-cluster-ip-range=10.0.0.0/25',
    '--service-node-port-range=30000-30099',
  ];
  const controlPlane = await createControlPlane({ controllers: false, flags });
  const ca = /certificate-authority-data: (\S+)/.exec(controlPlane.kubeconfig)![1]!;
  const client = new Client(Number(new URL(controlPlane.url).port), Buffer.from(ca, 'base64').toString());
  return {
    controlPlane,
    async send<T>(method: string, url: string, body?: unknown) {
      const headers = { authorization: 'Bearer admintoken', 'content-type': 'application/json' };
      const response = await client.send({
        method,
        path: url,
        headers,
        ...(body === undefined ? {} : { body: Buffer.from(JSON.stringify(body)) }),
      });
      return { status: response.status, body: JSON.parse(response.body.toString()) as T };
    },
    close: async () => {
      client.close();
      await controlPlane.close();
    },
  };
}

const services = '/api/v1/namespaces/default/services';
const kubernetesEndpoints = '/api/v1/namespaces/default/endpoints/kubernetes';
const published = async (replica: Replica): Promise<(string | undefined)[]> => {
  const { body } = await replica.send<Endpoints>('GET', kubernetesEndpoints);
  return (body.subsets ?? []).flatMap(({ addresses = [] }) => addresses.map(({ ip }) => ip));
};

describe('two servers on one etcd', () => {
  let replicas: readonly [Replica, Replica];
  beforeAll(async () => {
    replicas = [await startReplica('192.0.2.1'), await startReplica('192.0.2.2')];
  });

  test('Two servers on one etcd are both endpoints of the kubernetes service', async () => {
    expect(await published(replicas[0])).toEqual(['192.0.2.1', '192.0.2.2']);
    expect((await replicas[1].send<Service>('GET', `${services}/kubernetes`)).body.spec.clusterIP).toBe('10.0.0.1');
  });

  test('Two servers on one etcd never give out the same address or node port', async () => {
    const create = (replica: Replica, name: string): Promise<{ status: number; body: Service }> =>
      replica.send<Service>('POST', services, {
        metadata: { name },
        spec: { type: 'NodePort', ports: [{ port: 80 }] },
      });
    const answers = await Promise.all(
      replicas.flatMap((replica, r) => Array.from({ length: 40 }, (_, i) => create(replica, `s-${r}-${i}`))),
    );
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([201]));
    expect(new Set(answers.map(({ body }) => body.spec.clusterIP)).size).toBe(80);
    expect(new Set(answers.map(({ body }) => body.spec.ports![0]!.nodePort)).size).toBe(80);
    // Services that request an address find the static band free: 126 addresses, of which 16 are reserved.
    expect(answers.filter(({ body }) => Number(body.spec.clusterIP!.split('.')[3]) <= 16)).toEqual([]);
  });

  test('One that stops is no longer an endpoint, and gives its lease back', async () => {
    await replicas[0].close();
    expect(await published(replicas[1])).toEqual(['192.0.2.2']);
    await replicas[1].close();
    await using store = new EtcdStore({ endpoints: [etcd.url] });
    expect((await store.list('/registry/masterleases/')).kvs).toEqual([]);
  });
});
