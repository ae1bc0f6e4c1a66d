import { createPrivateKey } from 'node:crypto';
import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import http2 from 'node:http2';
import https from 'node:https';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import type { TLSSocket } from 'node:tls';
import { Agent, request as undiciRequest } from 'undici';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { createCertificate, createKey } from '../../pki/certificate.ts';
import { caSubject, createAdmin, createAuthority, createServing, type KeyPair } from '../../pki/pki.ts';
import type { Address } from '../webhooks/service-resolver.ts';
import { type BackendRequest } from './backend-session.ts';
import { BackendConnections, type BackendIdentity } from './backend-connections.ts';

const serverName = 'agg.default.svc';
type Answer = (request: IncomingMessage, response: ServerResponse) => void;

let ca: KeyPair;
let other: KeyPair;
let serving: KeyPair;
let client: KeyPair;
beforeAll(() => {
  const now = new Date();
  [ca, other] = [createAuthority(caSubject, now), createAuthority(caSubject, now)];
  serving = createServing(ca, { dnsNames: [serverName], ipAddresses: [] }, now);
  client = createAdmin(ca, now);
});

/** A server that keeps count of what reaches it. */
async function startBackend(
  protocol: 'HTTP/2' | 'HTTP/1.1',
  answer: Answer = (_, response) => void response.end('ok'),
  pair = serving,
) {
  const tls = { cert: pair.certificate, key: pair.key, ca: ca.certificate, requestCert: true };
  const server =
    protocol === 'HTTP/2'
      ? http2.createSecureServer({ ...tls, rejectUnauthorized: false })
      : https.createServer({ ...tls, rejectUnauthorized: false });
  const [sockets, requests]: [TLSSocket[], IncomingMessage[]] = [[], []];
  server.on('secureConnection', (socket: TLSSocket) => void sockets.push(socket));
  server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    requests.push(request);
    answer(request, response);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.close();
    for (const socket of sockets) socket.destroy();
  });
  const address: Address = { host: '127.0.0.1', port: (server.address() as AddressInfo).port };
  return { address, sockets, requests, server };
}

function connect(identity: Partial<BackendIdentity> = {}): BackendConnections {
  const connections = new BackendConnections({
    serverName,
    ca: ca.certificate,
    skipVerify: false,
    client: undefined,
    ...identity,
  });
  onTestFinished(() => connections.destroy());
  return connections;
}

const get = (more: Partial<BackendRequest> = {}): BackendRequest => ({
  method: 'GET',
  target: '/apis/agg.example.com/v1/things?limit=1',
  headers: new Map(),
  body: undefined,
  signal: new AbortController().signal,
  ...more,
});

async function read(connections: BackendConnections, address: Address, request = get()): Promise<[number, string]> {
  const { status, body } = await connections.send(address, request);
  return [status, (await buffer(body)).toString()];
}

/** Names in lower case and values in turn, of those names. */
const rawOf = ({ rawHeaders }: IncomingMessage, ...names: string[]): string[] =>
  rawHeaders.filter((_, i) => names.includes(rawHeaders[i - (i % 2)]!.toLowerCase()));

describe.each([
  ['HTTP/2', '2.0'],
  ['HTTP/1.1', '1.1'],
] as const)('a request reaches a backend over %s', (protocol, version) => {
  test('The protocol is the one that the server chooses, with method, target and host', async () => {
    const { address, requests } = await startBackend(protocol);
    expect(await read(connect(), address)).toEqual([200, 'ok']);
    const [{ httpVersion, method, url, headers }] = requests as [IncomingMessage];
    const authority = `127.0.0.1:${address.port}`;
    expect([httpVersion, method, url, headers.host ?? headers[':authority']]).toEqual([
      version,
      'GET',
      '/apis/agg.example.com/v1/things?limit=1',
      authority,
    ]);
  });

  test('Repeated headers of a request stay apart, and so do those of its answer', async () => {
    const { address, requests } = await startBackend(protocol, (_, response) => {
      response.setHeader('warning', ['299 - "a, b"', '299 - "c"']);
      response.end();
    });
    const { headers } = await connect().send(
      address,
      get({ headers: new Map([['x-remote-group', ['devs', 'a, b']]]) }),
    );
    expect(rawOf(requests[0]!, 'x-remote-group')).toEqual(['x-remote-group', 'devs', 'x-remote-group', 'a, b']);
    expect(headers.get('warning')).toEqual(['299 - "a, b"', '299 - "c"']);
  });

  test('A connection serves one request after the other', async () => {
    const { address, requests, sockets } = await startBackend(protocol);
    const connections = connect();
    for (let i = 0; i < 3; i++) expect(await read(connections, address)).toEqual([200, 'ok']);
    expect([requests.length, sockets.length]).toEqual([3, 1]);
  });

  test.each([
    ['GET', 3],
    ['HEAD', 3],
    ['OPTIONS', 3],
    ['DELETE', 2],
    ['POST', 2],
  ])(
    'A request to a backend by %s on a connection that had served before and broke is sent %i times in all',
    async (method, count) => {
      const { address, requests } = await startBackend(protocol, ({ socket }, response) => {
        if (requests.length === 2) socket.destroy();
        else response.end('ok');
      });
      const connections = connect();
      await read(connections, address);
      const again = read(connections, address, get({ method })).then(
        ([status]) => status,
        () => 'failed',
      );
      expect(await again).toBe(count === 3 ? 200 : 'failed');
      expect(requests).toHaveLength(count);
    },
  );

  test('A request on a new connection that breaks is not sent again', async () => {
    const { address, requests } = await startBackend(protocol, ({ socket }) => void socket.destroy());
    await expect(read(connect(), address)).rejects.toMatchObject({ code: 'ECONNRESET' });
    expect(requests).toHaveLength(1);
  });

  test('What is under way ends with the signal, with its reason', async () => {
    const { address, requests, server } = await startBackend(protocol, () => undefined);
    const controller = new AbortController();
    const asked = read(connect(), address, get({ signal: controller.signal }));
    if (requests.length === 0) await once(server, 'request');
    controller.abort(new Error('the client is gone'));
    await expect(asked).rejects.toThrow('the client is gone');
  });

  test('Connections that are retired end what is under way as it may, and close', async () => {
    const waiting: ServerResponse[] = [];
    const { address, server, sockets } = await startBackend(protocol, (_, response) => void waiting.push(response));
    const connections = connect();
    const asked = read(connections, address);
    if (waiting.length === 0) await once(server, 'request');
    const closed = once(sockets[0]!, 'close');
    connections.retire();
    waiting[0]!.end('late');
    expect(await asked).toEqual([200, 'late']);
    await closed;
  });

  test.each([
    ['shows the client certificate', true, 'orch-admin'],
    ['shows none where there is none', false, undefined],
  ])('The connection to a backend %s', async (_, shows, name) => {
    const { address, sockets } = await startBackend(protocol);
    await read(connect(shows ? { client } : {}), address);
    expect(sockets[0]!.getPeerCertificate().subject?.CN).toBe(name);
  });
});

