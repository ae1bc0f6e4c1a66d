import { once } from 'node:events';
import http from 'node:http';
import net, { type AddressInfo } from 'node:net';
import { Registry } from 'prom-client';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { TransportConfig } from '../../client/transport-config.ts';
import { createWebhookClient } from './webhook-client.ts';
import { createRestClientMetrics } from '../../server/metrics/rest-client-metrics.ts';

/** A service that delays all responses until the test releases them. */
async function slowService() {
  const waiting: http.ServerResponse[] = [];
  const server = http.createServer((_, response) => void waiting.push(response));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  /** Resolves when so many have come in all. */
  const arrived = async (count: number): Promise<void> => {
    while (waiting.length < count) await once(server, 'request');
  };
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    waiting,
    arrived,
    connection: {
      url,
      ca: undefined,
      serverName: undefined,
      skipVerify: false,
      certificate: undefined,
      key: undefined,
      authorization: () => Promise.resolve(undefined),
    },
  };
}

test('A webhook is shown who the server acts as, and its refusal of credentials is told', async () => {
  const { waiting, arrived, connection } = await slowService();
  const refused: (string | undefined)[] = [];
  const client = createWebhookClient({
    connection: {
      ...connection,
      authorization: () => Promise.resolve('Bearer t'),
      onUnauthorized: (shown) => Promise.resolve(refused.push(shown)),
      impersonate: { user: 'jane', groups: ['a', 'b'], extra: { 'x/y': ['1'] } },
    },
    timeoutMs: 60_000,
    retryDelaysMs: [],
  });
  const calls: Promise<unknown>[] = [];
  for (const status of [200, 401]) {
    calls.push(client.post({}).catch((error: unknown) => (error as Error).message));
    await arrived(calls.length);
    waiting.at(-1)!.writeHead(status).end('{}');
    await calls.at(-1);
  }
  expect(waiting[0]!.req.headersDistinct).toMatchObject({
    authorization: ['Bearer t'],
    'impersonate-user': ['jane'],
    'impersonate-group': ['a', 'b'],
    'impersonate-extra-x%2fy': ['1'],
  });
  expect(await calls[1]).toBe('the webhook answered with status 401');
  expect(refused).toEqual(['Bearer t']);
  await client.close();
});

test('Credentials that do not come cost a call no more than its time', async () => {
  const { connection } = await slowService();
  const never = new Promise<never>(() => undefined);
  const client = createWebhookClient({ connection: { ...connection, authorization: () => never }, timeoutMs: 60_000 });
  const end = new AbortController();
  const call = client.call('{}', { timeoutMs: 60_000, signal: end.signal });
  end.abort(new DOMException('', 'TimeoutError'));
  await expect(call).rejects.toThrow('context deadline exceeded');
  await client.close();
});

test('No more questions wait than are allowed; when one is answered, the next may come', async () => {
  const { waiting, arrived, connection } = await slowService();
  const client = createWebhookClient({ connection, timeoutMs: 60_000, maxPending: 2 });
  const first = [client.post({}), client.post({})];
  await expect(client.post({})).rejects.toThrow('too many requests wait for the webhook');
  await arrived(2);
  waiting[0]!.end('{"n":1}');
  expect(await Promise.race(first)).toEqual({ n: 1 });
  const next = client.post({});
  await arrived(3);
  for (const response of waiting.slice(1)) response.end('{}');
  expect(await next).toEqual({});
  await Promise.all(first);
  await client.close();
});

test('No more connections are opened than are allowed', async () => {
  const { waiting, arrived, connection } = await slowService();
  const client = createWebhookClient({ connection, timeoutMs: 60_000 });
  const all = Promise.allSettled(Array.from({ length: 100 }, () => client.post({})));
  await arrived(64);
  for (let answered = 0; answered < 100; answered++) {
    await arrived(answered + 1);
    waiting[answered]!.end('{}');
    expect(waiting.filter(({ writableEnded }) => !writableEnded).length).toBeLessThanOrEqual(64);
  }
  expect((await all).filter(({ status }) => status === 'rejected')).toEqual([]);
  await client.close();
});

