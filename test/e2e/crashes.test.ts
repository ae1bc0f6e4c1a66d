/**
 * What a kill of the server, or of etcd, leaves behind: everything that was acknowledged, and watches without a gap.
 */
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { ApiClient } from '../support/api-client.ts';
import { EtcdServer } from '../support/etcd.ts';
import { Load, lost } from '../support/load.ts';
import { buildOrch, OrchProcess } from '../support/orch-process.ts';
import { freePorts } from '../support/ports.ts';
import { replayed, ResumingWatch } from '../support/resuming-watch.ts';

const configMaps = '/api/v1/namespaces/default/configmaps';
const patience = { timeout: 60_000, interval: 50 };

beforeAll(buildOrch);

class Server {
  readonly #dataDir: string;
  readonly #port: number;
  readonly #flags: readonly string[];
  #process: OrchProcess | undefined;
  #client: ApiClient | undefined;

  constructor(dataDir: string, port: number, flags: readonly string[]) {
    this.#dataDir = dataDir;
    this.#port = port;
    this.#flags = flags;
  }

  static async start(...flags: readonly string[]): Promise<Server> {
    const directory = await mkdtemp(path.join(tmpdir(), 'orch-crash-'));
    const [port = 0] = await freePorts(1);
    const server = new Server(path.join(directory, 'data'), port, flags);
    onTestFinished(async () => {
      await server.kill();
      await rm(directory, { recursive: true, force: true });
    });
    await server.start();
    return server;
  }

  async start(): Promise<void> {
    this.#process = OrchProcess.up(this.#dataDir, this.#port, ...this.#flags);
    await this.#process.says('Ready');
    this.#client?.[Symbol.dispose]();
    this.#client = new ApiClient(await readFile(path.join(this.#dataDir, 'admin.kubeconfig'), 'utf8'));
  }

  get client(): ApiClient {
    return this.#client!;
  }

  async kill(): Promise<void> {
    await this.#process?.kill('SIGKILL');
  }
}

async function watchConfigMaps(server: Server): Promise<ResumingWatch> {
  const { object } = await server.client.send('GET', configMaps);
  const watch = new ResumingWatch(() => server.client, configMaps, Number(object.metadata!.resourceVersion));
  onTestFinished(() => watch.stop());
  return watch;
}

/** Nothing acknowledged is missing, and the watch has told what leads to exactly what is there. */
async function expectNothingLost(server: Server, loads: readonly Load[], watch: ResumingWatch): Promise<void> {
  for (const load of loads) {
    expect(await lost(server.client, load)).toEqual([]);
    expect(load.odd).toEqual([]);
  }
  const last = await server.client.send('POST', configMaps, { metadata: { name: 'last' } });
  await watch.until(Number(last.object.metadata!.resourceVersion));
  const { object } = await server.client.send('GET', configMaps);
  const items = (object['items'] as { metadata: { name: string; resourceVersion: string } }[]).map(
    ({ metadata }) => [metadata.name, Number(metadata.resourceVersion)] as const,
  );
  expect([...replayed(watch.events)].sort()).toEqual(items.filter(([name]) => !name.includes('root-ca')).sort());
  expect(watch.expired).toBe(false);
}

describe('kill -9 of the server under load', () => {
  test.each(['the embedded store', 'etcd'] as const)(
    'Kill -9 of the server under load on %s loses no acknowledged write, and watches that come back have no gap',
    { timeout: 180_000 },
    async (store) => {
      const etcd = store === 'etcd' ? await EtcdServer.start({ fsync: true }) : undefined;
      onTestFinished(() => etcd?.[Symbol.asyncDispose]());
      const server = await Server.start(...(etcd === undefined ? [] : [`--store-servers=${etcd.url}`]));
      const watch = await watchConfigMaps(server);
      const loads: Load[] = [];
      for (let round = 0; round < 4; round++) {
        const load = new Load(() => server.client, 8, `round-${round}`);
        loads.push(load);
        await load.until(100 + round * 67);
        await server.kill();
        await load.stop();
        await server.start();
        expect(await lost(server.client, load)).toEqual([]);
      }
      await expectNothingLost(server, loads, watch);
      expect(watch.resumed).toBeGreaterThanOrEqual(4);
      expect(loads.reduce((sum, { count }) => sum + count, 0)).toBeGreaterThan(700);
    },
  );
});

