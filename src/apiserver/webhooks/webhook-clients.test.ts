import { beforeEach, describe, expect, test } from 'vitest';
import { type CredentialsSource, type HeldWebhookClient, WebhookClients } from './webhook-clients.ts';
import type { WebhookClientOptions } from './webhook-client.ts';
import type { ServicePort } from './service-resolver.ts';

/** What happened to the clients that were made, in order: `open`, `retire` and `close`, with the URL. */
let events: string[];
let made: WebhookClientOptions[];
let resolved: ServicePort[];
beforeEach(() => {
  [events, made, resolved] = [[], [], []];
});

function createClients(maxKept?: number): WebhookClients {
  return new WebhookClients({
    ...(maxKept === undefined ? {} : { maxKept }),
    observer: { begins: () => ({ answered: () => undefined, ended: () => undefined }) },
    resolve: (target) => {
      resolved.push(target);
      return Promise.resolve({ host: '10.0.0.1', port: 8443 });
    },
    create: (options) => {
      made.push(options);
      const { url } = options.connection;
      events.push(`open ${url}`);
      return {
        post: () => Promise.resolve(url),
        call: () => Promise.resolve({ status: 200, contentType: '', retryAfter: undefined, text: url }),
        retire: () => void events.push(`retire ${url}`),
        close: () => Promise.resolve(void events.push(`close ${url}`)),
      };
    },
  });
}

const settings = { timeoutMs: 1000 };
const hold = (clients: WebhookClients, url: string, caBundle?: string): HeldWebhookClient =>
  clients.hold({ url, ...(caBundle === undefined ? {} : { caBundle }) }, settings);

describe('clients of webhooks that objects name', () => {
  test('Nothing is opened before the first call', () => {
    hold(createClients(), 'https://a/').release();
    expect(events).toEqual([]);
  });

  test.each([
    ['of the same webhook share one', { url: 'https://a/', caBundle: 'AA==' }, settings, 1],
    ['of another URL have their own', { url: 'https://b/', caBundle: 'AA==' }, settings, 2],
    ['of other authorities have their own', { url: 'https://a/', caBundle: 'AQ==' }, settings, 2],
    ['of another timeout have their own', { url: 'https://a/', caBundle: 'AA==' }, { timeoutMs: 2000 }, 2],
  ])('Clients of webhooks for objects %s', async (_, config, other, count) => {
    const clients = createClients();
    await clients.hold({ url: 'https://a/', caBundle: 'AA==' }, settings).post({});
    await clients.hold(config, other).post({});
    expect(made).toHaveLength(count);
  });

  test('One goes when the last object that names it does', async () => {
    const clients = createClients();
    const [one, other] = [hold(clients, 'https://a/'), hold(clients, 'https://a/')];
    await one.post({});
    await other.post({});
    one.release();
    expect(events).toEqual(['open https://a/']);
    other.release();
    expect(events).toEqual(['open https://a/', 'retire https://a/']);
    await expect(other.post({})).rejects.toThrow('the client of the webhook is closed');
  });

  test('An object that never called keeps none', async () => {
    const clients = createClients();
    const [one, silent] = [hold(clients, 'https://a/'), hold(clients, 'https://a/')];
    await one.post({});
    silent.release();
    one.release();
    expect(events).toEqual(['open https://a/', 'retire https://a/']);
  });

  test('Of too many webhook clients the one unused for longest is closed; its next call opens another', async () => {
    const clients = createClients(2);
    const [a, b, c] = ['a', 'b', 'c'].map((name) => hold(clients, name));
    await a!.post({});
    await b!.post({});
    await a!.post({});
    await c!.post({});
    expect(events).toEqual(['open a', 'open b', 'open c', 'retire b']);
    expect(await b!.post({})).toBe('b');
    expect(events.slice(4)).toEqual(['open b', 'retire a']);
    a!.release();
    b!.release();
    c!.release();
    expect(events.slice(6)).toEqual(['retire b', 'retire c']);
  });

  test('All end with the server, and none is opened after it', async () => {
    const clients = createClients();
    const held = hold(clients, 'https://a/');
    await held.post({});
    await clients.close();
    expect(events).toEqual(['open https://a/', 'close https://a/']);
    await expect(held.post({})).rejects.toThrow('the server is stopping');
    held.release();
    expect(events).toHaveLength(2);
  });
});

