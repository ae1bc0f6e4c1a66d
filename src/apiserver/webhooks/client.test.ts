import { once } from 'node:events';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { createWebhookClient } from './client.ts';

/** A service that lets everybody wait until the test says. */
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
  return { waiting, arrived, connection: { url, ca: undefined, serverName: undefined, skipVerify: false, certificate: undefined, key: undefined, authorization: () => Promise.resolve(undefined) } };
}

test('no more questions wait than are allowed; when one is answered, the next may come', async () => {
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

test('no more connections are opened than are allowed', async () => {
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

test('who waits when the server stops hears that it stops', async () => {
  const { arrived, connection } = await slowService();
  const client = createWebhookClient({ connection, timeoutMs: 60_000 });
  const refused = expect(client.post({})).rejects.toThrow('the server is stopping');
  await arrived(1);
  await client.close();
  await refused;
});
