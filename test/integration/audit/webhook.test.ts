/** Audit events on their way to a service over TLS, one that works and one that does not. */
import { X509Certificate } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { AuditedServer, type AuditedServerOptions } from '../../support/audited-server.ts';
import { AuditWebhook } from '../../support/audit-webhook.ts';

const policy = 'rules: [{level: None, nonResourceURLs: [/metrics]}, {level: Metadata}]\nomitStages: [RequestReceived]';

let webhook: AuditWebhook;
beforeEach(async () => {
  webhook = await AuditWebhook.start();
});
afterEach(() => webhook[Symbol.asyncDispose]());

async function start(flags: readonly string[] = [], more: Partial<AuditedServerOptions> = {}): Promise<AuditedServer> {
  const file = await webhook.kubeconfig(webhook.certificates.caFile.replace(/[^/]*$/, ''));
  return AuditedServer.start({ policy, flags: [`--audit-webhook-config-file=${file}`, ...flags], ...more });
}

const ask = async (server: AuditedServer, count: number): Promise<void> => {
  for (let i = 0; i < count; i++) await server.send('GET', `/version?request=${i}`);
};
const asked = (): (string | undefined)[] => webhook.events.map(({ requestURI }) => requestURI);
const expected = (count: number): string[] => Array.from({ length: count }, (_, i) => `/version?request=${i}`);

describe('mode batch', () => {
  test('The audit webhook in mode batch sends lists as long as a batch, with its credentials', async () => {
    await using server = await start(['--audit-webhook-batch-max-size=3', '--audit-webhook-batch-max-wait=1h']);
    await ask(server, 6);
    await webhook.until(() => webhook.deliveries.length === 2);
    expect(webhook.deliveries.map(({ list }) => list.items!.length)).toEqual([3, 3]);
    const [{ list, authorization, client }] = webhook.deliveries as [(typeof webhook.deliveries)[0]];
    expect([list.kind, list.apiVersion, list.metadata, authorization, client]).toEqual([
      'EventList',
      'audit.k8s.io/v1',
      {},
      'Bearer hook-token',
      expect.stringContaining('admin'),
    ]);
    expect(list.items![0]).toMatchObject({
      level: 'Metadata',
      stage: 'ResponseComplete',
      verb: 'get',
      user: { username: 'admin' },
      responseStatus: { code: 200 },
    });
    expect(list.items![0]).not.toHaveProperty('kind');
  });

  test('The audit webhook in mode batch sends a batch that is not full after a while', async () => {
    await using server = await start(['--audit-webhook-batch-max-wait=50ms']);
    await ask(server, 2);
    await webhook.until(() => webhook.events.length === 2);
    expect(asked()).toEqual(expected(2));
  });

  test('The audit webhook in mode batch sends all that it has taken before a clean stop', async () => {
    await using server = await start([
      '--audit-webhook-batch-max-size=7',
      '--audit-webhook-batch-max-wait=1h',
      '--audit-webhook-batch-throttle-qps=0.001',
      '--audit-webhook-batch-throttle-burst=1',
    ]);
    await ask(server, 50);
    expect(webhook.events.length).toBeLessThan(50);
    await server.stop();
    expect(asked().sort()).toEqual(expected(50).sort());
  });

  test('The audit webhook in mode batch is not throttled where that is switched off', async () => {
    await using server = await start([
      '--audit-webhook-batch-throttle-enable=false',
      '--audit-webhook-batch-throttle-qps=0.001',
      '--audit-webhook-batch-throttle-burst=1',
      '--audit-webhook-batch-max-size=1',
    ]);
    await ask(server, 5);
    await webhook.until(() => webhook.events.length === 5);
    expect(webhook.deliveries.length).toBe(5);
  });

  test('The audit webhook in mode batch sends again what was refused, whatever the reason', async () => {
    webhook.answers.push(400, 503, 404);
    await using server = await start(['--audit-webhook-batch-max-size=1', '--audit-webhook-initial-backoff=1ms']);
    await ask(server, 1);
    await webhook.until(() => webhook.deliveries.length === 1);
    expect(webhook.calls.length).toBe(4);
    expect(await server.metric('apiserver_audit_error_total{plugin="webhook"}')).toBe(0);
    expect((await server.send('GET', '/metrics')).text).toMatch(
      /^rest_client_requests_total\{code="404",host="[^"]+",method="POST"\} 1$/m,
    );
  });

  test('The audit webhook in mode batch gives a batch up after five attempts, and counts its events', async () => {
    webhook.answers.push(500, 500, 500, 500, 500);
    const errors: object[] = [];
    const log = {
      debug: () => undefined,
      info: () => undefined,
      warn: () => undefined,
      error: (details: object) => void errors.push(details),
    };
    await using server = await start(
      ['--audit-webhook-batch-max-size=2', '--audit-webhook-batch-max-wait=1h', '--audit-webhook-initial-backoff=1ms'],
      { log },
    );
    await ask(server, 2);
    await webhook.until(() => webhook.calls.length === 5);
    await server.stop();
    expect(errors).toMatchObject([
      { plugin: 'webhook', events: 2, err: { message: 'the webhook answered with status 500' } },
    ]);
    expect(webhook.deliveries).toEqual([]);
  });

  test('The audit webhook in mode batch does not wait out its pauses when the server stops', async () => {
    webhook.answers.push(500);
    await using server = await start(['--audit-webhook-batch-max-size=1', '--audit-webhook-initial-backoff=1h']);
    await ask(server, 1);
    await webhook.until(() => webhook.calls.length === 1);
    await server.stop();
    expect(asked()).toEqual(expected(1));
  });

  test('The audit webhook in mode batch does not hold up requests, and counts what it drops', async () => {
    await webhook.stop();
    await using server = await start([
      '--audit-webhook-batch-max-size=1',
      '--audit-webhook-batch-buffer-size=1',
      '--audit-webhook-initial-backoff=1h',
    ]);
    await ask(server, 20);
    // Fifteen wait for their next attempt, one is next, one waits in the buffer.
    expect(await server.metric('apiserver_audit_error_total{plugin="buffered"}')).toBe(3);
  });
});

