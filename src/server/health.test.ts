import { describe, expect, test } from 'vitest';
import { type HealthCheck, type HealthEndpoint, serveHealth } from './health.ts';

const good: HealthCheck = { name: 'ping', check: () => undefined };
const bad: HealthCheck = { name: 'etcd', check: () => Promise.reject(new Error('secret reason')) };

async function ask(target: string, checks: readonly HealthCheck[], signal = new AbortController().signal) {
  const [path = '', query = ''] = target.split('?');
  const endpoint = path.split('/')[1] as HealthEndpoint;
  const warnings: object[] = [];
  const observed: string[] = [];
  const { status, body } = (await serveHealth(
    endpoint,
    path,
    {
      healthz: [],
      livez: [],
      readyz: [],
      [endpoint]: checks,
      observe: (name, of, healthy) => observed.push(`${name} ${of} ${healthy}`),
    },
    { query: new URLSearchParams(query), signal },
    { warn: (details) => warnings.push(details) },
  )) as { status: number; body: string };
  return { status, body, warnings, observed };
}

describe('a health endpoint', () => {
  test.each<{ name: string; target: string; checks: HealthCheck[]; status: number; body: string }>([
    { name: 'is ok without checks', target: '/livez', checks: [], status: 200, body: 'ok' },
    { name: 'is ok when all checks pass', target: '/livez', checks: [good], status: 200, body: 'ok' },
    {
      name: 'lists the checks that passed, when asked for',
      target: '/livez?verbose',
      checks: [good],
      status: 200,
      body: '[+]ping ok\nlivez check passed\n',
    },
    {
      name: 'lists all checks when one fails, without the reason',
      target: '/readyz',
      checks: [good, bad],
      status: 500,
      body: '[+]ping ok\n[-]etcd failed: reason withheld\nreadyz check failed\n',
    },
    {
      name: 'leaves checks out',
      target: '/readyz?exclude=etcd&verbose',
      checks: [good, bad],
      status: 200,
      body: '[+]ping ok\n[+]etcd excluded: ok\nreadyz check passed\n',
    },
    {
      name: 'names what cannot be left out',
      target: '/readyz?exclude=etcd,x&exclude=y&verbose',
      checks: [bad],
      status: 200,
      body:
        '[+]etcd excluded: ok\nwarn: some health checks cannot be excluded: no matches for "x","y"\n' +
        'readyz check passed\n',
    },
    { name: 'has a path for each check', target: '/healthz/ping', checks: [good], status: 200, body: 'ok' },
    {
      name: 'says which check failed on its path',
      target: '/healthz/etcd',
      checks: [bad],
      status: 500,
      body: 'internal server error: healthz check etcd failed\n',
    },
    {
      name: 'knows no path of an unknown check',
      target: '/healthz/x',
      checks: [good],
      status: 404,
      body: '404 page not found\n',
    },
  ])('A health endpoint: $name', async ({ target, checks, status, body }) => {
    expect(await ask(target, checks)).toMatchObject({ status, body });
  });

  test('A health endpoint logs the reason of a failure, and counts each check', async () => {
    const { warnings, observed } = await ask('/readyz', [good, bad]);
    expect(warnings).toEqual([{ err: new Error('secret reason'), check: 'etcd' }]);
    expect(observed).toEqual(['ping readyz true', 'etcd readyz false']);
  });

  test('A health endpoint asks nothing, and counts nothing, when the client is gone', async () => {
    const gone = AbortSignal.abort();
    expect(await ask('/readyz', [good], gone)).toMatchObject({ status: 500, warnings: [], observed: [] });
  });

  test('A health endpoint does not count a check that ends because the client went', async () => {
    const client = new AbortController();
    const slow: HealthCheck = {
      name: 'slow',
      check: (signal) => {
        client.abort();
        return signal.throwIfAborted();
      },
    };
    expect(await ask('/readyz', [slow], client.signal)).toMatchObject({ status: 500, warnings: [], observed: [] });
  });
});
