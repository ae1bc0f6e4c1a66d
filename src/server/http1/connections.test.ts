import { once } from 'node:events';
import net, { type Socket } from 'node:net';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { Http1Connections } from './connections.ts';
import { type PlainClient, startPlain } from './testing/plain-server.ts';

const stallMs = 1000;

/** Both ends of a connection. */
async function connect(): Promise<{ socket: Socket; client: PlainClient }> {
  const server = net.createServer();
  const arrived = once(server, 'connection') as Promise<[Socket]>;
  const client = await (await startPlain(server)).dial();
  const [socket] = await arrived;
  return { socket, client };
}

describe('a server that leaves ends a connection', () => {
  test('A server that leaves ends a connection without a request at once', async () => {
    const [connections, { socket, client }] = [new Http1Connections(stallMs), await connect()];
    connections.add(socket);
    connections.leave();
    expect(await client.all()).toBe('');
  });

  test('A server that leaves ends a connection when the last of its requests is answered', async () => {
    const [connections, { socket, client }] = [new Http1Connections(stallMs), await connect()];
    connections.add(socket);
    const [first, second] = [connections.begin(socket), connections.begin(socket)];
    connections.leave();
    first();
    expect(socket.writableEnded).toBe(false);
    socket.write('answer');
    second();
    expect(socket.writableEnded).toBe(true);
    expect(await client.all()).toBe('answer');
  });

  test('A server that leaves ends a connection that comes later at once', async () => {
    const [connections, { socket, client }] = [new Http1Connections(stallMs), await connect()];
    connections.leave();
    expect(connections.isLeaving).toBe(true);
    connections.add(socket);
    expect(await client.all()).toBe('');
  });
});

test('A connection that is added again keeps its requests, and its end is told once', async () => {
  const [connections, { socket, client }] = [new Http1Connections(stallMs), await connect()];
  const ends: string[] = [];
  connections.add(socket, () => ends.push('first'));
  connections.begin(socket);
  connections.add(socket, () => ends.push('second'));
  connections.leave();
  expect(socket.writableEnded).toBe(false);
  const closed = once(socket, 'close');
  client.socket.destroy();
  socket.resume();
  await closed;
  expect(ends).toEqual(['first']);
});

describe('a connection whose client takes nothing', () => {
  /** Has more to say than the buffers of the system hold. */
  async function stalled() {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'performance'] });
    onTestFinished(() => void vi.useRealTimers());
    const [connections, { socket, client }] = [new Http1Connections(stallMs), await connect()];
    socket.on('error', () => undefined);
    client.socket.pause();
    connections.add(socket);
    while (socket.writableLength < 1 << 20) {
      socket.write(Buffer.alloc(1 << 20));
      await new Promise(setImmediate);
    }
    return { connections, socket, client };
  }

  test('A connection whose client takes nothing ends after the time', async () => {
    const { socket } = await stalled();
    vi.advanceTimersByTime(stallMs);
    expect(socket.destroyed).toBe(false);
    vi.advanceTimersByTime(stallMs);
    expect(socket.destroyed).toBe(true);
  });

  test('A connection whose client takes nothing stays when another protocol is spoken on it', async () => {
    const { connections, socket } = await stalled();
    connections.handOver(socket);
    vi.advanceTimersByTime(10 * stallMs);
    expect(socket.destroyed).toBe(false);
  });

  test('A connection whose client takes nothing stays when nothing waits for it', async () => {
    const [connections, { socket }] = [new Http1Connections(stallMs), await connect()];
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'performance'] });
    onTestFinished(() => void vi.useRealTimers());
    connections.add(socket);
    vi.advanceTimersByTime(10 * stallMs);
    expect(socket.destroyed).toBe(false);
  });
});