describe('mode blocking', () => {
  test('The audit webhook in mode blocking has delivered the events of a request when it is answered', async () => {
    await using server = await start(['--audit-webhook-mode=blocking']);
    await ask(server, 1);
    expect(asked()).toEqual(expected(1));
  });

  test('The audit webhook in mode blocking-strict refuses a request that cannot be recorded', async () => {
    webhook.answers.push(500, 500, 500, 500, 500);
    await using server = await start(['--audit-webhook-mode=blocking-strict', '--audit-webhook-initial-backoff=1ms'], {
      policy: 'rules: [{level: None, nonResourceURLs: [/metrics]}, {level: Metadata}]',
    });
    expect((await server.send('GET', '/version')).status).toBe(500);
    expect((await server.send('GET', '/version')).status).toBe(200);
    expect(await server.metric('apiserver_audit_requests_rejected_total')).toBe(1);
  });
});

test('--audit-webhook-version is that of the lists', async () => {
  await using server = await start(['--audit-webhook-mode=blocking', '--audit-webhook-version=audit.orch.io/v1']);
  await ask(server, 1);
  expect(webhook.deliveries.map(({ list }) => list.apiVersion)).toEqual(['audit.orch.io/v1']);
});

test('Log and service get the same events', async () => {
  await using server = await start(['--audit-log-path=DIRECTORY/audit.log', '--audit-webhook-mode=blocking']);
  await ask(server, 2);
  const logged = (await server.events()).map(({ kind: _, apiVersion: __, ...event }) => event);
  expect(webhook.events).toEqual(logged);
});

test('Truncated batches are smaller, and nothing is left out', async () => {
  await using server = await start([
    '--audit-webhook-batch-max-size=100',
    '--audit-webhook-batch-max-wait=1h',
    '--audit-webhook-truncate-enabled',
    '--audit-webhook-truncate-max-event-size=1000',
    '--audit-webhook-truncate-max-batch-size=2000',
  ]);
  await ask(server, 10);
  await server.stop();
  expect(asked().sort()).toEqual(expected(10).sort());
  expect(webhook.deliveries.every(({ list }) => list.items!.length < 5)).toBe(true);
});

test('A client certificate that was renewed is shown without a restart, and no event is lost over it', async () => {
  const lying = async (): Promise<string> =>
    new X509Certificate(await readFile(webhook.certificates.client.certFile)).fingerprint256;
  await using server = await start(['--audit-webhook-mode=blocking']);
  const shown = async (): Promise<string> => {
    await ask(server, 1);
    return webhook.deliveries.at(-1)!.fingerprint;
  };
  const first = await lying();
  expect(await shown()).toBe(first);
  await webhook.certificates.renewClient();
  const second = await lying();
  expect(second).not.toBe(first);
  await expect.poll(shown, { timeout: 20_000 }).toBe(second);
  expect(await server.metric('apiserver_audit_error_total{plugin="webhook"}')).toBe(0);
});

describe('what keeps a server from starting', () => {
  test('A connection file that is not there', async () => {
    await expect(AuditedServer.start({ policy, flags: ['--audit-webhook-config-file=/absent'] })).rejects.toThrow(
      '--audit-webhook-config-file: /absent: no such file or directory',
    );
  });

  test('A server with a version of the audit log that is none does not start', async () => {
    await expect(
      AuditedServer.start({
        policy: undefined,
        flags: ['--audit-webhook-config-file=x', '--audit-webhook-version=audit.k8s.io/v1beta1'],
      }),
    ).rejects.toThrow('--audit-webhook-version: invalid group version');
  });

  test('A server with an audit buffer of size 0 or a rate of 0 does not start', async () => {
    const flags = [
      '--audit-webhook-config-file=x',
      '--audit-webhook-batch-buffer-size=0',
      '--audit-webhook-batch-throttle-qps=0',
    ];
    await expect(AuditedServer.start({ policy: undefined, flags })).rejects.toThrow(
      'invalid audit batch webhook buffer size 0, must be a positive number, invalid audit batch webhook ' +
        'throttle QPS 0, must be a positive number',
    );
  });
});
