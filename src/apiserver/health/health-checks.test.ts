import { describe, expect, test } from 'vitest';
import { abortable } from '../../base/abortable.ts';
import { FakeClock } from '../../base/testing/fake-clock.ts';
import type { RegistryCatalog } from '../../registry/catalog.ts';
import type { Store } from '../../storage/interface.ts';
import { createHealthChecks } from './health-checks.ts';
import { type HealthEndpoint, serveHealth } from '../../server/health.ts';
import type { ApiRequest } from '../request/request.ts';

const log = { warn: () => undefined };
const request = (query = ''): ApiRequest =>
  ({ query: new URLSearchParams(query), signal: new AbortController().signal }) as ApiRequest;

function create({ livezGraceMs = 0, state = { bootstrapped: false, stopping: false } }) {
  const clock = new FakeClock();
  const checks = createHealthChecks({
    store: { currentRevision: () => Promise.resolve(1) } as unknown as Store,
    healthTimeoutMs: 1000,
    readyTimeoutMs: 1000,
    registry: { stores: [] } as unknown as RegistryCatalog,
    hooks: [
      {
        name: 'poststarthook/bootstrap-controller',
        check() {
          if (!state.bootstrapped) throw new Error('not finished');
        },
      },
    ],
    log: { debug: () => undefined },
    isStopping: () => state.stopping,
    encryption: undefined,
    livezGraceMs,
    clock,
    observe: () => undefined,
  });
  const statusOf = async (endpoint: HealthEndpoint): Promise<number> =>
    (await serveHealth(endpoint, `/${endpoint}`, checks, request(), log)).status;
  return {
    clock,
    state,
    checks,
    statusOf,
    statuses: () => Promise.all((['healthz', 'livez', 'readyz'] as const).map(statusOf)),
  };
}

describe('--livez-grace-period', () => {
  test('--livez-grace-period lets /livez take the steps of the start for done, the others not', async () => {
    const { clock, state, statuses } = create({ livezGraceMs: 10_000 });
    expect(await statuses()).toEqual([500, 200, 500]);
    await clock.advance(10_000);
    expect(await statuses()).toEqual([500, 200, 500]);
    await clock.advance(1);
    expect(await statuses()).toEqual([500, 500, 500]);
    state.bootstrapped = true;
    expect(await statuses()).toEqual([200, 200, 200]);
  });

  test('--livez-grace-period is nothing without the flag', async () => {
    expect(await create({}).statuses()).toEqual([500, 500, 500]);
  });
});

describe('a server that stops', () => {
  test('A server that stops is not ready, but alive and healthy', async () => {
    const { state, checks, statuses } = create({ state: { bootstrapped: true, stopping: false } });
    expect(await statuses()).toEqual([200, 200, 200]);
    state.stopping = true;
    expect(await statuses()).toEqual([200, 200, 500]);
    expect(await serveHealth('readyz', '/readyz', checks, request('verbose'), log)).toMatchObject({
      body: expect.stringMatching(/\n\[-\]shutdown failed: reason withheld\nreadyz check failed\n$/) as string,
    });
    expect((await serveHealth('readyz', '/readyz/shutdown', checks, request(), log)).status).toBe(500);
  });
});

test('A log that cannot be written makes the server unhealthy, and is tried again at each check', async () => {
  let isFull = true;
  let lines = 0;
  const clock = new FakeClock();
  const checks = createHealthChecks({
    store: { currentRevision: () => Promise.resolve(1) } as unknown as Store,
    healthTimeoutMs: 1000,
    readyTimeoutMs: 1000,
    registry: { stores: [] } as unknown as RegistryCatalog,
    hooks: [],
    log: {
      debug() {
        lines++;
        if (isFull) throw new Error('no space left on device');
      },
    },
    isStopping: () => false,
    encryption: undefined,
    livezGraceMs: 0,
    clock,
    observe: () => undefined,
  });
  const status = async (): Promise<number> => (await serveHealth('livez', '/livez/log', checks, request(), log)).status;
  expect([await status(), await status()]).toEqual([500, 500]);
  isFull = false;
  expect([await status(), await status(), lines]).toEqual([200, 200, 3]);
  await clock.advance(60_000);
  expect([await status(), lines]).toEqual([200, 4]);
});

describe('a check that is given up, because its client went away or had no more time', () => {
  test.each(['/readyz', '/readyz/etcd-readiness', '/livez', '/healthz/etcd'])(
    'A check that is given up, because its client went away or had no more time: %s is not logged and not counted',
    async (path) => {
      const heard: string[] = [];
      const asking = new AbortController();
      const checks = createHealthChecks({
        store: {
          currentRevision: (signal: AbortSignal) => abortable(new Promise(() => undefined), signal),
        } as unknown as Store,
        healthTimeoutMs: 60_000,
        readyTimeoutMs: 60_000,
        registry: { stores: [] } as unknown as RegistryCatalog,
        hooks: [],
        log: { debug: () => undefined },
        isStopping: () => false,
        encryption: undefined,
        livezGraceMs: 0,
        clock: new FakeClock(),
        observe: (name) => name.startsWith('etcd') && heard.push(`counted ${name}`),
      });
      const answer = serveHealth(
        path.split('/')[1] as HealthEndpoint,
        path,
        checks,
        { ...request(), query: new URLSearchParams(), signal: asking.signal } as ApiRequest,
        { warn: () => void heard.push('logged') },
      );
      asking.abort(new Error('gone'));
      await answer;
      expect(heard).toEqual([]);
    },
  );
});
