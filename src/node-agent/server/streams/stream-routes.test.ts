import { once } from 'node:events';
import http from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import tls from 'node:tls';
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import type { Pod } from '../../../api/gen/types/core-v1.ts';
import { fixedText } from '../../../base/reloadable-file.ts';
import { createSelfSigned } from '../../../pki/pki.ts';
import { listen, type Transport } from '../../../server/listener.ts';
import { handlerOf, routesOf } from '../testing/served-node.ts';

const pod: Pod = {
  metadata: { name: 'p', namespace: 'n', uid: 'u' },
  spec: { containers: [{ name: 'main', image: 'i', resources: {}, tty: true }] },
  status: {},
};

const pair = createSelfSigned('node', { dnsNames: ['localhost'], ipAddresses: ['127.0.0.1'] }, new Date());
let runtimeServer: http.Server;
let agent: Transport;
let asked: unknown[];
let reached: { url: string | undefined; headers: http.IncomingHttpHeaders }[];
let streams: Socket[];
let streamUrl: string | undefined;

beforeAll(async () => {
  runtimeServer = http.createServer((_, response) => void response.writeHead(403).end('token is over'));
  runtimeServer.on('upgrade', ({ url, headers }, socket: Socket) => {
    reached.push({ url, headers });
    streams.push(socket);
    socket.on('error', () => undefined);
    socket.write('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: SPDY/3.1\r\n\r\nhello ');
    socket.pipe(socket);
  });
  runtimeServer.listen(0, '127.0.0.1');
  await once(runtimeServer, 'listening');
  const note = (what: string) => (request: object) => {
    asked.push([what, request]);
    const { port } = runtimeServer.address() as AddressInfo;
    return Promise.resolve({ url: streamUrl ?? `http://127.0.0.1:${port}/${what}/token` });
  };
  agent = await listen({
    address: '127.0.0.1',
    port: 0,
    maxStreamsPerConnection: 0,
    tls: {
      certificate: fixedText(pair.certificate),
      key: fixedText(pair.key),
      named: [],
      clientAuthorities: undefined,
      cipherSuites: [],
      minVersion: 'TLSv1.2',
      withoutHttp2: false,
    },
    handle: handlerOf(
      routesOf([pod], {
        exec: note('exec'),
        attach: note('attach'),
        portForward: note('portForward'),
        listContainers: () => Promise.resolve({ containers: [{ id: 'c' }] }),
        listPodSandbox: () => Promise.resolve({ items: [{ id: 's' }] }),
      }),
    ),
  });
});

afterAll(async () => {
  await agent.close(0);
  runtimeServer.closeAllConnections();
  runtimeServer.close();
});

beforeEach(() => {
  [asked, reached, streams, streamUrl] = [[], [], [], undefined];
});

/** A client that asks for SPDY by hand. */
async function upgrade(target: string, headers = 'Connection: Upgrade\r\nUpgrade: SPDY/3.1\r\n') {
  const socket = tls.connect({ port: agent.port, host: '127.0.0.1', rejectUnauthorized: false });
  let text = '';
  socket.on('data', (chunk: Buffer) => void (text += chunk.toString()));
  socket.on('error', () => undefined);
  await once(socket, 'secureConnect');
  socket.write(`POST ${target} HTTP/1.1\r\nHost: node\r\nAuthorization: Bearer secret\r\n${headers}\r\n`);
  return { socket, text: () => text, until: (part: string) => vi.waitFor(() => expect(text).toContain(part)) };
}

describe('Streams of a node', () => {
  test.each<{ name: string; target: string; call: unknown; path: string }>([
    {
      name: 'A command',
      target: '/exec/n/p/main?command=sh&command=-c&command=a%20b&input=1&output=1&error=1',
      call: [
        'exec',
        { containerId: 'c', cmd: ['sh', '-c', 'a b'], stdin: true, stdout: true, stderr: true, tty: false },
      ],
      path: '/exec/token',
    },
    {
      name: 'A command with a terminal, whose output is one stream,',
      target: '/exec/n/p/u/main?command=sh&output=1&error=1&tty=1',
      call: ['exec', { containerId: 'c', cmd: ['sh'], stdin: false, stdout: true, stderr: false, tty: true }],
      path: '/exec/token',
    },
    {
      name: 'An attached container',
      target: '/attach/n/p/main?output=1',
      call: ['attach', { containerId: 'c', stdin: false, stdout: true, stderr: false, tty: true }],
      path: '/attach/token',
    },
    {
      name: 'A forwarded port',
      target: '/portForward/n/p?port=80',
      call: ['portForward', { podSandboxId: 's', port: [80] }],
      path: '/portForward/token',
    },
  ])('$name is handed on to the runtime, in both directions', async ({ target, call, path }) => {
    const client = await upgrade(target);
    await client.until('hello ');
    expect(client.text()).toMatch(/^HTTP\/1\.1 101 Switching Protocols\r\n/);
    expect(client.text().toLowerCase()).toContain('upgrade: spdy/3.1');
    client.socket.write('ping');
    await client.until('hello ping');
    expect(asked).toEqual([call]);
    expect(reached[0]!.url).toBe(path);
    expect(reached[0]!.headers).not.toHaveProperty('authorization');
    client.socket.destroy();
    await vi.waitFor(() => expect(streams[0]!.destroyed).toBe(true));
  });

  test('A stream that the runtime ends is ended for the client', async () => {
    const client = await upgrade('/exec/n/p/main?command=x&output=1');
    await client.until('hello ');
    const closed = once(client.socket, 'close');
    streams[0]!.end('bye');
    await closed;
    expect(client.text()).toMatch(/hello bye$/);
  });

  test('What the runtime says in place of a stream is the answer', async () => {
    runtimeServer.removeAllListeners('upgrade');
    const client = await upgrade('/exec/n/p/main?command=x&output=1');
    await client.until('token is over');
    expect(client.text()).toMatch(/^HTTP\/1\.1 403 /);
    client.socket.destroy();
  });

  test.each([
    { name: 'no URL', url: 'nonsense', status: 500, text: 'the container runtime gave no URL of a stream server' },
    { name: 'a file', url: 'file:///etc/passwd', status: 500, text: 'the container runtime gave no URL' },
    { name: 'a server that is not there', url: 'http://127.0.0.1:1/', status: 502, text: 'does not answer' },
  ])('A runtime that names $name is an error of its request', async ({ url, status, text }) => {
    streamUrl = url;
    const client = await upgrade('/exec/n/p/main?command=x&output=1');
    await client.until(text);
    expect(client.text()).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
    client.socket.destroy();
  });

  test.each([
    { target: '/portForward/n/p?port=0', text: 'unable to parse "0" as a port' },
    { target: '/portForward/n/p?port=x', text: 'unable to parse "x" as a port' },
  ])('$target is refused', async ({ target, text }) => {
    const client = await upgrade(target);
    await client.until(text);
    client.socket.destroy();
  });
});
