import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import net from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Duplex } from 'node:stream';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import {
  startTunnelServer,
  type TunnelPacket,
  type TunnelServer,
  type TunnelStream,
} from '../../../test/support/tunnel-server.ts';
import { createEgress, type DialObservation } from './dialers.ts';

let directory: string;
let socketPath: string;
const opened: (() => unknown)[] = [];
const observed: DialObservation[] = [];

beforeEach(async () => {
  directory = await mkdtemp(path.join(tmpdir(), 'orch-tunnel-'));
  socketPath = path.join(directory, 'tunnel.sock');
  observed.length = 0;
});
afterEach(async () => {
  for (const close of opened.splice(0).reverse()) await close();
  await rm(directory, { recursive: true });
});

async function tunnelServer(options: Parameters<typeof startTunnelServer>[1] = {}): Promise<TunnelServer> {
  const server = await startTunnelServer(socketPath, options);
  opened.push(() => server[Symbol.asyncDispose]());
  return server;
}

async function listen(serve: (socket: net.Socket) => void): Promise<number> {
  const server = net.createServer((socket) => {
    socket.on('error', () => undefined);
    serve(socket);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  opened.push(() => server.close());
  return (server.address() as net.AddressInfo).port;
}

async function dial(port: number, host = '127.0.0.1', signal = new AbortController().signal): Promise<Duplex> {
  const egress = createEgress({ cluster: { protocol: 'grpc', transport: 'uds', path: socketPath } });
  egress.observe = (observation) => observed.push(observation);
  const socket = await egress.dialers.cluster!({ host, port }, signal);
  socket.on('error', () => undefined);
  opened.push(() => socket.destroy());
  return socket;
}

const refusalOf = (promise: Promise<unknown>): Promise<string> =>
  promise.then(
    () => 'connected',
    (error: unknown) => (error as Error).message,
  );

test('Bytes go both ways through the tunnel, and more than its windows hold', async () => {
  const server = await tunnelServer();
  const port = await listen((socket) => socket.pipe(socket));
  const socket = await dial(port);
  const sent = randomBytes(3_000_000);
  socket.write(sent);
  const hash = createHash('sha256');
  let bytes = 0;
  for await (const piece of socket as AsyncIterable<Buffer>) {
    hash.update(piece);
    bytes += piece.length;
    if (bytes === sent.length) break;
  }
  expect(hash.digest('hex')).toBe(createHash('sha256').update(sent).digest('hex'));
  expect(server.asked).toEqual([`127.0.0.1:${port}`]);
  expect(observed).toEqual([
    { protocol: 'grpc', transport: 'uds', event: 'started' },
    { protocol: 'grpc', transport: 'uds', event: 'dialed', seconds: expect.any(Number) as number },
  ]);
});

test('The end of the connection behind the tunnel is the end of what is read', async () => {
  await tunnelServer();
  const socket = await dial(await listen((accepted) => accepted.end('bye')));
  const pieces: Buffer[] = [];
  for await (const piece of socket as AsyncIterable<Buffer>) pieces.push(piece);
  expect(Buffer.concat(pieces).toString()).toBe('bye');
});

test('A connection that is closed here closes the one behind the tunnel', async () => {
  const server = await tunnelServer();
  const { promise, resolve } = withResolvers();
  const socket = await dial(await listen((accepted) => accepted.resume().once('close', resolve)));
  socket.destroy();
  await promise;
  expect(server.received).toEqual(['DIAL_REQ', 'CLOSE_REQ']);
});

test('What is not read is held up at its source: no more is kept than the window', async () => {
  let written = 0;
  await tunnelServer({
    serve(stream, packet) {
      if (packet.dialRequest === undefined) return;
      stream.write({ type: 'DIAL_RSP', dialResponse: { connectID: '1', random: packet.dialRequest.random } });
      const fill = (): void => {
        while (written < 64 * 1024 * 1024) {
          written += 65_536;
          if (!stream.write({ type: 'DATA', data: { connectID: '1', data: Buffer.alloc(65_536) } })) return;
        }
      };
      stream.on('drain', fill);
      fill();
    },
  });
  const socket = await dial(1);
  await once(socket, 'readable');
  // Rounds of the event loop in which an unbounded reader would have taken all of it.
  for (let i = 0; i < 200; i++) await new Promise((resolve) => setImmediate(resolve));
  expect(written).toBeLessThan(4 * 1024 * 1024);
});

describe('a tunnel server that does not do what it should', () => {
  const answer = (stream: TunnelStream, { dialRequest }: TunnelPacket, more: object = {}): void => {
    if (dialRequest !== undefined)
      stream.write({
        type: 'DIAL_RSP',
        dialResponse: { connectID: '1', random: dialRequest.random, ...more },
      });
  };

  test.each<{
    name: string;
    serve: (stream: TunnelStream, packet: TunnelPacket) => void;
    refusal: RegExp;
    stage?: string;
  }>([
    {
      name: 'refuses',
      serve: (stream, packet) => answer(stream, packet, { error: 'no route to host' }),
      refusal: /^the tunnel server could not connect: no route to host$/,
    },
    {
      name: 'closes the dial',
      serve: (stream, { dialRequest }) =>
        stream.write({ type: 'DIAL_CLS', closeDial: { random: dialRequest!.random } }),
      refusal: /^the tunnel server closed the dial$/,
    },
    {
      name: 'ends the stream in place of an answer',
      serve: (stream) => stream.end(),
      refusal: /^the tunnel server ended the tunnel$/,
    },
    {
      name: 'breaks the stream off in place of an answer',
      serve: (stream) => stream.emit('error', { code: 13, details: 'broken' }),
      refusal: /broken/,
    },
    {
      name: 'answers with a packet that is larger than a packet may be',
      serve: (stream) => stream.write({ type: 'DATA', data: { connectID: '1', data: Buffer.alloc(5_000_000) } }),
      refusal: /more than the limit of 4194304/,
    },
  ])('A dial is refused when the tunnel server $name', async ({ serve, refusal }) => {
    await tunnelServer({ serve });
    expect(await refusalOf(dial(1))).toMatch(refusal);
    expect(observed.at(-1)).toEqual({ protocol: 'grpc', transport: 'uds', event: 'failed', stage: 'proxy' });
  });

  test('A dial without an answer ends with its signal, and tells the tunnel server', async () => {
    const controller = new AbortController();
    const told = withResolvers();
    await tunnelServer({
      serve(_, packet) {
        if (packet.type === 'DIAL_CLS') told.resolve();
        else controller.abort(new Error('given up'));
      },
    });
    expect(await refusalOf(dial(1, '127.0.0.1', controller.signal))).toBe('given up');
    await told.promise;
  });

  test('A dial where nothing listens fails at the stage before', async () => {
    expect(await refusalOf(dial(1))).toContain('ENOENT');
    expect(observed.at(-1)).toMatchObject({ event: 'failed', stage: 'connect' });
  });

  test('Packets for other dials and connections, and data before the answer, are ignored', async () => {
    await tunnelServer({
      serve(stream, packet) {
        if (packet.dialRequest === undefined) return;
        stream.write({ type: 'DATA', data: { connectID: '1', data: Buffer.from('early') } });
        stream.write({ type: 'DIAL_RSP', dialResponse: { error: 'of another', random: '5' } });
        answer(stream, packet);
        answer(stream, packet, { connectID: '2' });
        stream.write({ type: 'DATA', data: { connectID: '2', data: Buffer.from('foreign') } });
        stream.write({ type: 'CLOSE_RSP', closeResponse: { connectID: '2' } });
        stream.write({ type: 'DRAIN' });
        stream.write({ type: 'DATA', data: { connectID: '1', data: Buffer.from('own') } });
        stream.write({ type: 'CLOSE_RSP', closeResponse: { connectID: '1' } });
      },
    });
    const pieces: Buffer[] = [];
    for await (const piece of (await dial(1)) as AsyncIterable<Buffer>) pieces.push(piece);
    expect(Buffer.concat(pieces).toString()).toBe('own');
  });

  test('A tunnel that breaks off is an error of its connection, and of no other', async () => {
    const streams: TunnelStream[] = [];
    await tunnelServer({
      serve(stream, packet) {
        if (packet.dialRequest !== undefined) streams.push(stream);
        answer(stream, packet);
        if (packet.data !== undefined)
          stream.write({ type: 'DATA', data: { connectID: '1', data: Buffer.from('still here') } });
      },
    });
    const [broken, other] = [await dial(1), await dial(2)];
    const failure = new Promise((resolve) => broken.once('error', resolve));
    streams[0]!.end();
    expect(await failure).toMatchObject({ message: 'the tunnel server ended the tunnel', code: 'ECONNRESET' });
    other.write('hello');
    expect(String((await once(other, 'data'))[0])).toBe('still here');
  });
});

function withResolvers(): { readonly promise: Promise<void>; readonly resolve: () => void } {
  let resolve!: () => void;
  const promise = new Promise<void>((settle) => (resolve = settle));
  return { promise, resolve };
}
