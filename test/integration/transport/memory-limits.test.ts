/**
 * Limits on the memory of all clients together: what does not fit is refused, and what makes no progress is
 * evicted.
 */
import { once } from 'node:events';
import http2 from 'node:http2';
import tls from 'node:tls';
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { WebSocket } from 'ws';
import { type ApiResponse, type Exchange, type Sink, TooManyBodies } from '../../../src/server/exchange.ts';
import { Flag, FrameType, Setting, frame } from '../../../src/http2/frames.ts';
import { encodeHeaders } from '../../../src/http2/hpack/encoder.ts';
import { h2 } from '../../support/memory/flood-clients.ts';
import { RawConnection } from '../../support/raw-connection.ts';
import { startTransport, type TestTransport } from '../../support/transport.ts';

const kilobyte = 1024;
const limits = { bodies: 400 * kilobyte, answers: 1000 * kilobyte, heads: 100 * kilobyte };

let transport: TestTransport;
let exchanges: Exchange[] = [];
let answer: (exchange: Exchange) => Promise<ApiResponse> | ApiResponse;
const evicted = vi.fn();
beforeEach(async () => {
  exchanges = [];
  evicted.mockClear();
  transport = await startTransport({
    memory: limits,
    onEvict: evicted,
    handle: async (exchange) => {
      exchanges.push(exchange);
      return answer(exchange);
    },
  });
});
afterEach(() => transport[Symbol.asyncDispose]());

async function connect(): Promise<RawConnection> {
  const connection = await RawConnection.open(transport);
  onTestFinished(() => connection[Symbol.dispose]());
  return connection;
}

async function connectHttp2(settings: http2.Settings = {}): Promise<http2.ClientHttp2Session> {
  const session = http2.connect(transport.url, { ca: transport.ca, servername: 'localhost', settings });
  onTestFinished(() => session.destroy());
  session.on('error', () => undefined);
  await once(session, 'remoteSettings');
  return session;
}

/** A connection over HTTP/2 on which only bytes are written. */
async function connectRaw(): Promise<tls.TLSSocket> {
  const socket = tls.connect({
    port: transport.port,
    host: '127.0.0.1',
    servername: 'localhost',
    ca: transport.ca,
    ALPNProtocols: ['h2'],
  });
  onTestFinished(() => void socket.destroy());
  socket.on('error', () => undefined).resume();
  await once(socket, 'secureConnect');
  return socket;
}

/** Ways to send a body of so many bytes. Resolve with the status of the answer. */
const posts = {
  'HTTP/1.1': async (bytes: number) => {
    const connection = await connect();
    return (
      await connection
        .write(`POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: ${bytes}\r\n\r\n`, Buffer.alloc(bytes))
        .answer()
    ).status;
  },
  'HTTP/2': async (bytes: number) => {
    const stream = (await connectHttp2()).request({ ':method': 'POST', ':path': '/' });
    stream.resume().end(Buffer.alloc(bytes));
    const [headers] = (await once(stream, 'response')) as [http2.IncomingHttpHeaders];
    return headers[':status'];
  },
} as const;

describe.each(['HTTP/1.1', 'HTTP/2'] as const)('bodies over %s', (version) => {
  const post = posts[version];
  let waiting: (() => void)[] = [];
  beforeEach(() => {
    waiting = [];
    answer = async (exchange) => {
      try {
        const body = await exchange.readBody(3_000_000);
        if (body.length > 1) await new Promise<void>((resolve) => waiting.push(resolve));
        return { status: 200, headers: {}, body: String(body.length) };
      } catch (error) {
        return { status: error instanceof TooManyBodies ? 429 : 500, headers: {} };
      }
    };
  });
  const answerAll = (): void => waiting.splice(0).forEach((resolve) => resolve());

  test('Request bodies that are large leave a part of the memory for small ones', async () => {
    const large = post(299 * kilobyte);
    await vi.waitFor(() => expect(waiting.length).toBe(1));
    expect(await post(70 * kilobyte)).toBe(429);
    const small = [post(60 * kilobyte), post(30 * kilobyte)];
    await vi.waitFor(() => expect(waiting.length).toBe(3));
    expect(await post(60 * kilobyte)).toBe(429);
    answerAll();
    expect(await Promise.all([large, ...small])).toEqual([200, 200, 200]);
  });

  test('Request bodies that are refused or answered leave their memory to others', async () => {
    for (let round = 0; round < 5; round++) {
      const large = post(299 * kilobyte);
      await vi.waitFor(() => expect(waiting.length).toBe(1));
      expect(await post(299 * kilobyte)).toBe(429);
      answerAll();
      expect(await large).toBe(200);
    }
  });

  test('Request bodies whose clients leave in the middle leave their memory to others', async () => {
    for (let round = 0; round < 5; round++) {
      const closed = vi.fn();
      exchanges = [];
      const socket =
        version === 'HTTP/1.1'
          ? tls.connect({ port: transport.port, host: '127.0.0.1', servername: 'localhost', ca: transport.ca })
          : await connectRaw();
      socket.on('error', () => undefined);
      if (version === 'HTTP/1.1')
        socket.write(`POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: ${300 * kilobyte}\r\n\r\n`);
      else socket.write(Buffer.concat([h2.greeting(), h2.request(1, 'POST', '/', { end: false })]));
      for (let sent = 0; sent < 192; sent += 16)
        socket.write(version === 'HTTP/1.1' ? Buffer.alloc(16_000) : h2.data(1, Buffer.alloc(16_000)));
      await vi.waitFor(() => expect(exchanges.length).toBe(1));
      exchanges[0]!.onClose(closed);
      socket.destroy();
      await vi.waitFor(() => expect(closed).toHaveBeenCalled());
    }
    const last = post(299 * kilobyte);
    await vi.waitFor(() => expect(waiting.length).toBe(1));
    answerAll();
    expect(await last).toBe(200);
  });
});

