/** Answers as messages of a WebSocket, with an independent client on a loopback connection. */
import { once } from 'node:events';
import http from 'node:http';
import net, { type AddressInfo, type Socket } from 'node:net';
import { PassThrough, Writable } from 'node:stream';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { WebSocket } from 'ws';
import { EvictingQuota } from '../base/evicting-quota.ts';
import type { Sink } from './exchange.ts';
import { head } from './http1/testing/plain-server.ts';
import { WebSockets } from './web-sockets.ts';

interface Given {
  readonly protocol?: string;
  readonly quota?: EvictingQuota;
  readonly stream?: (sink: Sink) => Promise<void>;
  readonly input?: Writable;
  /** Called with the connection before it is accepted. */
  readonly before?: (socket: Socket) => void;
}

/** A server that accepts what asks for a WebSocket. Without a stream, the test ends the answer by `finish`. */
async function start({ protocol, quota = new EvictingQuota(1 << 30), stream, input, before }: Given = {}) {
  const webSockets = new WebSockets(quota);
  const server = http.createServer();
  const sockets = new Set<Socket>();
  let begin: (begun: { sink: Sink; socket: Socket }) => void;
  const begun = new Promise<{ sink: Sink; socket: Socket }>((resolve) => (begin = resolve));
  let finish: (error?: Error) => void = () => undefined;
  const finished = new Promise<void>((resolve, reject) => (finish = (e) => (e === undefined ? resolve() : reject(e))));
  finished.catch(() => undefined);
  let opened = 0;
  let accepted: (over: Promise<void>) => void;
  const over = new Promise<void>((resolve) => (accepted = resolve));
  server.on('upgrade', (message, socket: Socket, first) => {
    before?.(socket);
    const answer = (sink: Sink): Promise<void> => (begin({ sink, socket }), stream?.(sink) ?? finished);
    accepted(
      webSockets.accept(
        { message, socket, head: first, opened: () => opened++ },
        {
          status: 101,
          headers: {},
          webSocket: { protocol, isText: true, ...(input === undefined ? {} : { input }) },
          stream: answer,
        },
      ),
    );
  });
  server.on('connection', (socket: Socket) => void sockets.add(socket));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return {
    port,
    webSockets,
    quota,
    begun,
    finish: (error?: Error) => finish(error),
    /** Resolves when the server is done with the answer. */
    over,
    opened: () => opened,
    connect(protocols: readonly string[] = []): Client {
      const client = new Client(`ws://127.0.0.1:${port}/`, protocols);
      onTestFinished(() => client.socket.terminate());
      return client;
    },
  };
}

class Client {
  readonly socket: WebSocket;
  readonly messages: string[] = [];
  readonly opened: Promise<unknown>;
  /** The code with which the connection ended; 1006 without one. */
  readonly closed: Promise<number>;

  constructor(url: string, protocols: readonly string[]) {
    this.socket = new WebSocket(url, [...protocols]);
    this.socket.on('message', (data: Buffer) => void this.messages.push(data.toString()));
    this.socket.on('error', () => undefined);
    this.opened = once(this.socket, 'open');
    this.closed = new Promise((resolve) => this.socket.once('close', resolve));
  }

  /** The connection below. */
  get connection(): Socket {
    return (this.socket as unknown as { _socket: Socket })._socket;
  }
}

describe('a WebSocket ends', () => {
  test.each<{ name: string; stream: (sink: Sink) => Promise<void>; leaves?: boolean; code: number }>([
    { name: 'with code 1000 when its stream does', stream: () => Promise.resolve(), code: 1000 },
    { name: 'with code 1001 when the server goes away', stream: () => Promise.resolve(), leaves: true, code: 1001 },
    { name: 'without a code when its stream fails', stream: () => Promise.reject(new Error('no')), code: 1006 },
    {
      name: 'without a code when its stream breaks off',
      stream: (sink) => (sink.abort(), Promise.resolve()),
      code: 1006,
    },
  ])('A WebSocket ends: $name', async ({ stream, leaves = false, code }) => {
    const { connect, webSockets } = await start({ stream });
    if (leaves) webSockets.leave();
    expect(await connect().closed).toBe(code);
  });

  test.each<{ name: string; violate: (client: Client) => void; code: number }>([
    {
      name: 'for a message of more than 64 KiB',
      violate: ({ socket }) => socket.send(Buffer.alloc(65_537)),
      code: 1009,
    },
    {
      name: 'for bytes that are no frame',
      violate: ({ connection }) => connection.write('no frame at all'),
      code: 1002,
    },
  ])('A WebSocket ends: $name, and its stream is told', async ({ violate, code }) => {
    const { connect, begun } = await start();
    const client = connect();
    await client.opened;
    const { sink } = await begun;
    expect(sink.closed).toBe(false);
    const told = new Promise<void>((resolve) => sink.onClose(resolve));
    violate(client);
    expect(await client.closed).toBe(code);
    await told;
    expect(sink.closed).toBe(true);
  });
});

