import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import http from 'node:http';
import https from 'node:https';
import net from 'node:net';
import { readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Duplex } from 'node:stream';
import type { TLSSocket } from 'node:tls';
import { afterEach, beforeAll, describe, expect, test } from 'vitest';
import { createTestCertificates, type TestCertificates } from '../../../test/support/certificates.ts';
import type { Tunnel } from './configuration.ts';
import { createEgress, type DialObservation } from './dialers.ts';

let certificates: TestCertificates;
let directory: string;
let echoPort: number;
const opened: (() => unknown)[] = [];

beforeAll(async () => {
  certificates = await createTestCertificates();
  directory = await mkdtemp(path.join(tmpdir(), 'orch-tunnel-'));
  const echo = net.createServer((socket) => void socket.on('error', () => undefined).pipe(socket));
  echo.listen(0, '127.0.0.1');
  await once(echo, 'listening');
  echoPort = (echo.address() as net.AddressInfo).port;
  return async () => {
    echo.close();
    await certificates[Symbol.asyncDispose]();
    await rm(directory, { recursive: true });
  };
});
afterEach(async () => {
  for (const close of opened.splice(0).reverse()) await close();
});

type OnConnect = (request: http.IncomingMessage, socket: Duplex) => void;

/** Does what a proxy does. */
const connecting: OnConnect = ({ url = '' }, socket) => {
  const target = net.connect(Number(url.split(':').at(-1)), '127.0.0.1');
  socket.write('HTTP/1.1 200 OK\r\n\r\n');
  target.on('error', () => socket.destroy()).on('close', () => socket.destroy());
  socket.on('error', () => target.destroy()).on('close', () => target.destroy());
  socket.pipe(target).pipe(socket);
};

