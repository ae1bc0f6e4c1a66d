/** The connections of a client, over a real network: faults, proxies, certificates, HTTP versions. */
import http from 'node:http';
import http2 from 'node:http2';
import type { AddressInfo } from 'node:net';
import tls from 'node:tls';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { FakeClock } from '../../../src/base/testing/fake-clock.ts';
import { isNotFound, isUnauthorized } from '../../../src/client/api-error.ts';
import { type ClientOptions, createClient } from '../../../src/client/client.ts';
import type { ClientConfig } from '../../../src/client/client-config.ts';
import { createAdmin, createAuthority, createServing, caSubject } from '../../../src/pki/pki.ts';
import { startConnectProxy, startSocks5Proxy } from '../../support/forward-proxy.ts';
import { TcpProxy } from '../../support/tcp-proxy.ts';
import { type ClientServer, startClientServer } from './client-server.ts';

let shared: ClientServer;
beforeAll(async () => {
  shared = await startClientServer();
});
afterAll(() => shared[Symbol.asyncDispose]());

const portOf = (url: string): number => Number(new URL(url).port);

/** A client behind a connection that the test can cut and block. */
async function throughProxy(options: Parameters<ClientServer['connect']>[0] = {}) {
  const proxy = await TcpProxy.start(portOf(shared.server.url));
  const client = shared.connect(options, { url: `https://127.0.0.1:${proxy.port}` });
  onTestFinished(async () => {
    await client.close();
    await proxy[Symbol.asyncDispose]();
  });
  return { proxy, client };
}

/** What the observer of a client is told of its connections and answers. */
function observed() {
  const told: string[] = [];
  const observer: ClientOptions['observer'] = {
    answered: () => undefined,
    opened: () => void told.push('opened'),
    closed: () => void told.push('closed'),
    resolved: (host) => void told.push(`resolved ${host}`),
    received: (_request, bytes) => void told.push(`received ${bytes}`),
  };
  return { told, observer };
}

describe('connections', () => {
  test('Connections of a client and the bytes of answers over HTTP/2 are told to its observer', async () => {
    const { told, observer } = observed();
    const client = shared.connect({ observer });
    const answer = await client.request({ method: 'GET', path: '/version' });
    let bytes = 0;
    for await (const piece of answer.body) bytes += piece.length;
    answer.end();
    await client.close();
    await client.close();
    expect(told).toEqual(['opened', `received ${bytes}`, 'closed']);
  });

  test('Connections of a client are shared by requests at the same time', async () => {
    const { proxy, client } = await throughProxy();
    await Promise.all(Array.from({ length: 50 }, () => client.core.v1.namespaces.get('default')));
    expect(proxy.connections).toBe(2);
  });

  test('Connections of a client that are full are joined by others', async () => {
    const { proxy, client } = await throughProxy();
    const abort = new AbortController();
    const { signal } = abort;
    const watches = Array.from({ length: 300 }, () => client.core.v1.namespaces.watch({ signal }));
    for (const { value } of await Promise.all(watches.map((watch) => watch.next()))) expect(value?.type).toBe('ADDED');
    expect((await client.core.v1.namespaces.get('default')).metadata.name).toBe('default');
    expect(proxy.connections).toBeGreaterThan(2);
    abort.abort();
    await Promise.allSettled(watches.map((watch) => watch.return()));
  });

  test('Connections of a client that break are replaced, and a watch goes on without a gap', async () => {
    const { proxy, client } = await throughProxy();
    const maps = client.core.v1.configmaps.namespace('default');
    const { metadata } = await maps.create({ metadata: { name: 'before' } });
    const names: string[] = [];
    const { resourceVersion } = metadata as { resourceVersion: string };
    const watch = maps.watch({ resourceVersion, labelSelector: 'of=cut' });
    const read = (async () => {
      for await (const { object } of watch) if (names.push(object.metadata.name!) === 3) return;
    })();
    for (const name of ['cut-1', 'cut-2', 'cut-3']) {
      await shared.client.core.v1.configmaps.create({
        metadata: { name, namespace: 'default', labels: { of: 'cut' } },
      });
      proxy.cut();
    }
    await read;
    expect(names).toEqual(['cut-1', 'cut-2', 'cut-3']);
  });

  test('Connections of a client whose server is silent fail a request after a ping without an answer', async () => {
    const clock = new FakeClock();
    const silent = await startSilentServer();
    const client = createClient(silent.config, { clock, maxRetries: 0, pingAfterMs: 30_000, pingTimeoutMs: 15_000 });
    onTestFinished(() => client.close());
    const sending = client.core.v1.namespaces.get('default', { timeoutMs: 1e9 });
    const failed = expect(sending).rejects.toThrow('the peer did not answer a ping within 15000 ms');
    await silent.requested;
    for (let round = 0; round < 4; round++) await clock.advance(30_000);
    await failed;
  });

  test('Connections of a client of a client that is closed end, with what is under way on them', async () => {
    const { proxy, client } = await throughProxy();
    const watch = client.core.v1.endpoints.namespace('default').watch({ labelSelector: 'of=nothing' });
    const ended = expect(watch.next()).rejects.toThrow('the client was closed');
    await client.core.v1.namespaces.get('default');
    await client.close();
    await ended;
    await expect.poll(() => proxy.connections).toBe(0);
    await expect(client.core.v1.namespaces.get('default')).rejects.toThrow('the client was closed');
  });

  test('Connections of a client that are refused are tried again for a request of any kind', async () => {
    const { proxy, client } = await throughProxy({ clock: new FakeClock() });
    await proxy[Symbol.asyncDispose]();
    const attempts: (number | undefined)[] = [];
    const watched = shared.connect(
      { maxRetries: 2, observer: { answered: (_, status) => void attempts.push(status) } },
      { url: client.config.url },
    );
    await expect(watched.core.v1.namespaces.create({ metadata: { name: 'x' } })).rejects.toThrow(/ECONNREFUSED/);
    expect(attempts).toEqual([undefined, undefined, undefined]);
  });
});

