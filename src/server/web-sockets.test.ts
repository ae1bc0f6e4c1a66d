/** Answers as messages of a WebSocket, with an independent client on a loopback connection. */
import { once } from 'node:events';
import net, { type Socket } from 'node:net';
import { describe, expect, onTestFinished, test } from 'vitest';
import { EvictingQuota } from '../base/evicting-quota.ts';
import type { Sink } from './exchange.ts';
import { head } from './http1/testing/plain-server.ts';
import { type Client, startWebSockets } from './testing/web-socket-server.ts';

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
    const { connect, webSockets } = await startWebSockets({ stream });
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
    const { connect, begun } = await startWebSockets();
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
    const { connect } = await startWebSockets(protocol === undefined ? {} : { protocol });
    const client = connect(offered);
    await client.opened;
    expect(client.socket.protocol).toBe(spoken);
  });

  test('The subprotocol of a WebSocket is none where the answer has none, whatever is offered', async () => {
    const { port } = await startWebSockets();
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
    const { connect, begun, finish } = await startWebSockets();
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
    const { connect } = await startWebSockets();
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
    const server = await startWebSockets(quota === undefined ? {} : { quota });
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
    const { port, over, opened } = await startWebSockets({ stream, ...(before === undefined ? {} : { before }) });
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
    const { connect, opened } = await startWebSockets();
    await connect().opened;
    expect(opened()).toBe(1);
  });
});
