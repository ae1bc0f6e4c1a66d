/** A process that is told to stop (SIGTERM), as a load balancer and its clients see it. */
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import http2 from 'node:http2';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { ApiClient, credentials } from '../support/api-client.ts';
import { EtcdServer } from '../support/etcd.ts';
import { buildOrch, OrchProcess } from '../support/orch-process.ts';
import { freePorts } from '../support/ports.ts';

const configMaps = '/api/v1/namespaces/default/configmaps';
const patience = { timeout: 30_000, interval: 10 };

beforeAll(buildOrch);

interface Running {
  readonly orch: OrchProcess;
  readonly client: ApiClient;
  readonly kubeconfig: string;
  readonly port: number;
}

async function up(...flags: string[]): Promise<Running> {
  const dataDir = await mkdtemp(join(tmpdir(), 'orch-e2e-'));
  const [port = 0] = await freePorts(1);
  const orch = OrchProcess.up(dataDir, port, ...flags);
  onTestFinished(async () => {
    await orch[Symbol.asyncDispose]();
    await rm(dataDir, { recursive: true, force: true });
  });
  await orch.says('API server');
  const kubeconfig = await readFile(join(dataDir, 'admin.kubeconfig'), 'utf8');
  const client = new ApiClient(kubeconfig);
  onTestFinished(() => client[Symbol.dispose]());
  return { orch, client, kubeconfig, port };
}

function connect({ kubeconfig, port }: Running): http2.ClientHttp2Session {
  const session = http2.connect(`https://127.0.0.1:${port}`, {
    ...credentials(kubeconfig),
    servername: 'localhost',
  } as http2.SecureClientSessionOptions);
  session.on('error', () => undefined);
  onTestFinished(() => session.destroy());
  return session;
}

describe('SIGTERM', () => {
  test('SIGTERM leaves load balancers their time, then answers what is in work and ends every watch', async () => {
    const running = await up('--shutdown-delay-duration=8s', '--shutdown-watch-termination-grace-period=20s');
    const { orch, client } = running;
    await orch.says('Ready');
    // Some hooks are done later.
    await vi.waitFor(async () => expect((await client.send('GET', '/readyz')).status).toBe(200), patience);
    const session = connect(running);
    const held = session.request({ ':method': 'POST', ':path': configMaps, 'content-type': 'application/json' });
    const watches = Array.from({ length: 20 }, () => session.request({ ':path': `${configMaps}?watch=true` }));
    await Promise.all(watches.map((watch) => once(watch, 'response')));
    const ended = Promise.all(watches.map((watch) => once(watch.resume(), 'end')));
    const leaving = once(session, 'goaway');

    const exited = orch.kill('SIGTERM');
    // From here on it takes 8 s until nothing is served any more.
    await vi.waitFor(
      async () =>
        expect((await client.send('GET', '/readyz?verbose')).body.toString()).toContain(
          '[-]shutdown failed: reason withheld',
        ),
      patience,
    );
    expect((await client.send('GET', '/livez')).status).toBe(200);
    expect((await client.send('GET', '/healthz')).status).toBe(200);
    expect((await client.send('POST', configMaps, { metadata: { name: 'in-time' } })).status).toBe(201);

    await leaving;
    await ended;
    const answered = once(held, 'response');
    held.end(JSON.stringify({ metadata: { name: 'held' } }));
    expect((await answered)[0]).toMatchObject({ ':status': 201 });
    held.resume();
    expect(await exited).toEqual({ code: 0, signal: null });
    expect(watches.map(({ rstCode }) => rstCode)).toEqual(watches.map(() => 0));
  });

  test('SIGTERM ends the process while etcd hangs: requests that wait for etcd fail', async () => {
    await using etcd = await EtcdServer.start();
    const running = await up('--store-servers', etcd.url, '--request-timeout=3s');
    const { orch, client } = running;
    await orch.says('Ready');
    await etcd.freeze();
    const waiting = client.send('POST', configMaps, { metadata: { name: 'never' } });
    await vi.waitFor(async () => expect((await client.send('GET', '/readyz')).status).toBe(500), patience);
    const exited = orch.kill('SIGTERM');
    expect((await waiting).status).toBe(504);
    expect(await exited).toEqual({ code: 0, signal: null });
  });
});