/** An HTTP/2 server that answers nothing after its greeting: its process stands still. */
async function startSilentServer(
  greeting = emptySettings,
): Promise<{ config: ClientConfig; requested: Promise<void> }> {
  const now = new Date();
  const ca = createAuthority(caSubject, now);
  const { certificate, key } = createServing(ca, { dnsNames: ['localhost'], ipAddresses: ['127.0.0.1'] }, now);
  const sockets: tls.TLSSocket[] = [];
  let told: () => void;
  const requested = new Promise<void>((resolve) => (told = resolve));
  const server = tls.createServer({ cert: certificate, key, ALPNProtocols: ['h2'] }, (socket) => {
    sockets.push(socket);
    socket.on('error', () => undefined);
    socket.write(greeting);
    let bytes = 0;
    // Behind preface and settings there is a request.
    socket.on('data', (chunk: Buffer) => ((bytes += chunk.length) > 120 ? told() : undefined));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(async () => {
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => server.close(resolve));
  });
  return {
    config: { url: `https://127.0.0.1:${(server.address() as AddressInfo).port}`, ca: ca.certificate },
    requested,
  };
}

const emptySettings = Buffer.from([0, 0, 0, 4, 0, 0, 0, 0, 0]);

describe('a proxy', () => {
  test.each([
    { name: 'by CONNECT', start: () => startConnectProxy(), url: 'http://127.0.0.1:PORT', extra: '' },
    {
      name: 'by CONNECT, with credentials',
      start: () => startConnectProxy(),
      url: 'http://me:p%40w@127.0.0.1:PORT',
      extra: ` Basic ${Buffer.from('me:p@w').toString('base64')}`,
    },
    { name: 'by SOCKS5', start: () => startSocks5Proxy(), url: 'socks5://127.0.0.1:PORT', extra: '' },
    {
      name: 'by SOCKS5, with credentials',
      start: () => startSocks5Proxy('me:p@w'),
      url: 'socks5://me:p%40w@127.0.0.1:PORT',
      extra: '',
    },
  ])('A proxy carries the connections $name', async ({ start, url, extra }) => {
    await using proxy = await start();
    const client = shared.connect({}, { proxyUrl: url.replace('PORT', String(proxy.port)) });
    expect((await client.core.v1.namespaces.get('default')).metadata.name).toBe('default');
    expect(proxy.asked).toEqual([`127.0.0.1:${portOf(shared.server.url)}${extra}`]);
    await client.close();
  });

  test.each([
    { name: 'CONNECT is refused', start: () => startConnectProxy(407), url: 'http://127.0.0.1:PORT', message: '407' },
    {
      name: 'the password is wrong',
      start: () => startSocks5Proxy('me:right'),
      url: 'socks5://me:wrong@127.0.0.1:PORT',
      message: 'the SOCKS5 proxy refused user and password',
    },
  ])('A proxy says why there is no connection when $name', async ({ start, url, message }) => {
    await using proxy = await start();
    const client = shared.connect({ maxRetries: 0 }, { proxyUrl: url.replace('PORT', String(proxy.port)) });
    await expect(client.core.v1.namespaces.get('default')).rejects.toThrow(message);
    await client.close();
  });

  test('A proxy of another kind is refused when the client is made', () => {
    expect(() => createClient({ ...shared.config, proxyUrl: 'ftp://proxy' })).toThrow(
      'proxy-url "ftp://proxy": the scheme must be http, https or socks5',
    );
  });
});

describe('TLS', () => {
  test.each([
    { name: 'an authority that is unknown', config: { ca: createAuthority(caSubject, new Date()).certificate } },
    { name: 'another name than the one in the certificate', config: { serverName: 'other.example.com' } },
  ])('TLS refuses a server with $name', async ({ config }) => {
    const client = shared.connect({ maxRetries: 0 }, config);
    await expect(client.core.v1.namespaces.get('default')).rejects.toMatchObject({ name: 'ConnectionError' });
    const unverified = shared.connect({}, { ...config, skipVerify: true });
    expect((await unverified.core.v1.namespaces.get('default')).metadata.name).toBe('default');
  });

  test('A client over TLS checks the name that is configured instead of the address', async () => {
    const client = shared.connect({}, { serverName: 'localhost' });
    expect((await client.core.v1.namespaces.get('default')).metadata.name).toBe('default');
  });

  test('A client over TLS shows a new certificate on new connections once there is one', async () => {
    const now = new Date();
    const ca = createAuthority(caSubject, now);
    const { certificate, key } = createServing(ca, { dnsNames: ['localhost'], ipAddresses: ['127.0.0.1'] }, now);
    const serials: string[] = [];
    const server = http2.createSecureServer({ cert: certificate, key, ca: ca.certificate, requestCert: true });
    server.on('secureConnection', (socket) => serials.push(socket.getPeerCertificate().serialNumber));
    server.on('stream', (stream) => {
      stream.respond({ ':status': 200, 'content-type': 'application/json' });
      stream.end('{"kind":"Namespace","apiVersion":"v1"}');
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    let pair = createAdmin(ca, now);
    const client = createClient({
      url: `https://127.0.0.1:${(server.address() as AddressInfo).port}`,
      ca: ca.certificate,
      renewedPair: () => Promise.resolve(pair),
    });
    await client.core.v1.namespaces.get('a');
    await client.core.v1.namespaces.get('a');
    pair = createAdmin(ca, now);
    await client.core.v1.namespaces.get('a');
    expect(serials).toHaveLength(2);
    expect(new Set(serials).size).toBe(2);
    await client.close();
    await new Promise((resolve) => server.close(resolve));
  });
});

describe('a server that speaks HTTP/1.1 alone', () => {
  test('A server that speaks HTTP/1.1 alone is served the same', async () => {
    const paths: string[] = [];
    const server = http.createServer(({ url, method, headers }, response) => {
      paths.push(`${method} ${url} ${headers['impersonate-group']}`);
      if (url!.includes('watch')) {
        response.writeHead(200, { 'content-type': 'application/json' });
        response.write('{"type":"ADDED","object":{"kind":"Pod","apiVersion":"v1","metadata":{"name":"p"}}}\n');
        return;
      }
      response.writeHead(404, { 'content-type': 'application/json' });
      response.end('{"kind":"Status","apiVersion":"v1","reason":"NotFound","code":404}');
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { told, observer } = observed();
    const client = createClient(
      {
        url: `http://localhost:${(server.address() as AddressInfo).port}/below`,
        impersonate: { user: 'u', groups: ['a', 'b'] },
      },
      { observer },
    );
    const pods = client.core.v1.pods.namespace('n');
    await expect(pods.get('x')).rejects.toSatisfy(isNotFound);
    for await (const { object } of pods.watch()) {
      expect(object.metadata.name).toBe('p');
      break;
    }
    expect(paths[0]).toBe('GET /below/api/v1/namespaces/n/pods/x a, b');
    await client.close();
    expect([...new Set(told)]).toEqual(['opened', 'resolved localhost', 'received 66', 'closed']);
    await new Promise((resolve) => server.close(resolve));
  });
});

describe('users', () => {
  test('The client impersonates the users that it is configured with', async () => {
    const client = shared.connect({}, { impersonate: { user: 'jane', groups: ['devs'], extra: { scope: ['a'] } } });
    const review = await client.authentication.v1.selfsubjectreviews.create({});
    expect(review.status.userInfo).toMatchObject({
      username: 'jane',
      groups: ['devs', 'system:authenticated'],
      extra: { scope: ['a'] },
    });
  });

  test('Users with credentials that are unknown get 401', async () => {
    const client = shared.connect({}, { authorization: () => Promise.resolve('Bearer wrong') });
    await expect(client.core.v1.namespaces.get('default')).rejects.toSatisfy(isUnauthorized);
  });
});