describe('kill -9 of etcd under load', () => {
  test('A kill -9 of etcd under load fails requests in time, ends watches, and all recovers', {
    timeout: 240_000,
  }, async () => {
    const etcd = await EtcdServer.start({ fsync: true });
    onTestFinished(() => etcd[Symbol.asyncDispose]());
    const requestTimeoutMs = 10_000;
    const server = await Server.start(`--store-servers=${etcd.url}`, `--request-timeout=${requestTimeoutMs / 1000}s`);
    const watch = await watchConfigMaps(server);
    const loads: Load[] = [];
    for (let round = 0; round < 3; round++) {
      const load = new Load(() => server.client, 8, `round-${round}`);
      loads.push(load);
      await load.until(150);
      await etcd.stop('SIGKILL');
      const watch = await server.client.watch(`${configMaps}?watch=true`).catch(() => undefined);

      // Every kind of request is answered in its time, with an error that says to come again.
      const answers = await Promise.all([
        server.client.send('POST', configMaps, { metadata: { name: `away-${round}` } }),
        server.client.send('GET', `${configMaps}/away`),
        server.client.send('GET', '/api/v1/pods'),
        server.client.send('DELETE', `${configMaps}/away`),
        server.client.send(
          'PATCH',
          `${configMaps}/round-0-0-0`,
          { data: { x: String(round) } },
          { contentType: 'application/merge-patch+json' },
        ),
      ]);
      for (const { status, object } of answers) {
        expect([500, 503, 504]).toContain(status);
        expect(object).toMatchObject({ kind: 'Status', status: 'Failure', code: status });
      }
      const ready = await server.client.send('GET', '/readyz?verbose');
      expect([ready.status, ready.body.toString()]).toEqual([
        500,
        expect.stringContaining('[-]etcd-readiness failed: reason withheld'),
      ]);
      expect((await server.client.send('GET', '/livez/ping')).status).toBe(200);
      await load.stop();
      // A little more than the limit, for the way there and back.
      expect(load.longestMs).toBeLessThan(requestTimeoutMs + 5_000);
      await watch?.ended;

      await etcd.restart();
      await vi.waitFor(
        async () => expect((await server.client.send('GET', '/readyz')).body.toString()).toBe('ok'),
        patience,
      );
      expect(await lost(server.client, load)).toEqual([]);
    }
    await expectNothingLost(server, loads, watch);
    const statuses = [...new Set(loads.flatMap(({ statuses }) => [...statuses.keys()]))].sort();
    expect(statuses.filter((status) => ![200, 201, 500, 503, 504].includes(status))).toEqual([]);
    expect(statuses.some((status) => status >= 500)).toBe(true);
  });
});

describe('etcd that is away at the start', () => {
  test('etcd that is away at the start is waited for with a clear message, and found when it comes', {
    timeout: 120_000,
  }, async () => {
    const etcd = await EtcdServer.start();
    onTestFinished(() => etcd[Symbol.asyncDispose]());
    await etcd.stop();
    const directory = await mkdtemp(path.join(tmpdir(), 'orch-crash-'));
    onTestFinished(() => rm(directory, { recursive: true, force: true }));
    const [port = 0] = await freePorts(1);
    await using orch = OrchProcess.up(directory, port, `--store-servers=${etcd.url}`);
    await orch.warns(`no etcd endpoint answers: ${etcd.url}: connect ECONNREFUSED`);
    await etcd.restart();
    await orch.says('Ready');
    using client = new ApiClient(await readFile(path.join(directory, 'admin.kubeconfig'), 'utf8'));
    expect((await client.send('POST', configMaps, { metadata: { name: 'a' } })).status).toBe(201);
  });
});