test('A call that waits when the server stops fails with that reason', async () => {
  const { arrived, connection } = await slowService();
  const client = createWebhookClient({ connection, timeoutMs: 60_000 });
  const refused = expect(client.post({})).rejects.toThrow('the server is stopping');
  await arrived(1);
  await client.close();
  await refused;
});

test('A client that is retired takes no more posts and closes when the last one is answered', async () => {
  const { waiting, arrived, connection } = await slowService();
  const client = createWebhookClient({ connection, timeoutMs: 60_000 });
  const asked = client.post({});
  await arrived(1);
  const { socket } = waiting[0]!;
  const closed = once(socket!, 'close');
  client.retire();
  await expect(client.post({})).rejects.toThrow('the client of the webhook is closed');
  expect(socket!.destroyed).toBe(false);
  waiting[0]!.end('{"n":1}');
  expect(await asked).toEqual({ n: 1 });
  await closed;
});

describe('a connection with an address of its own', () => {
  test('A connection with an address of its own is opened there, for the host of the URL', async () => {
    const { waiting, arrived, connection } = await slowService();
    const port = Number(new URL(connection.url).port);
    const client = createWebhookClient({
      connection: {
        ...connection,
        url: 'http://hook.team.svc:1/judge',
        address: () => Promise.resolve({ host: '127.0.0.1', port }),
      },
      timeoutMs: 60_000,
    });
    const asked = client.post({});
    await arrived(1);
    expect([waiting[0]!.req.headers.host, waiting[0]!.req.url]).toEqual(['hook.team.svc:1', '/judge']);
    waiting[0]!.end('{}');
    await asked;
    await client.close();
  });

  test('A connection with an address of its own is not opened without one, and the call says why', async () => {
    const { connection } = await slowService();
    const client = createWebhookClient({
      connection: { ...connection, address: () => Promise.reject(new Error('service "hook" not found')) },
      timeoutMs: 60_000,
    });
    await expect(client.post({})).rejects.toThrow('service "hook" not found');
    await client.close();
  });
});