describe('the subprotocol of a WebSocket', () => {
  test.each<{ name: string; offered: readonly string[]; protocol?: string; spoken: string }>([
    { name: 'is the one of the answer', offered: ['a', 'b'], protocol: 'b', spoken: 'b' },
    { name: 'is none without offers', offered: [], spoken: '' },
  ])('The subprotocol of a WebSocket: $name', async ({ offered, protocol, spoken }) => {
    const { connect } = await start(protocol === undefined ? {} : { protocol });
    const client = connect(offered);
    await client.opened;
    expect(client.socket.protocol).toBe(spoken);
  });

  test('The subprotocol of a WebSocket is none where the answer has none, whatever is offered', async () => {
    const { port } = await start();
    const socket = net.connect(port, '127.0.0.1');
    onTestFinished(() => void socket.destroy());
    socket.write(
      head(
        'GET / HTTP/1.1',
        'Host: a',
        'Connection: Upgrade',
        'Upgrade: websocket',
        'Sec-WebSocket-Version: 13',
        'Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==',
        'Sec-WebSocket-Protocol: a',
      ),
    );
    const [answer] = (await once(socket, 'data')) as [Buffer];
    expect(answer.toString()).toMatch(/^HTTP\/1\.1 101 /);
    expect(answer.toString().toLowerCase()).not.toContain('sec-websocket-protocol');
  });
});

describe('a client may', () => {
  test('A WebSocket client may send messages, which nothing reads', async () => {
    const { connect, begun, finish } = await start();
    const client = connect();
    await client.opened;
    client.socket.send(Buffer.alloc(65_536));
    client.socket.ping();
    await once(client.socket, 'pong');
    (await begun).sink.write(Buffer.from('still here'));
    finish();
    expect(await client.closed).toBe(1000);
    expect(client.messages).toEqual(['still here']);
  });

  test('A WebSocket client may ping, and is answered with what it sent', async () => {
    const { connect } = await start();
    const client = connect();
    await client.opened;
    client.socket.ping('hello');
    const [data] = (await once(client.socket, 'pong')) as [Buffer];
    expect(data.toString()).toBe('hello');
  });
});

describe('a client that takes nothing', () => {
  const megabyte = Buffer.alloc(1 << 20);
  const messages = 32;

  /** Its connection is full, and the server has nothing but what waits for it. */
  async function fill(quota?: EvictingQuota) {
    const server = await start(quota === undefined ? {} : { quota });
    const client = server.connect();
    await client.opened;
    client.connection.pause();
    const { sink, socket } = await server.begun;
    for (let i = 0; i < messages; i++) sink.write(megabyte);
    // The last of it stays here: the system takes some megabytes for a connection.
    await new Promise(setImmediate);
    return { ...server, client, sink, socket };
  }

  test('A WebSocket client that takes nothing makes its stream wait, and gets everything later', async () => {
    const { client, sink, finish } = await fill();
    expect(sink.write(Buffer.from('last'))).toBe(false);
    let isDrained = false;
    const drained = sink.drained().then(() => (isDrained = true));
    await new Promise(setImmediate);
    expect(isDrained).toBe(false);
    client.connection.resume();
    await drained;
    finish();
    expect(await client.closed).toBe(1000);
    expect(client.messages.length).toBe(messages + 1);
  });

  test('A WebSocket client that takes nothing counts what waits for it until it is gone', async () => {
    const { client, sink, quota } = await fill();
    expect(quota.used).toBeGreaterThan(0);
    const closed = new Promise<void>((resolve) => sink.onClose(resolve));
    const drained = sink.drained();
    client.socket.terminate();
    await Promise.all([closed, drained]);
    expect(quota.used).toBe(0);
  });

  test('A WebSocket client that takes nothing counts nothing any more when it has taken all', async () => {
    const { client, sink, quota } = await fill();
    client.connection.resume();
    await sink.drained();
    expect(quota.used).toBe(0);
  });

  test('A WebSocket client that takes nothing is cut off when there is no memory for it beside others', async () => {
    const { client, sink, quota } = await fill(new EvictingQuota(1 << 28));
    const closed = new Promise<void>((resolve) => sink.onClose(resolve));
    quota.track({ evict: () => undefined }).set(1 << 28);
    await closed;
    client.connection.resume();
    expect(await client.closed).toBe(1006);
    await sink.drained();
  });

  test('A WebSocket client that takes nothing gets no answers to its pings, which would wait as well', async () => {
    const { client, socket } = await fill();
    const before = socket.writableLength;
    const pinged = once(socket, 'data');
    client.socket.ping('hello');
    await pinged;
    expect(socket.writableLength).toBe(before);
  });
});

