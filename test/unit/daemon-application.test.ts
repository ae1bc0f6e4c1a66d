/** A daemon that has nothing but what `src/server` gives it: TLS, its health, its metrics, its version. */
import https from 'node:https';
import { Registry } from 'prom-client';
import { describe, expect, test } from 'vitest';
import { versionInfo } from '../../src/base/version.ts';
import { unauthorized } from '../../src/machinery/status.ts';
import { createDaemonApplication, type DaemonApplicationOptions } from '../../src/server/koa/daemon-application.ts';
import { createProcessMetrics } from '../../src/server/metrics/process-metrics.ts';
import { startTransport } from '../support/transport.ts';

interface Answer {
  readonly status: number;
  readonly type: string | undefined;
  readonly body: string;
}

interface Daemon extends AsyncDisposable {
  get(path: string, method?: string): Promise<Answer>;
  readonly logged: string[];
}

async function start(more: Partial<DaemonApplicationOptions> = {}): Promise<Daemon> {
  const registry = new Registry();
  const logged: string[] = [];
  const log = {
    warn: (_: object, text: string) => logged.push(text),
    error: (_: object, text: string) => logged.push(text),
  };
  const metrics = createProcessMetrics(registry, versionInfo(), [
    { name: 'SidecarContainers', stage: 'beta', isOn: true },
    { name: 'ImageVolume', stage: 'alpha', isOn: false },
  ]);
  const ping = { name: 'ping', check: () => undefined };
  const leader = {
    name: 'leaderElection',
    check: () => {
      throw new Error('the lease is lost');
    },
  };
  const transport = await startTransport({
    handle: createDaemonApplication({
      health: { healthz: [ping, leader], livez: [ping], readyz: [ping], observe: metrics.checked },
      registry,
      version: versionInfo(),
      log,
      ...more,
    }),
  });
  return {
    logged,
    get: (path, method = 'GET') =>
      new Promise((resolve, reject) => {
        https
          .request(
            { port: transport.port, path, method, ca: transport.ca, host: '127.0.0.1', agent: false },
            (response) => {
              const chunks: Buffer[] = [];
              response.on('data', (chunk: Buffer) => chunks.push(chunk));
              response.once('end', () =>
                resolve({
                  status: response.statusCode!,
                  type: response.headers['content-type'],
                  body: Buffer.concat(chunks).toString(),
                }),
              );
            },
          )
          .once('error', reject)
          .end();
      }),
    [Symbol.asyncDispose]: () => transport[Symbol.asyncDispose](),
  };
}

const text = 'text/plain; charset=utf-8';

describe('a daemon made of src/server', () => {
  test.each<[path: string, status: number, type: string, body: RegExp]>([
    ['/livez', 200, text, /^ok$/],
    ['/livez/ping', 200, text, /^ok$/],
    ['/livez?verbose', 200, text, /^\[\+\]ping ok\nlivez check passed\n$/],
    ['/healthz', 500, text, /^\[\+\]ping ok\n\[-\]leaderElection failed: reason withheld\nhealthz check failed\n$/],
    ['/healthz?exclude=leaderElection', 200, text, /^ok$/],
    ['/healthz/leaderElection', 500, text, /^internal server error: healthz check leaderElection failed\n$/],
    ['/healthz/nothing', 404, text, /^404 page not found\n$/],
    ['/readyz', 200, text, /^ok$/],
    ['/version', 200, 'application/json', /^\{\n {2}"major": "1",/],
    ['/metrics', 200, 'text/plain; version=0.0.4; charset=utf-8', /kubernetes_build_info\{major="1"/],
    ['/api/v1/pods', 404, text, /^404 page not found\n$/],
  ])('A daemon made of src/server answers GET %s with %i', async (path, status, type, body) => {
    await using daemon = await start();
    const answer = await daemon.get(path);
    expect(answer).toMatchObject({ status, type });
    expect(answer.body).toMatch(body);
  });

  test('A daemon made of src/server shows its feature gates and how its checks came out', async () => {
    await using daemon = await start();
    await daemon.get('/healthz');
    const { body } = await daemon.get('/metrics');
    for (const line of [
      'kubernetes_feature_enabled{name="SidecarContainers",stage="BETA"} 1',
      'kubernetes_feature_enabled{name="ImageVolume",stage="ALPHA"} 0',
      'kubernetes_healthcheck{name="ping",type="healthz"} 1',
      'kubernetes_healthcheck{name="leaderElection",type="healthz"} 0',
    ])
      expect(body).toContain(line);
    expect(daemon.logged).toEqual(['health check failed']);
  });

  test('A daemon made of src/server shows how its checks came out, and nothing else, under /metrics/slis', async () => {
    await using daemon = await start();
    await daemon.get('/healthz');
    const { status, type, body } = await daemon.get('/metrics/slis');
    expect([status, type]).toEqual([200, 'text/plain; version=0.0.4; charset=utf-8']);
    expect(body.split('\n').filter((line) => !line.startsWith('#'))).toEqual([
      'kubernetes_healthcheck{name="ping",type="healthz"} 1',
      'kubernetes_healthcheck{name="leaderElection",type="healthz"} 0',
      '',
      'kubernetes_healthchecks_total{name="ping",type="healthz",status="success"} 1',
      'kubernetes_healthchecks_total{name="leaderElection",type="healthz",status="error"} 1',
      '',
    ]);
  });

  test('A daemon made of src/server answers HEAD without a body', async () => {
    await using daemon = await start();
    expect(await daemon.get('/version', 'HEAD')).toEqual({ status: 200, type: 'application/json', body: '' });
  });

  test.each<[name: string, error: unknown, status: number, body: string, isLogged: boolean]>([
    ['a Status', unauthorized(), 401, '"message":"Unauthorized"', false],
    [
      'an error for the caller',
      Object.assign(new Error('too short'), { status: 400, expose: true }),
      400,
      'too short\n',
      false,
    ],
    ['any other error', new Error('the token is 1234'), 500, 'Internal Server Error\n', true],
  ])('Renders %s that a step in front throws', async (_, error, status, body, isLogged) => {
    await using daemon = await start({
      before: [
        () => {
          throw error;
        },
      ],
    });
    const answer = await daemon.get('/healthz');
    expect(answer.status).toBe(status);
    expect(answer.body).toContain(body);
    expect(answer.body).not.toContain('1234');
    expect(daemon.logged).toEqual(isLogged ? ['request failed'] : []);
  });
});
