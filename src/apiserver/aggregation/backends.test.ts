import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import http2 from 'node:http2';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import type { TLSSocket } from 'node:tls';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { isPair } from '../../base/key-pair.ts';
import type { ReloadableText } from '../../base/reloadable-file.ts';
import { caSubject, createAdmin, createAuthority, createServing, type KeyPair } from '../../pki/pki.ts';
import type { Address } from '../webhooks/service-resolver.ts';
import { Backends, type BackendCall, type ClientPair, urlOf } from './backends.ts';
import type { RemoteApi } from './remote-api.ts';

let [ca, other, serving]: KeyPair[] = [];
beforeAll(() => {
  const now = new Date();
  [ca, other] = [createAuthority(caSubject, now), createAuthority(caSubject, now)];
  serving = createServing(ca, { dnsNames: ['agg.default.svc'], ipAddresses: [] }, now);
});

/** A server that keeps its connections, and the serial numbers of the certificates of its clients. */
async function startBackend() {
  const [sockets, clients]: [TLSSocket[], (string | undefined)[]] = [[], []];
  const server = http2.createSecureServer(
    {
      cert: serving!.certificate,
      key: serving!.key,
      ca: ca!.certificate,
      requestCert: true,
      rejectUnauthorized: false,
    },
    (_request: unknown, response: unknown) => void (response as ServerResponse<IncomingMessage>).end('ok'),
  );
  server.on('secureConnection', (socket: TLSSocket) => {
    sockets.push(socket);
    clients.push(socket.getPeerX509Certificate()?.serialNumber);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.close();
    for (const socket of sockets) socket.destroy();
  });
  const address: Address = { host: '127.0.0.1', port: (server.address() as AddressInfo).port };
  return { address, sockets, clients };
}

/** A text that the test replaces. */
class TestText implements ReloadableText {
  readonly listeners = new Set<() => void>();
  #text: string;

  constructor(text: string) {
    this.#text = text;
  }

  get(): string {
    return this.#text;
  }

  onChange(listener: () => void): () => void {
    this.listeners.add(listener);
    return () => void this.listeners.delete(listener);
  }

  put(text: string): void {
    this.#text = text;
    for (const listener of this.listeners) listener();
  }
}

function open(client?: ClientPair): Backends {
  const backends = new Backends(client, isPair);
  onTestFinished(() => backends.close());
  return backends;
}

const api = (more: Partial<RemoteApi> = {}): RemoteApi => ({
  name: 'v1.agg.example.com',
  group: 'agg.example.com',
  version: 'v1',
  apiVersion: 'agg.example.com/v1',
  groupPriority: 100,
  versionPriority: 10,
  service: { namespace: 'default', name: 'agg', port: 443 },
  ca: ca!.certificate,
  skipVerify: false,
  isAvailable: true,
  ...more,
});

const call = (): BackendCall => ({
  method: 'GET',
  target: '/apis',
  headers: new Map(),
  signal: new AbortController().signal,
});

async function ask(backends: Backends, address: Address, of = api()): Promise<string> {
  return (await buffer((await backends.send(of, address, call())).body)).toString();
}

describe('a server behind an APIService', () => {
  test.each<{ name: string; more: () => Partial<RemoteApi>; answer: string | RegExp }>([
    { name: 'is asked where its authority vouches for its name', more: () => ({}), answer: 'ok' },
    {
      name: 'is refused where the name is that of another service',
      more: () => ({ service: { namespace: 'default', name: 'other', port: 443 } }),
      answer: /not other\.default\.svc/,
    },
    {
      name: 'is refused where the authority is another one',
      more: () => ({ ca: other!.certificate }),
      answer: /certificate|signature/,
    },
    {
      name: 'is asked where nothing is to be verified',
      more: () => ({ ca: other!.certificate, skipVerify: true }),
      answer: 'ok',
    },
  ])('A server behind an APIService: $name', async ({ more, answer }) => {
    const { address } = await startBackend();
    const asked = await ask(open(), address, api(more())).catch((error: Error) => error.message);
    expect(asked).toMatch(answer);
  });

  test('A server behind an APIService is checked without verifying its certificate', async () => {
    const { address } = await startBackend();
    const { status } = await open().check(api({ ca: other!.certificate }), address, call());
    expect(status).toBe(200);
  });
});

describe('connections to a server', () => {
  test('Connections to a server are shared by requests of APIs that know it alike, and by no others', async () => {
    const { address, sockets } = await startBackend();
    const backends = open();
    await ask(backends, address);
    await ask(backends, address, api({ name: 'v2.agg.example.com', version: 'v2' }));
    expect(sockets).toHaveLength(1);
    await ask(backends, address, api({ skipVerify: true }));
    expect(sockets).toHaveLength(2);
  });

  test('Connections to a server end when no API needs them any more, and stay while one does', async () => {
    const { address, sockets } = await startBackend();
    const backends = open();
    await ask(backends, address);
    backends.keepOnly([api({ name: 'v2.agg.example.com' })]);
    await ask(backends, address);
    expect(sockets).toHaveLength(1);
    const closed = once(sockets[0]!, 'close');
    backends.keepOnly([api({ ca: other!.certificate })]);
    await closed;
    await ask(backends, address);
    expect(sockets).toHaveLength(2);
  });

  test('Connections to a server of availability checks stay while an API needs them', async () => {
    const { address, sockets } = await startBackend();
    const backends = open();
    const check = async () => buffer((await backends.check(api(), address, call())).body);
    await check();
    backends.keepOnly([api()]);
    await check();
    expect(sockets).toHaveLength(1);
  });
});

describe('the certificate of this server', () => {
  test('The front proxy certificate is the new one when both texts are replaced, else the old one', async () => {
    const { address, clients } = await startBackend();
    const [first, second] = [createAdmin(ca!, new Date()), createAdmin(ca!, new Date())];
    const client = { certificate: new TestText(first.certificate), key: new TestText(first.key) };
    const backends = open(client);
    await ask(backends, address);
    client.certificate.put(second.certificate);
    await ask(backends, address);
    const before = [...clients];
    client.key.put(second.key);
    await ask(backends, address);
    expect(before).toHaveLength(1);
    expect(clients).toHaveLength(2);
    expect(new Set([undefined, ...clients]).size).toBe(3);
  });

  test('The certificate of this server is followed until the connections are closed', () => {
    const pair = createAdmin(ca!, new Date());
    const client = { certificate: new TestText(pair.certificate), key: new TestText(pair.key) };
    const backends = new Backends(client, isPair);
    const listeners = () => client.certificate.listeners.size + client.key.listeners.size;
    expect(listeners()).toBe(2);
    backends.close();
    expect(listeners()).toBe(0);
  });
});

test.each([
  { address: { host: '10.0.0.1', port: 443 }, url: 'https://10.0.0.1:443/a' },
  { address: { host: 'fd00::1', port: 443 }, url: 'https://[fd00::1]:443/a' },
])('The URL of a path at $address.host is $url', ({ address, url }) => expect(urlOf(address, '/a')).toBe(url));