describe('the stream finds its sink closed', () => {
  test.each<{ name: string; before?: (socket: Socket) => void; key?: string }>([
    { name: 'where the client is gone already', before: (socket) => socket.destroy() },
    { name: 'where the opening is refused', key: 'too short' },
  ])('The stream finds its sink closed: $name', async ({ before, key = 'AAAAAAAAAAAAAAAAAAAAAA==' }) => {
    let seen: unknown[] = [];
    const stream = async (sink: Sink): Promise<void> => {
      seen = [sink.closed, sink.write(Buffer.from('lost'))];
      await sink.drained();
    };
    const { port, over, opened } = await start({ stream, ...(before === undefined ? {} : { before }) });
    const socket = net.connect(port, '127.0.0.1');
    onTestFinished(() => void socket.destroy());
    socket.on('error', () => undefined);
    const wish = [
      'Connection: Upgrade',
      'Upgrade: websocket',
      'Sec-WebSocket-Version: 13',
      `Sec-WebSocket-Key: ${key}`,
    ];
    socket.write(head('GET / HTTP/1.1', 'Host: a', ...wish));
    await over;
    expect(seen).toEqual([true, true]);
    expect(opened()).toBe(0);
  });

  test('A stream whose sink is closed keeps what it needs of the request until the WebSocket is open', async () => {
    const { connect, opened } = await start();
    await connect().opened;
    expect(opened()).toBe(1);
  });
});

describe('the input of a WebSocket', () => {
  test('Each message is one write, and the end of the WebSocket is the end of the input', async () => {
    const messages: string[] = [];
    const input = new Writable({ write: (chunk: Buffer, _, done) => void (messages.push(chunk.toString()), done()) });
    const { connect } = await start({ input });
    const client = connect();
    await client.opened;
    client.socket.send('a');
    client.socket.send(Buffer.alloc(0));
    client.socket.send(Buffer.from('b'.repeat(100_000)));
    const finished = once(input, 'finish');
    client.socket.close();
    await finished;
    expect(messages.map((text) => text.slice(0, 3))).toEqual(['a', '', 'bbb']);
  });

  test('A client waits while the input is full, and its messages are not gathered', async () => {
    const input = new PassThrough({ highWaterMark: 1024 });
    const { connect, begun, finish } = await start({ input });
    const client = connect();
    await client.opened;
    for (let i = 0; i < 1000; i++) client.socket.send(Buffer.alloc(32 * 1024, 'x'));
    const { socket } = await begun;
    await once(input, 'readable');
    await new Promise((resolve) => setImmediate(resolve));
    const { bytesRead } = socket;
    for (let i = 0; i < 20; i++) await new Promise((resolve) => setImmediate(resolve));
    expect(socket.bytesRead).toBe(bytesRead);
    expect(input.readableLength + input.writableLength).toBeLessThan(256 * 1024);
    let got = 0;
    for await (const chunk of input as AsyncIterable<Buffer>) if ((got += chunk.length) === 1000 * 32 * 1024) break;
    expect(got).toBe(1000 * 32 * 1024);
    finish();
  });

  test('A client that goes while its input is full is noticed, because it is pinged then', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    onTestFinished(() => void vi.useRealTimers());
    const input = new PassThrough({ highWaterMark: 1024 });
    const { connect, begun } = await start({ input });
    const client = connect();
    await client.opened;
    for (let i = 0; i < 1000; i++) client.socket.send(Buffer.alloc(32 * 1024));
    const { sink } = await begun;
    await once(input, 'readable');
    const told = new Promise<void>((resolve) => sink.onClose(resolve));
    let pinged = 0;
    client.socket.on('ping', () => pinged++);
    vi.advanceTimersByTime(10_000);
    await once(client.socket, 'ping');
    expect(vi.getTimerCount()).toBe(1);
    client.connection.resetAndDestroy();
    while (!sink.closed) {
      vi.advanceTimersByTime(10_000);
      await new Promise((resolve) => setImmediate(resolve));
    }
    await told;
    expect([pinged, vi.getTimerCount()]).toEqual([1, 0]);
  });

  test('A message of more than 1 MiB ends a WebSocket that has an input', async () => {
    const input = new PassThrough();
    const { connect } = await start({ input: input.resume() });
    const client = connect();
    await client.opened;
    client.socket.send(Buffer.alloc(1024 * 1024 + 1));
    expect(await client.closed).toBe(1009);
  });

  test('An input that is destroyed does not keep a client from saying goodbye', async () => {
    const input = new PassThrough({ highWaterMark: 1 });
    const { connect, finish } = await start({ input });
    const client = connect();
    await client.opened;
    client.socket.send(Buffer.alloc(1000));
    client.socket.send(Buffer.alloc(1000));
    await once(input, 'readable');
    input.destroy();
    finish();
    expect(await client.closed).toBe(1000);
  });
});
