import { Duplex } from 'node:stream';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { ErrorCode, Flag, FrameType, Setting, connectionPreface } from '../frames.ts';
import { answer, field, onRequest, sendBody, serverOptions, startServer } from '../testing/http2-server.ts';
import { connectNonReading } from '../testing/non-reading-client.ts';
import type { NonReadingClient } from '../testing/non-reading-client.ts';
import { data, headers, ping, reset, settings, windowUpdate } from '../testing/client-frames.ts';
import { get, post, request } from '../testing/requests.ts';
import { connectRaw } from '../testing/raw-client.ts';
import { ServerConnection } from './connection.ts';
import { wholeRequest, nothing, turn } from '../testing/whole-request.ts';

/**
 * Sends until the server has had enough, and ends the connection or does not read any more. @returns how many bytes it
 * took
 */
async function flood(socket: NonReadingClient, more: () => Buffer): Promise<number> {
  for (let taken = 0; ; ) {
    const bytes = more();
    socket.push(bytes);
    await turn();
    if (socket.destroyed || socket.readableLength > 0) return taken;
    taken += bytes.length;
    if (taken > 20_000_000) return taken;
  }
}

/** Many at once, with stream numbers that rise. */
function requests(one: (streamId: number) => Buffer): () => Buffer {
  let id = -1;
  return () => Buffer.concat(Array.from({ length: 200 }, () => one((id += 2))));
}

const same = (one: Buffer): (() => Buffer) => {
  const many = Buffer.concat(Array.from({ length: Math.ceil(20_000 / one.length) }, () => one));
  return () => many;
};

describe('HTTP/2 server connection whose client does not take what it asks for', () => {
  test.each([
    { name: 'PING', more: same(ping()) },
    { name: 'SETTINGS', more: same(settings()) },
    { name: 'malformed requests', more: requests((id) => headers(id, [[':method', 'GET']], wholeRequest)) },
    { name: 'DATA where a stream was', more: requests((id) => Buffer.concat([get(id), data(id, nothing)])) },
    { name: 'requests', more: requests((id) => get(id)) },
    { name: 'requests for more', more: requests((id) => get(id, '/much')) },
    { name: 'requests that are refused in words', more: requests((id) => get(id, '/', [['connection', 'close']])) },
    {
      name: 'requests, each cancelled',
      more: requests((id) => Buffer.concat([get(id, '/much'), reset(id, ErrorCode.cancel)])),
    },
  ])('A flood of $name stops, and what waits is bounded', async ({ more }) => {
    const much = Buffer.alloc(100_000);
    const { socket } = connectNonReading((stream) => {
      stream.respond(200, []);
      stream.end(field(stream, ':path') === '/much' ? much : undefined);
    });
    expect(await flood(socket, more)).toBeLessThan(10_000_000);
    expect(socket.writableLength).toBeLessThan(4_000_000);
  });

  test('An HTTP/2 server connection is ended when it has been idle for too long', async () => {
    const { socket } = connectNonReading((stream) => stream.respond(200, [], true), { idleMs: 50 });
    await flood(
      socket,
      requests((id) => get(id)),
    );
    await vi.waitFor(() => expect(socket.destroyed).toBe(true), 10_000);
  });

  test.each([
    { name: 'PING', more: same(ping()) },
    { name: 'requests', more: requests((id) => get(id)) },
    { name: 'requests for more', more: requests((id) => get(id, '/much')) },
  ])('The HTTP/2 server goes on with a client that reads again: $name', async ({ more }) => {
    const { socket, connection } = connectNonReading((stream) =>
      sendBody(stream, Buffer.alloc(field(stream, ':path') === '/much' ? 50_000 : 10)),
    );
    await flood(socket, more);
    expect(socket.readableLength).toBeGreaterThan(0);
    socket.listen();
    await vi.waitFor(() =>
      expect([socket.readableLength, socket.writableLength, connection.activeStreams]).toEqual([0, 0, 0]),
    );
    socket.push(ping('the last'));
    await vi.waitFor(() => expect(socket.tail.toString('latin1')).toMatch(/the last$/));
  });

  test('A writer is told to wait, and when the connection is over', async () => {
    let written = 0;
    const drained = vi.fn();
    const { socket, connection } = connectNonReading((stream) => {
      stream.respond(200, []);
      for (let goesOn = true; goesOn; written += 10_000) {
        goesOn = stream.write(Buffer.alloc(10_000));
        if (written > 50_000_000) return;
      }
      stream.onDrain(drained);
    });
    socket.push(get(1));
    await vi.waitFor(() => expect(connection.activeStreams).toBe(1));
    await turn();
    expect(written).toBeLessThan(4_000_000);
    expect(drained).not.toHaveBeenCalled();
    socket.destroy();
    await vi.waitFor(() => expect(drained).toHaveBeenCalledOnce());
    expect(connection.activeStreams).toBe(0);
  });

  test('HTTP/2 windows that never open hold a piece of each answer, and no other connection', async () => {
    const written = new Map<number, number>();
    const server = await startServer((stream) => {
      if (field(stream, ':path') === '/') return answer(stream);
      stream.respond(200, []);
      for (let bytes = 1_000; ; bytes += 1_000) {
        written.set(stream.id, bytes);
        if (!stream.write(Buffer.alloc(1_000))) return;
      }
    });
    const client = await connectRaw(server.port);
    client.greet([Setting.initialWindowSize, 0]);
    const ids = Array.from({ length: 50 }, (_, i) => 2 * i + 1);
    client.send(...ids.map((id) => get(id, '/much')), ping());
    await client.waitFor((heard) => heard.type === FrameType.ping);
    expect([...written.values()]).toEqual(ids.map(() => 1_000));
    const other = await connectRaw(server.port);
    other.greet();
    other.send(get(1));
    expect((await other.wholeAnswer(1)).body.toString()).toBe('ok');
    client.destroy();
    await vi.waitFor(() => expect(server.connections[0]!.activeStreams).toBe(0));
  });
});