async function listen(server: http.Server | https.Server, at: number | string, onConnect: OnConnect): Promise<void> {
  const sockets = new Set<Duplex>();
  server.on('connection', (socket: net.Socket) => sockets.add(socket.on('error', () => undefined)));
  server.on('connect', onConnect);
  if (typeof at === 'number') server.listen(at, '127.0.0.1');
  else server.listen(at);
  await once(server, 'listening');
  opened.push(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
}

async function overTls(onConnect: OnConnect = connecting): Promise<Tunnel> {
  const { caFile, server: files, client } = certificates;
  const [ca, cert, key] = [caFile, files.certFile, files.keyFile].map((file) => readFileSync(file));
  const server = https.createServer({ ca, cert, key, requestCert: true, rejectUnauthorized: true });
  await listen(server, 0, onConnect);
  const url = `https://127.0.0.1:${(server.address() as net.AddressInfo).port}`;
  return {
    protocol: 'http_connect',
    transport: 'tcp',
    url,
    tls: { caFile, certFile: client.certFile, keyFile: client.keyFile },
  };
}

async function plain(onConnect: OnConnect = connecting): Promise<Tunnel> {
  const server = http.createServer();
  await listen(server, 0, onConnect);
  return {
    protocol: 'http_connect',
    transport: 'tcp',
    url: `http://127.0.0.1:${(server.address() as net.AddressInfo).port}`,
  };
}

async function overSocket(onConnect: OnConnect = connecting): Promise<Tunnel> {
  const at = path.join(directory, 'proxy.sock');
  await listen(http.createServer(), at, onConnect);
  return { protocol: 'http_connect', transport: 'uds', path: at };
}

const observed: DialObservation[] = [];

async function dial(tunnel: Tunnel, signal = new AbortController().signal, host = '127.0.0.1'): Promise<Duplex> {
  const egress = createEgress({ cluster: tunnel });
  observed.length = 0;
  egress.observe = (observation) => observed.push(observation);
  const socket = await egress.dialers.cluster!({ host, port: echoPort }, signal);
  opened.push(() => socket.destroy());
  return socket;
}

const failureOf = (promise: Promise<unknown>): Promise<string> =>
  promise.then(
    () => 'connected',
    (error: unknown) => (error as Error).message,
  );

test.each([
  { name: 'TLS with a client certificate', open: overTls, transport: 'tcp' },
  { name: 'TCP', open: plain, transport: 'tcp' },
  { name: 'a unix socket', open: overSocket, transport: 'uds' },
])('Bytes go both ways through a proxy over $name', async ({ open, transport }) => {
  const asked: unknown[] = [];
  const tunnel = await open((request, socket) => {
    const certificate =
      socket instanceof net.Socket ? (socket as Partial<TLSSocket>).getPeerCertificate?.() : undefined;
    asked.push([request.url, certificate?.subject.CN]);
    connecting(request, socket);
  });
  const socket = await dial(tunnel);
  socket.write('hello');
  expect(String((await once(socket, 'data'))[0])).toBe('hello');
  expect(asked).toEqual([[`127.0.0.1:${echoPort}`, 'tls' in tunnel ? 'orch-admin' : undefined]]);
  expect(observed.map(({ event }) => event)).toEqual(['started', 'dialed']);
  expect(observed[0]).toMatchObject({ protocol: 'http_connect', transport });
});

test('An IPv6 address is written in brackets', async () => {
  const asked: unknown[] = [];
  await dial(
    await plain((request, socket) => {
      asked.push(request.url);
      connecting(request, socket);
    }),
    undefined,
    '::1',
  );
  expect(asked).toEqual([`[::1]:${echoPort}`]);
});

test('Bytes that come together with the answer of the proxy are not lost', async () => {
  const socket = await dial(await plain((_, client) => void client.write('HTTP/1.1 200 OK\r\n\r\nhead of it')));
  expect(String((await once(socket, 'data'))[0])).toBe('head of it');
});

describe('a proxy that does not do what it should', () => {
  test.each<{ name: string; onConnect: OnConnect; failure: RegExp }>([
    {
      name: 'refuses',
      onConnect: (_, socket) => void socket.end('HTTP/1.1 403 Forbidden\r\ncontent-length: 0\r\n\r\n'),
      failure: /^the proxy http:\/\/127\.0\.0\.1:\d+ refused the connection to 127\.0\.0\.1:\d+: 403$/,
    },
    {
      name: 'closes the connection',
      onConnect: (_, socket) => void socket.destroy(),
      failure: /socket hang up|closed the connection|ECONNRESET/,
    },
    {
      name: 'sends something else than HTTP',
      onConnect: (_, socket) => void socket.write('SSH-2.0-proxy\r\n'),
      failure: /Parse Error/,
    },
    {
      name: 'sends a head without end',
      onConnect: (_, socket) => void socket.write(`HTTP/1.1 200 OK\r\nx: ${'y'.repeat(1_000_000)}`),
      failure: /Header overflow/,
    },
  ])('A dial is refused when the proxy $name', async ({ onConnect, failure }) => {
    expect(await failureOf(dial(await plain(onConnect)))).toMatch(failure);
    expect(observed.at(-1)).toEqual({ protocol: 'http_connect', transport: 'tcp', event: 'failed', stage: 'proxy' });
  });

  test('A dial without an answer ends with its signal, and so does its connection', async () => {
    const controller = new AbortController();
    const closed: Promise<unknown>[] = [];
    const tunnel = await plain((_, socket) => {
      closed.push(once(socket.resume(), 'end'));
      controller.abort(new Error('given up'));
    });
    expect(await failureOf(dial(tunnel, controller.signal))).toMatch(/given up|aborted/);
    await Promise.all(closed);
  });

  test('A proxy with a certificate of another authority is not asked', async () => {
    await using others = await createTestCertificates();
    const tunnel = (await overTls()) as Extract<Tunnel, { url: string }>;
    const failure = await failureOf(dial({ ...tunnel, tls: { ...tunnel.tls!, caFile: others.caFile } }));
    expect(failure).toMatch(/certificate/);
    expect(observed.at(-1)).toMatchObject({ event: 'failed', stage: 'connect' });
  });
});
