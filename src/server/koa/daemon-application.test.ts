/** What a daemon serves of itself through Koa: documents, health, and errors of what serves them. */
import { Router } from '@koa/router';
import type Koa from 'koa';
import { Counter, Gauge, Registry } from 'prom-client';
import { describe, expect, test } from 'vitest';
import { memoryExchange, sendInMemory } from '../../../test/support/memory-exchange.ts';
import { versionInfo } from '../../base/version.ts';
import { forbidden } from '../../machinery/status.ts';
import type { ApiResponse } from '../exchange.ts';
import { ClientGone } from '../exchange.ts';
import type { HealthChecks } from '../health.ts';
import { createDaemonApplication } from './daemon-application.ts';
import type { ServingState } from './state.ts';

function registryWith(...names: string[]): Registry {
  const registry = new Registry();
  new Counter({ name: 'requests_total', help: 'a', registers: [registry] }).inc();
  for (const name of names) new Gauge({ name, help: 'b', registers: [registry] }).set(1);
  return registry;
}

const health: HealthChecks = {
  healthz: [],
  livez: [{ name: 'ping', check: () => undefined }],
  readyz: [{ name: 'store', check: () => Promise.reject(new Error('secret')) }],
};

interface Given {
  readonly registry?: Registry;
  /** Serves `/own`. */
  readonly own?: Koa.Middleware<ServingState>;
  readonly before?: readonly Koa.Middleware<ServingState>[];
}

function start({ registry = registryWith(), own, before = [] }: Given = {}) {
  const errors: object[] = [];
  const log = { warn: () => undefined, error: (details: object) => void errors.push(details) };
  const routes: Router<ServingState>[] = [];
  if (own !== undefined) routes.push(new Router<ServingState>().all('/own', own));
  const handle = createDaemonApplication({ health, registry, version: versionInfo(), log, before, routes });
  let answer: ApiResponse | undefined;
  const send = async (target: string, method = 'GET') => {
    const { status, body } = await sendInMemory(async (exchange) => (answer = await handle(exchange)), {
      method,
      target,
    });
    return { status, text: body.toString(), type: answer!.headers['content-type'] };
  };
  return { handle, send, errors };
}

const plain = 'text/plain; charset=utf-8';

describe('a daemon serves', () => {
  test.each<{ target: string; status?: number; type?: string; text: unknown }>([
    { target: '/livez', text: 'ok' },
    { target: '/livez/ping', text: 'ok' },
    { target: '/livez?verbose', text: '[+]ping ok\nlivez check passed\n' },
    { target: '/readyz/store', status: 500, text: expect.not.stringContaining('secret') },
    { target: '/livez/other', status: 404, text: '404 page not found\n' },
    { target: '/version', type: 'application/json', text: JSON.stringify(versionInfo(), undefined, 2) },
    {
      target: '/metrics',
      type: Registry.PROMETHEUS_CONTENT_TYPE,
      text: expect.stringContaining('\nrequests_total 1\n'),
    },
  ])('A daemon serves: $target', async ({ target, status = 200, type = plain, text }) => {
    expect(await start().send(target)).toEqual({ status, type, text });
  });

  test('A daemon serves routes that it adds itself', async () => {
    expect((await start({ own: (ctx) => void (ctx.body = 'own') }).send('/own')).text).toBe('own');
  });

  test.each(['/', '/other', '/Metrics', '/metrics/other', '/LIVEZ'])('No %s', async (target) => {
    expect(await start().send(target)).toEqual({ status: 404, type: plain, text: '404 page not found\n' });
  });
});

describe('metrics of health checks', () => {
  test.each<{ name: string; names: string[]; expected: RegExp }>([
    {
      name: 'are these two and no others',
      names: ['kubernetes_healthcheck', 'kubernetes_healthchecks_total'],
      expected: /^# HELP kubernetes_healthcheck b\n[^]*\n\n# HELP kubernetes_healthchecks_total b\n[^]* 1\n$/,
    },
    {
      name: 'are one where the daemon has one',
      names: ['kubernetes_healthcheck'],
      expected: /^# HELP kubernetes_healthcheck b\n[^]* 1\n$/,
    },
    { name: 'are an empty document where there are none', names: [], expected: /^\n$/ },
  ])('Metrics of health checks: $name', async ({ names, expected }) => {
    const { text } = await start({ registry: registryWith(...names, 'other') }).send('/metrics/slis');
    expect(text).toMatch(expected);
    expect(text).not.toMatch(/requests_total|other/);
  });
});

describe('what a route throws', () => {
  const httpError = (status: number, message: string, expose: boolean) =>
    Object.assign(new Error(message), { status, expose });
  test.each<{ name: string; error: unknown; status: number; text: unknown; type?: string; isLogged: boolean }>([
    {
      name: 'as a Status is answered with it',
      error: forbidden({ group: '', resource: 'pods' }, 'a', 'no'),
      status: 403,
      text: expect.stringContaining('"reason":"Forbidden"'),
      type: 'application/json',
      isLogged: false,
    },
    {
      name: 'for the caller is told to it',
      error: httpError(400, 'what you sent', true),
      status: 400,
      text: 'what you sent\n',
      isLogged: false,
    },
    {
      name: 'and is not for the caller is logged',
      error: httpError(503, 'secret', false),
      status: 500,
      text: 'Internal Server Error\n',
      isLogged: true,
    },
    {
      name: 'for the caller without a status is logged',
      error: Object.assign(new Error('secret'), { expose: true }),
      status: 500,
      text: 'Internal Server Error\n',
      isLogged: true,
    },
    {
      name: 'unexpectedly is logged',
      error: new TypeError('secret'),
      status: 500,
      text: 'Internal Server Error\n',
      isLogged: true,
    },
  ])('What a route throws: $name', async ({ error, status, text, type = plain, isLogged }) => {
    const { send, errors } = start({
      own: () => {
        throw error;
      },
    });
    expect(await send('/own')).toEqual({ status, text, type });
    expect(errors).toEqual(isLogged ? [{ err: error, method: 'GET', path: '/own' }] : []);
  });
});

test('Steps in front of everything come in order, and can refuse', async () => {
  const order: string[] = [];
  const step =
    (name: string): Koa.Middleware<ServingState> =>
    async (_, next) => {
      order.push(name);
      await next();
    };
  const refuse: Koa.Middleware<ServingState> = (ctx) => void (ctx.status = 401);
  const own: Koa.Middleware<ServingState> = () => void order.push('own');
  await start({ own, before: [step('first'), step('second')] }).send('/own');
  expect(order).toEqual(['first', 'second', 'own']);
  expect((await start({ own, before: [refuse, step('third')] }).send('/own')).status).toBe(401);
  expect(order).toEqual(['first', 'second', 'own']);
});

test('The signal of a request ends when its client is gone', async () => {
  let signal: AbortSignal | undefined;
  const { handle } = start({ own: (ctx) => void ({ signal } = ctx.state) });
  const exchange = memoryExchange({ method: 'GET', target: '/own' });
  await handle(exchange);
  expect(signal!.aborted).toBe(false);
  exchange.close();
  expect(signal!.reason).toBeInstanceOf(ClientGone);
});