/** A connection whose client takes a write every `ms`. */
class SlowClient extends Duplex {
  taken = 0;
  readonly #ms: number;

  constructor(ms: number) {
    super();
    this.#ms = ms;
  }

  override _read(): void {}

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: () => void): void {
    setTimeout(() => {
      this.taken += chunk.length;
      done();
    }, this.#ms);
  }
}

describe('HTTP/2 server connection whose client is slow', () => {
  test('An HTTP/2 server connection sends the last answer to its end to a slow client before it leaves', async () => {
    const socket = new SlowClient(100);
    onTestFinished(() => void socket.destroy());
    const bytes = 900_000;
    const connection = new ServerConnection(socket, {
      ...serverOptions,
      onRequest: onRequest((stream) => {
        stream.respond(200, [], false);
        stream.end(Buffer.alloc(bytes));
        connection.leave();
      }),
    });
    socket.push(
      Buffer.concat([
        connectionPreface,
        settings([Setting.initialWindowSize, 0x7fff_ffff]),
        windowUpdate(0, 0x7000_0000),
        get(1),
      ]),
    );
    await new Promise((resolve) => socket.once('close', resolve));
    expect(socket.taken).toBeGreaterThan(bytes);
  });
});

describe('HTTP/2 server connection whose client falls silent', () => {
  const begun = Buffer.concat([connectionPreface, settings()]);

  test.each([
    { name: 'at once', bytes: nothing },
    { name: 'within the preface', bytes: connectionPreface.subarray(0, 10) },
    { name: 'behind the preface', bytes: connectionPreface },
    { name: 'behind its settings', bytes: begun },
    { name: 'within the head of a frame', bytes: Buffer.concat([begun, get(1).subarray(0, 5)]) },
    { name: 'within a frame', bytes: Buffer.concat([begun, get(1).subarray(0, 12)]) },
    { name: 'within a header block', bytes: Buffer.concat([begun, headers(1, request('GET', '/'), Flag.endStream)]) },
    { name: 'behind a request', bytes: Buffer.concat([begun, get(1)]) },
    {
      name: 'behind a request that was reset',
      bytes: Buffer.concat([begun, post(1, '/hold'), reset(1, ErrorCode.cancel)]),
    },
  ])('An HTTP/2 client that falls silent $name is disconnected', async ({ bytes }) => {
    const server = await startServer((stream) => void (field(stream, ':path') === '/hold' || answer(stream)), {
      idleMs: 50,
    });
    const client = await connectRaw(server.port);
    if (bytes.length > 0) client.send(bytes);
    expect((await client.goAway()).code).toBe(ErrorCode.noError);
    await client.ended;
    await vi.waitFor(() => expect(server.sockets[0]!.destroyed).toBe(true));
  });

  test('An HTTP/2 client that falls silent and does not close its side is cut off', async () => {
    const { socket } = connectNonReading((stream) => answer(stream), { idleMs: 50 });
    await vi.waitFor(() => expect(socket.destroyed).toBe(true), 10_000);
  });

  test('An HTTP/2 client that is silent but for PING is sent away too', async () => {
    const server = await startServer((stream) => answer(stream), { idleMs: 50 });
    const client = await connectRaw(server.port);
    client.greet();
    const pinging = setInterval(() => client.send(ping()), 10);
    onTestFinished(() => clearInterval(pinging));
    expect((await client.goAway()).code).toBe(ErrorCode.noError);
    await client.ended;
  });

  test('An HTTP/2 client that is silent while it waits for an answer is served', async () => {
    const server = await startServer(
      async (stream) => {
        await new Promise((resolve) => setTimeout(resolve, 300));
        answer(stream);
      },
      { idleMs: 50 },
    );
    const client = await connectRaw(server.port);
    client.greet();
    client.send(get(1));
    expect((await client.wholeAnswer(1)).body.toString()).toBe('ok');
    expect(client.heard.some((heard) => heard.type === FrameType.goAway)).toBe(false);
  });

  test('A silent HTTP/2 client has all of the time from its last answer on', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
    onTestFinished(() => void vi.useRealTimers());
    const { socket } = connectNonReading((stream) => answer(stream), { idleMs: 1_000 });
    for (let id = 1; id < 11; id += 2) {
      socket.push(get(id));
      await turn();
      vi.advanceTimersByTime(900);
      await turn();
      expect(socket.writableEnded).toBe(false);
    }
    vi.advanceTimersByTime(100);
    expect(socket.writableEnded).toBe(true);
  });
});