test.each(['GET', 'POST'])('%s on a stream that is refused is sent once more, and no more', async (method) => {
  const { address, requests } = await startBackend('HTTP/2', (request) =>
    (request as unknown as http2.Http2ServerRequest).stream.close(http2.constants.NGHTTP2_REFUSED_STREAM),
  );
  await expect(read(connect(), address, get({ method }))).rejects.toThrow();
  expect(requests).toHaveLength(2);
});

test('undici joins repeated headers over HTTP/2, which is why aggregation has clients of its own', async () => {
  const { address, requests } = await startBackend('HTTP/2', (_, response) => {
    response.setHeader('warning', ['299 - "a, b"', '299 - "c"']);
    response.end();
  });
  const dispatcher = new Agent({ allowH2: true, connect: { rejectUnauthorized: false } });
  onTestFinished(() => dispatcher.destroy());
  const { headers } = await undiciRequest(`https://127.0.0.1:${address.port}/`, {
    dispatcher,
    headers: { 'x-remote-group': ['devs', 'a, b'] },
  });
  expect([rawOf(requests[0]!, 'x-remote-group'), headers['warning']]).toEqual([
    ['x-remote-group', 'devs, a, b'],
    '299 - "a, b", 299 - "c"',
  ]);
});

describe('a server that is not the one that it should be', () => {
  test.each([
    [
      'has a certificate for another name',
      () => ({ serverName: 'other.default.svc' }),
      'certificate is valid for agg.default.svc, not other.default.svc',
    ],
    ['is not vouched for by the authority', () => ({ ca: other.certificate }), /self-signed certificate|unable to/],
  ])('A server that is not the one that it should be is sent nothing: it %s', async (_, identity, message) => {
    const { address, requests } = await startBackend('HTTP/2');
    await expect(read(connect(identity()), address)).rejects.toThrow(message);
    expect(requests).toEqual([]);
  });

  test('A server whose name is only the common name of its certificate is sent nothing', async () => {
    const now = new Date();
    const key = createKey();
    const certificate = createCertificate({
      subject: { commonName: serverName },
      use: 'server',
      key,
      issuer: { subject: caSubject, key: createPrivateKey(ca.key) },
      notBefore: now,
      notAfter: new Date(now.getTime() + 3_600_000),
    });
    const pair = { certificate, key: key.export({ type: 'pkcs8', format: 'pem' }) as string };
    const { address, requests } = await startBackend('HTTP/2', undefined, pair);
    await expect(read(connect(), address)).rejects.toThrow('certificate relies on legacy Common Name field');
    expect(requests).toEqual([]);
  });

  test('A server that is not the one that it should be is asked all the same where nothing is verified', async () => {
    const { address } = await startBackend('HTTP/2');
    expect(
      await read(connect({ serverName: 'other.default.svc', ca: other.certificate, skipVerify: true }), address),
    ).toEqual([200, 'ok']);
  });
});

describe('a request for another protocol', () => {
  const wish = get({
    headers: new Map([
      ['connection', ['Upgrade']],
      ['upgrade', ['echo']],
    ]),
  });

  test('A request for another protocol has a connection of its own once the server agrees', async () => {
    const { address, server, sockets } = await startBackend('HTTP/1.1');
    server.on('upgrade', (_request: IncomingMessage, socket: TLSSocket) => {
      socket.write('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: echo\r\n\r\nfirst ');
      socket.pipe(socket);
    });
    const connections = connect();
    await read(connections, address);
    const answer = await connections.upgrade(address, wish);
    if (!('connection' in answer)) throw new Error('not upgraded');
    expect([answer.status, answer.headers.get('upgrade')]).toEqual([101, ['echo']]);
    answer.connection.end('second');
    expect((await buffer(answer.connection)).toString()).toBe('first second');
    expect(sockets).toHaveLength(2);
  });

  test('A request for another protocol is answered like any other where the server does not agree', async () => {
    const { address } = await startBackend('HTTP/1.1', (_, response) => void response.writeHead(403).end('no'));
    const answer = await connect().upgrade(address, wish);
    if (!('body' in answer)) throw new Error('upgraded');
    expect([answer.status, (await buffer(answer.body)).toString()]).toEqual([403, 'no']);
  });
});