test('A body over HTTP/2 that is not read and does not fit is dropped, and its request is answered', async () => {
  let answerFirst = (): void => undefined;
  answer = (exchange) =>
    exchange.target === '/other'
      ? { status: 200, headers: {}, body: 'other' }
      : new Promise((resolve) => (answerFirst = () => resolve({ status: 200, headers: {}, body: 'first' })));
  const session = await connectHttp2();
  const [first, second] = ['/first', '/second'].map((path) => session.request({ ':method': 'POST', ':path': path }));
  for (const stream of [first!, second!]) stream.resume().write(Buffer.alloc(250 * kilobyte));
  await vi.waitFor(() => expect(exchanges.length).toBe(2));
  const other = session.request({ ':method': 'POST', ':path': '/other' });
  other.resume().end(Buffer.alloc(60 * kilobyte));
  expect(((await once(other, 'response')) as [http2.IncomingHttpHeaders])[0][':status']).toBe(200);
  answerFirst();
  expect(((await once(second!, 'response')) as [http2.IncomingHttpHeaders])[0][':status']).toBe(200);
});

const events = (count: number, bytes: number): ApiResponse => ({
  status: 200,
  headers: {},
  stream: async (sink: Sink) => {
    for (let i = 0; i < count && !sink.closed; i++) if (!sink.write(Buffer.alloc(bytes, 'x'))) await sink.drained();
  },
});

describe('answers that are not taken', () => {
  const closedCount = { count: 0 };
  beforeEach(() => {
    closedCount.count = 0;
    answer = (exchange) => {
      exchange.onClose(() => closedCount.count++);
      return exchange.upgrade === undefined
        ? { status: 200, headers: {}, body: Buffer.alloc(900 * kilobyte, 'x') }
        : { ...events(100, 900 * kilobyte), webSocket: { protocol: undefined, isText: true } };
    };
  });
  const get = 'GET / HTTP/1.1\r\nHost: localhost\r\n\r\n';

  test('Answers not taken over HTTP/2: in one connection the stream without progress for longest ends', async () => {
    const session = await connectHttp2({ initialWindowSize: 0 });
    const codes: [string, number][] = [];
    for (const path of ['/a', '/b', '/c']) {
      const stream = session.request({ ':path': path });
      stream.on('error', () => undefined).once('close', () => codes.push([path, stream.rstCode]));
      await once(stream, 'response');
    }
    await vi.waitFor(() =>
      expect(codes).toEqual([
        ['/a', http2.constants.NGHTTP2_CANCEL],
        ['/b', http2.constants.NGHTTP2_CANCEL],
      ]),
    );
    expect(evicted.mock.calls).toEqual([['answer'], ['answer']]);
  });

  test('Answers not taken from sockets over HTTP/2 end connections, but not one that is read', async () => {
    const sockets = await Promise.all(Array.from({ length: 20 }, connectRaw));
    for (const socket of sockets) {
      socket.pause();
      socket.write(
        Buffer.concat([
          h2.greeting([Setting.initialWindowSize, 0x7fff_ffff]),
          h2.windowUpdate(0, 0x7000_0000),
          ...[1, 3, 5, 7, 9, 11, 13, 15].map((id) => h2.request(id, 'GET', '/')),
        ]),
      );
    }
    await vi.waitFor(() => expect(closedCount.count).toBeGreaterThan(8));
    expect(evicted).toHaveBeenCalledWith('answer');
    const stream = (await connectHttp2()).request({ ':path': '/' });
    let bytes = 0;
    stream.on('data', (chunk: Buffer) => (bytes += chunk.length));
    await once(stream, 'end');
    expect(bytes).toBe(900 * kilobyte);
  });

  test('Answers not taken from sockets over HTTP/1.1 end connections, but not one that is read', async () => {
    const large = Buffer.alloc(64_000_000, 'x');
    answer = (exchange) => {
      exchange.onClose(() => closedCount.count++);
      return exchange.target === '/'
        ? { status: 200, headers: {}, body: large }
        : { status: 200, headers: {}, body: 'ok' };
    };
    for (let i = 0; i < 20; i++) {
      const connection = await connect();
      connection.pause();
      connection.write(get);
    }
    await vi.waitFor(() => expect(evicted).toHaveBeenCalledWith('answer'));
    await vi.waitFor(() => expect(closedCount.count).toBeGreaterThan(0));
    expect((await (await connect()).write(get.replace(' / ', ' /small ')).answer()).body).toBe('ok');
  });

  test('Answers of WebSockets that are not taken end, those without progress for longest first', async () => {
    answer = (exchange) => {
      exchange.onClose(() => closedCount.count++);
      return { ...events(100, 900 * kilobyte), webSocket: { protocol: undefined, isText: false } };
    };
    for (let i = 0; i < 4; i++) {
      const client = new WebSocket(transport.url.replace('https:', 'wss:'), { ca: transport.ca });
      onTestFinished(() => client.terminate());
      client.on('error', () => undefined);
      await once(client, 'open');
      client.pause();
    }
    await vi.waitFor(() => expect(closedCount.count).toBeGreaterThan(1));
    expect(evicted).toHaveBeenCalledWith('answer');
  });
});