test.each([
  ['the usual port and path', {}, 'https://hook.team.svc:443/', 'hook.team.svc:443', 443],
  ['a port', { port: 8443 }, 'https://hook.team.svc:8443/', 'hook.team.svc:8443', 8443],
  ['a path', { path: '/convert' }, 'https://hook.team.svc:443/convert', 'hook.team.svc:443', 443],
  ['a path without its slash', { path: 'convert' }, 'https://hook.team.svc:443/convert', 'hook.team.svc:443', 443],
])('A service with %s is called by its name, and its address is asked for', async (_, more, url, host, port) => {
  const clients = createClients();
  await clients.hold({ service: { name: 'hook', namespace: 'team', ...more } }, settings).post({});
  const { connection } = made[0]!;
  expect(connection).toMatchObject({ url, host, serverName: 'hook.team.svc', skipVerify: false });
  expect(resolved).toEqual([]);
  expect(await connection.address!()).toEqual({ host: '10.0.0.1', port: 8443 });
  expect(resolved).toEqual([{ name: 'hook', namespace: 'team', port }]);
});

describe('the credentials of a source', () => {
  const source = (id: string): CredentialsSource => ({
    id,
    find: ({ server }) =>
      server === 'none:443' ? undefined : { authorization: () => Promise.resolve(`${id} ${server}`) },
  });

  test.each([
    { name: 'a URL with a port', config: { url: 'https://a:8443/x' }, expected: 's a:8443' },
    { name: 'a URL without one', config: { url: 'https://a/x' }, expected: 's a:443' },
    { name: 'a URL with the usual port', config: { url: 'https://a:443?x' }, expected: 's a:443' },
    { name: 'a URL in capitals', config: { url: 'https://A.Example' }, expected: 's A.Example:443' },
    { name: 'a URL with an IPv6 address', config: { url: 'https://[::1]/' }, expected: 's [::1]:443' },
    { name: 'a service', config: { service: { name: 'hook', namespace: 'team' } }, expected: 's hook.team.svc:443' },
    {
      name: 'a service with a port',
      config: { service: { name: 'hook', namespace: 'team', port: 8443 } },
      expected: 's hook.team.svc:8443',
    },
    { name: 'a server that is shown none', config: { url: 'https://none/' }, expected: undefined },
  ])('Those for $name are shown', async ({ config, expected }) => {
    await createClients().hold(config, settings, source('s')).post({});
    expect(await made[0]!.connection.authorization()).toBe(expected);
  });

  test.each([
    {
      name: 'a URL',
      config: { url: 'https://hook.example.com/x?y', caBundle: 'AA==' },
      cluster: { server: 'https://hook.example.com', 'certificate-authority-data': 'AA==', config: null },
    },
    {
      name: 'a service',
      config: { service: { name: 'hook', namespace: 'team' } },
      cluster: { server: 'https://hook.team.svc:443', 'tls-server-name': 'hook.team.svc', config: null },
    },
  ])('A source of credentials is told of the cluster behind $name', async ({ config, cluster }) => {
    const told: unknown[] = [];
    const find: CredentialsSource['find'] = (target) => void told.push(target.cluster);
    await createClients().hold(config, settings, { id: 's', find }).post({});
    expect(told).toEqual([cluster]);
  });

  test('Clients with other credentials are not shared', async () => {
    const clients = createClients();
    for (const credentials of [undefined, source('s'), source('t'), source('s')])
      await clients.hold({ url: 'https://a/' }, settings, credentials).post({});
    expect(await Promise.all(made.map(({ connection }) => connection.authorization()))).toEqual([
      undefined,
      's a:443',
      't a:443',
    ]);
  });
});
