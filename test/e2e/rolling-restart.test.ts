/** Two processes on one etcd, behind one address, are restarted one after the other while clients write and watch. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Balancer } from '../support/balancer.ts';
import { createTestCertificates, type TestCertificates } from '../support/certificates.ts';
import { EtcdServer } from '../support/etcd.ts';
import { buildOrch, OrchProcess } from '../support/orch-process.ts';
import { freePorts } from '../support/ports.ts';
import { RollingLoad } from '../support/rolling-load.ts';

interface Replica {
  readonly port: number;
  readonly orch: OrchProcess;
}

const restarts = 4;

let directory: string;
let etcd: EtcdServer;
let certificates: TestCertificates;
let balancer: Balancer;
/** Each is started anew on its own port. */
const replicas: Replica[] = [];

async function start(port: number): Promise<Replica> {
  const { certFile, keyFile } = certificates.server;
  const orch = new OrchProcess([
    'apiserver',
    `--data-dir=${path.join(directory, String(port))}`,
    `--etcd-servers=${etcd.url}`,
    `--secure-port=${port}`,
    '--bind-address=127.0.0.1',
    `--tls-cert-file=${certFile}`,
    `--tls-private-key-file=${keyFile}`,
    `--token-auth-file=${path.join(directory, 'tokens.csv')}`,
  ]);
  await orch.warns('serving');
  return { port, orch };
}

beforeAll(async () => {
  buildOrch();
  directory = await mkdtemp(path.join(tmpdir(), 'orch-rolling-'));
  await writeFile(path.join(directory, 'tokens.csv'), 'admintoken,admin,1,"system:masters"\n');
  certificates = await createTestCertificates();
  etcd = await EtcdServer.start();
  balancer = await Balancer.start();
  for (const port of await freePorts(2)) {
    balancer.targets.add(port);
    replicas.push(await start(port));
  }
});
afterAll(async () => {
  for (const { orch } of replicas) await orch[Symbol.asyncDispose]();
  await balancer[Symbol.asyncDispose]();
  await etcd[Symbol.asyncDispose]();
  await certificates[Symbol.asyncDispose]();
  await rm(directory, { recursive: true });
});

test('A rolling restart of two processes fails no retrying client, and loses no watch event', async () => {
  await using load = new RollingLoad({ port: balancer.port, caFile: certificates.caFile });
  await load.during(async () => {
    for (let restart = 0; restart < restarts; restart++) {
      const { port, orch } = replicas[restart % replicas.length]!;
      expect(balancer.taken.get(port)).toBeGreaterThan(0);
      // The balancer is not told: it learns of it when the port refuses connections.
      expect(await orch.kill('SIGTERM')).toEqual({ code: 0, signal: null });
      replicas[restart % replicas.length] = await start(port);
    }
  });
  const errors = replicas.flatMap(({ orch }) => orch.errors.split('\n').filter((line) => line.startsWith('E ')));
  expect(errors).toEqual([]);
});
