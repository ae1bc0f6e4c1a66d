/** Two replicas behind one address are restarted one after the other, while clients write and watch. */
import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Client, createClient } from '../../src/client/client.ts';
import { openEmbeddedStore } from '../../src/storage/embedded/open.ts';
import { Balancer } from '../support/balancer.ts';
import { createTestCertificates, type TestCertificates } from '../support/certificates.ts';
import { startTestServer, type TestServer } from '../support/test-server.ts';

const restarts = 3;
const writers = 4;
const watchers = 2;
/** Of one writer at least, and at most. */
const rounds = { least: 20, most: 2000 };

let store: Awaited<ReturnType<typeof openEmbeddedStore>>;
let certificates: TestCertificates;
let balancer: Balancer;
const replicas: TestServer[] = [];
const clients: Client[] = [];

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
  await Promise.all(clients.map((client) => client.close()));
  for (const replica of replicas) await replica[Symbol.asyncDispose]();
  await balancer[Symbol.asyncDispose]();
  await store[Symbol.asyncDispose]();
  await certificates[Symbol.asyncDispose]();
});

async function connect() {
  const ca = await readFile(certificates.caFile, 'utf8');
  const url = `https://127.0.0.1:${balancer.port}`;
  const client = createClient({ url, ca, authorization: () => Promise.resolve('Bearer admintoken') }, { qps: 0 });
  clients.push(client);
  return client.core.v1.configmaps.namespace('default');
}

/** Makes, changes and deletes objects until it is told to stop. @returns their names */
async function write(writer: number, isEnough: () => boolean): Promise<string[]> {
  const maps = await connect();
  const names: string[] = [];
  for (let round = 0; round < rounds.most && (round < rounds.least || !isEnough()); round++) {
    const name = `w${writer}-${round}`;
    await maps.create({ metadata: { name }, data: { round: `${round}` } });
    await maps.patch(name, { merge: { data: { changed: 'yes' } } });
    expect((await maps.get(name)).data).toEqual({ round: `${round}`, changed: 'yes' });
    await maps.delete(name);
    names.push(name);
  }
  return names;
}

/** What a watch is told of each object, until it is told of the last one. */
async function watch(
  resourceVersion: string,
  until: string,
): Promise<{ readonly told: Map<string, string[]>; readonly versions: number[] }> {
  const told = new Map<string, string[]>();
  const versions: number[] = [];
  const maps = await connect();
  for await (const { type, object } of maps.watch({ resourceVersion })) {
    if (type === 'BOOKMARK') continue;
    const name = object.metadata.name!;
    told.set(name, [...(told.get(name) ?? []), type]);
    versions.push(Number(object.metadata.resourceVersion));
    if (name === until) break;
  }
  return { told, versions };
}

test('No request of a client that retries fails in a rolling restart, and no watch loses an event', async () => {
  const { resourceVersion = '' } = (await (await connect()).list()).metadata ?? {};
  const watching = Array.from({ length: watchers }, () => watch(resourceVersion, 'last'));
  let isOver = false;
  const writing = Promise.all(Array.from({ length: writers }, (_, i) => write(i, () => isOver)));
  writing.catch(() => (isOver = true));

  for (let i = 0; i < restarts; i++) {
    const leaving = replicas.shift()!;
    const port = portOf(leaving);
    expect(balancer.taken.get(port)).toBeGreaterThan(0);
    // Its port is refused from now on; the balancer is not told before.
    await leaving[Symbol.asyncDispose]();
    balancer.targets.delete(port);
    replicas.push(await startReplica());
  }
  isOver = true;
  const names = (await writing).flat();
  await (await connect()).create({ metadata: { name: 'last' } });

  const expected = new Map(names.map((name) => [name, ['ADDED', 'MODIFIED', 'DELETED']]));
  for (const { told, versions } of await Promise.all(watching)) {
    expect(told.get('last')).toEqual(['ADDED']);
    for (const [name, types] of expected) expect([name, told.get(name)]).toEqual([name, types]);
    expect(versions).toEqual(versions.toSorted((a, b) => a - b));
    expect(new Set(versions).size).toBe(versions.length);
  }
});