test('Each call is counted, by what was answered, with its time and its sizes', async () => {
  const { waiting, arrived, connection } = await slowService();
  const registry = new Registry();
  const observer = createRestClientMetrics(registry);
  const client = createWebhookClient({
    connection: { ...connection, host: 'judge.team.svc:443' },
    timeoutMs: 60_000,
    retryDelaysMs: [0],
    maxAnswerBytes: 100,
    observer,
  });
  const asked = client.post({ a: 1 });
  await arrived(1);
  waiting[0]!.writeHead(429).end('{}');
  await arrived(2);
  waiting[1]!.end('{"b":22}');
  await asked;
  const refused = expect(client.post({ a: 1 })).rejects.toThrow('the answer of the webhook is too large');
  await arrived(3);
  waiting[2]!.end('x'.repeat(101));
  await refused;
  await client.close();
  const nowhere = createWebhookClient({
    connection: { ...connection, url: 'http://127.0.0.1:1' },
    timeoutMs: 60_000,
    retryDelaysMs: [],
    observer,
  });
  await expect(nowhere.post({})).rejects.toThrow('connect: connection refused');
  await nowhere.close();
  const lines = (await registry.metrics())
    .split('\n')
    .filter((line) => /^rest_client_(\w+(total|count|size_bytes_sum)\{|transport_cache)/.test(line))
    .sort();
  const judge = 'verb="POST",host="judge.team.svc:443"';
  const unreachableHost = 'verb="POST",host="127.0.0.1:1"';
  expect(lines).toEqual([
    `rest_client_request_duration_seconds_count{${unreachableHost}} 1`,
    `rest_client_request_duration_seconds_count{${judge}} 3`,
    `rest_client_request_size_bytes_count{${unreachableHost}} 1`,
    `rest_client_request_size_bytes_count{${judge}} 3`,
    `rest_client_request_size_bytes_sum{${unreachableHost}} 2`,
    `rest_client_request_size_bytes_sum{${judge}} 21`,
    'rest_client_requests_total{code="200",host="judge.team.svc:443",method="POST"} 2',
    'rest_client_requests_total{code="429",host="judge.team.svc:443",method="POST"} 1',
    'rest_client_requests_total{code="<error>",host="127.0.0.1:1",method="POST"} 1',
    `rest_client_response_size_bytes_count{${unreachableHost}} 0`,
    `rest_client_response_size_bytes_count{${judge}} 2`,
    `rest_client_response_size_bytes_sum{${unreachableHost}} 0`,
    `rest_client_response_size_bytes_sum{${judge}} 10`,
    'rest_client_transport_cache_entries 0',
    'rest_client_transport_create_calls_total{result="miss"} 2',
  ]);
});

test('The plugin of a connection is told of to the metrics of calls', async () => {
  const { connection } = await slowService();
  const registry = new Registry();
  const observer = createRestClientMetrics(registry);
  const observePlugin: TransportConfig['observePlugin'] = (plugins) => plugins.called({ status: 'no_error', code: 0 });
  await createWebhookClient({ connection: { ...connection, observePlugin }, timeoutMs: 60_000, observer }).close();
  const shown = 'rest_client_exec_plugin_call_total{call_status="no_error",code="0"} 1';
  expect((await registry.metrics()).split('\n')).toContain(shown);
});

describe('a webhook that cannot be reached', () => {
  const unreachable = (url: string): TransportConfig => ({
    url,
    ca: undefined,
    serverName: undefined,
    skipVerify: false,
    certificate: undefined,
    key: undefined,
    authorization: () => Promise.resolve(undefined),
  });
  const refusedBy = (server: net.Server): Promise<string> =>
    new Promise((resolve) =>
      server.listen(0, '127.0.0.1', () => resolve(`127.0.0.1:${(server.address() as AddressInfo).port}`)),
    );
  const postTo = async (url: string, timeoutMs = 60_000): Promise<unknown> => {
    const client = createWebhookClient({ connection: unreachable(url), timeoutMs, retryDelaysMs: [] });
    try {
      return await client.post({});
    } finally {
      await client.close();
    }
  };

  test('A webhook that cannot be reached fails with the address, as Go does, when nothing listens', async () => {
    const server = net.createServer();
    const address = await refusedBy(server);
    await new Promise((resolve) => server.close(resolve));
    await expect(postTo(`https://${address}/convert`)).rejects.toThrow(
      `Post "https://${address}/convert": dial tcp ${address}: connect: connection refused`,
    );
  });

  test('A webhook that cannot be reached fails with EOF when it closes the connection without an answer', async () => {
    const server = net.createServer((socket) => socket.once('data', () => socket.end()));
    onTestFinished(() => void server.close());
    const address = await refusedBy(server);
    await expect(postTo(`http://${address}/`)).rejects.toThrow(`Post "http://${address}/": EOF`);
  });

  test('A webhook that cannot be reached fails with the deadline when it does not answer in time', async () => {
    const { connection } = await slowService();
    await expect(postTo(`${connection.url}/`, 1)).rejects.toThrow(
      `Post "${connection.url}/": context deadline exceeded`,
    );
  });

  test('A webhook that cannot be reached fails with the reason of the service resolver, below its URL', async () => {
    const client = createWebhookClient({
      connection: {
        ...unreachable('https://hook.team.svc:443/convert'),
        address: () => Promise.reject(new Error('service "hook" not found')),
      },
      timeoutMs: 30_000,
      timeoutInQuery: true,
      retryDelaysMs: [],
    });
    await expect(client.post({})).rejects.toThrow(
      'Post "https://hook.team.svc:443/convert?timeout=30s": service "hook" not found',
    );
    await client.close();
  });
});