/** A head that needs only its last line. */
const head = (bytes: number): string =>
  `GET / HTTP/1.1\r\nHost: localhost\r\n${`X-Long: ${'x'.repeat(990)}\r\n`.repeat(Math.ceil(bytes / 1000))}`;
const block = (bytes: number): Buffer =>
  encodeHeaders([
    [':method', 'GET'],
    [':scheme', 'https'],
    [':path', '/'],
    [':authority', 'a'],
    ...Array.from({ length: bytes / 1000 }, (_, i) => [`x-${i}`, 'x'.repeat(990)] as const),
  ]);

describe('long heads', () => {
  let waiting: (() => void)[] = [];
  beforeEach(() => {
    waiting = [];
    answer = () => new Promise((resolve) => waiting.push(() => resolve({ status: 200, headers: {}, body: 'ok' })));
  });

  test('Long heads over HTTP/1.1 that do not end: one connection is closed, and the second one is served', async () => {
    const connections = [await connect(), await connect()] as const;
    for (const connection of connections) connection.write(head(60_000));
    const rest = await Promise.race(
      connections.map(async (connection, i) => (await connection.closed, connections[1 - i]!)),
    );
    expect(evicted.mock.calls).toEqual([['head']]);
    rest.write('\r\n');
    await vi.waitFor(() => expect(waiting.length).toBe(1));
    waiting[0]!();
    expect((await rest.answer()).body).toBe('ok');
  });

  test('Long heads over HTTP/2 that do not end: the oldest connection is closed', async () => {
    const sockets = [await connectRaw(), await connectRaw()];
    const closed = sockets.map((socket, i) => once(socket, 'close').then(() => i));
    for (const socket of sockets) {
      socket.write(Buffer.concat([h2.greeting(), frame(FrameType.headers, Flag.endStream, 1, Buffer.from([0x82]))]));
      for (let i = 0; i < 4; i++) socket.write(frame(FrameType.continuation, 0, 1, Buffer.alloc(15_000, 0x82)));
    }
    await Promise.race(closed);
    expect(evicted.mock.calls).toEqual([['head']]);
    expect(sockets.filter(({ destroyed }) => !destroyed).length).toBe(1);
  });

  test.each(['HTTP/1.1', 'HTTP/2'] as const)(
    'Long heads over %s count while their requests are in work, and no longer',
    async (version) => {
      const send = async (): Promise<RawConnection | tls.TLSSocket> => {
        if (version === 'HTTP/1.1') return (await connect()).write(head(60_000), '\r\n');
        const socket = await connectRaw();
        const fields = block(60_000);
        const frames = [0, 1, 2, 3, 4].map((i) =>
          frame(
            i === 0 ? FrameType.headers : FrameType.continuation,
            i === 0 ? Flag.endStream : i === 4 ? Flag.endHeaders : 0,
            1,
            fields.subarray(i * 15_000, (i + 1) * 15_000),
          ),
        );
        socket.write(Buffer.concat([h2.greeting(), ...frames]));
        return socket;
      };
      for (let round = 1; round <= 3; round++) {
        await send();
        await vi.waitFor(() => expect(waiting.length).toBe(round));
        waiting[round - 1]!();
        await new Promise((resolve) => setImmediate(resolve));
        expect(evicted).not.toHaveBeenCalled();
      }
      await send();
      await vi.waitFor(() => expect(waiting.length).toBe(4));
      const closed = vi.fn();
      exchanges[3]!.onClose(closed);
      await send();
      await vi.waitFor(() => expect(closed).toHaveBeenCalled());
      expect(evicted.mock.calls).toEqual([['head']]);
    },
  );
});
