import { once } from 'node:events';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
import { FakeClock } from '../../base/testing/fake-clock.ts';
import { auditEvent } from './testing/events.ts';
import { createTransport } from '../../client/transport.ts';
import { WebhookSink } from './webhook-sink.ts';

/** Takes calls and never answers. */
async function startDeafServer(): Promise<{
  url: string;
  called: Promise<unknown>;
  [Symbol.asyncDispose](): Promise<void>;
}> {
  const server = http.createServer(() => undefined).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    called: once(server, 'request'),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

test('A service that does not answer holds up a stop for a while only, and its events are counted', async () => {
  await using server = await startDeafServer();
  const clock = new FakeClock();
  const lost: string[] = [];
  const connection = {
    url: server.url,
    ca: undefined,
    certificate: undefined,
    key: undefined,
    serverName: undefined,
    skipVerify: false,
    authorization: () => Promise.resolve(undefined),
  };
  const sink = new WebhookSink(
    { connection, apiVersion: 'audit.k8s.io/v1', initialBackoffMs: 1 },
    {
      clock,
      webhooks: { connect: createTransport },
      report: (plugin, error, events) => void lost.push(`${plugin} ${events}`),
    },
  );
  const written = sink.write([auditEvent('1'), auditEvent('2')].map((event) => sink.textOf(event)));
  await server.called;
  const closed = sink.close();
  await clock.advance(9_999);
  expect(lost).toEqual([]);
  await clock.advance(1);
  expect(await written).toBe(false);
  await closed;
  expect(lost).toEqual(['webhook 2']);
});
