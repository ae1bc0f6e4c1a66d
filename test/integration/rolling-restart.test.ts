/** Two replicas behind one address are restarted one after the other, while clients write and watch. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openEmbeddedStore } from '../../src/storage/embedded/open.ts';
import { Balancer } from '../support/balancer.ts';
import { createTestCertificates, type TestCertificates } from '../support/certificates.ts';
import { RollingLoad } from '../support/rolling-load.ts';
import { startTestServer, type TestServer } from '../support/test-server.ts';

const restarts = 3;

let store: Awaited<ReturnType<typeof openEmbeddedStore>>;
let certificates: TestCertificates;
let balancer: Balancer;
const replicas: TestServer[] = [];

const portOf = ({ url }: TestServer): number => Number(new URL(url).port);

async function startReplica(): Promise<TestServer> {
  const { certFile, keyFile } = certificates.server;
  const replica = await startTestServer({
    store,
    flags: [`--tls-cert-file=${certFile}`, `--tls-private-key-file=${keyFile}`],
  });
  balancer.targets.add(portOf(replica));
  return replica;
}

beforeAll(async () => {
  store = await openEmbeddedStore();
  certificates = await createTestCertificates();
  balancer = await Balancer.start();
  replicas.push(await startReplica(), await startReplica());
});
afterAll(async () => {
  for (const replica of replicas) await replica[Symbol.asyncDispose]();
  await balancer[Symbol.asyncDispose]();
  await store[Symbol.asyncDispose]();
  await certificates[Symbol.asyncDispose]();
});

test('No request of a client that retries fails in a rolling restart, and no watch loses an event', async () => {
  await using load = new RollingLoad({ port: balancer.port, caFile: certificates.caFile });
  await load.during(async () => {
    for (let i = 0; i < restarts; i++) {
      const leaving = replicas.shift()!;
      const port = portOf(leaving);
      expect(balancer.taken.get(port)).toBeGreaterThan(0);
      // Its port is refused from now on; the balancer is not told before.
      await leaving[Symbol.asyncDispose]();
      balancer.targets.delete(port);
      replicas.push(await startReplica());
    }
  });
});
