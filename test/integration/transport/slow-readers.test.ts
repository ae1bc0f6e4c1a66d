/** Answers that their client does not take, or does not wait for. */
import { once } from 'node:events';
import http2 from 'node:http2';
import tls from 'node:tls';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { ApiResponse, Exchange, Sink } from '../../../src/server/exchange.ts';
import { RawConnection } from '../../support/raw-connection.ts';
import { startTransport, type TestTransport } from '../../support/transport.ts';

const stallTimeoutMs = 60_000;
const large = Buffer.alloc(32_000_000, 'x');
let transport: TestTransport;
let exchanges: Exchange[] = [];
let sinks: Sink[] = [];
let answer: (exchange: Exchange) => Promise<ApiResponse> | ApiResponse;
beforeEach(async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'performance'] });
  [exchanges, sinks] = [[], []];
  transport = await startTransport({
    stallTimeoutMs,
    handle: async (exchange) => {
      exchanges.push(exchange);
      return answer(exchange);
    },
  });
});
afterEach(async () => {
  vi.useRealTimers();
  await transport[Symbol.asyncDispose]();
});

const streamed = (first: Buffer): ApiResponse => ({
  status: 200,
  headers: {},
  stream: (sink) =>
    new Promise((resolve) => {
      sinks.push(sink);
      sink.write(first);
      sink.onClose(resolve);
    }),
});
const turns = async (count = 20): Promise<void> => {
  for (let i = 0; i < count; i++) await new Promise((resolve) => setImmediate(resolve));
};
const get = 'GET / HTTP/1.1\r\nHost: localhost\r\n\r\n';

describe('over HTTP/1.1', () => {
  test.each([
    { name: 'a body', response: (): ApiResponse => ({ status: 200, headers: {}, body: large }) },
    {
      name: 'a list in pieces',
      response: (): ApiResponse => ({
        status: 200,
        headers: {},
        chunks: Array.from({ length: 500 }, () => large.subarray(0, 64_000)),
      }),
    },
    { name: 'events', response: () => streamed(large) },
  ])('A client that takes nothing of $name loses its connection after a time', async ({ response }) => {
    answer = response;
    using connection = await RawConnection.open(transport);
    const closed = vi.fn();
    connection.pause();
    connection.write(get);
    await vi.waitFor(() => expect(exchanges.length).toBe(1));
    exchanges[0]!.onClose(closed);
    await turns();
    await vi.advanceTimersByTimeAsync(stallTimeoutMs / 2);
    expect(closed).not.toHaveBeenCalled();
    await vi.advanceTimersByTimeAsync(2 * stallTimeoutMs);
    await vi.waitFor(() => expect(closed).toHaveBeenCalled(), 10_000);
  });

  test('One that takes something now and then gets all of it', async () => {
    answer = () => ({ status: 200, headers: {}, body: large });
    using connection = await RawConnection.open(transport);
    connection.pause();
    connection.write(get);
    let bytes = 0;
    while (bytes < large.length) {
      const before = connection.received;
      await vi.advanceTimersByTimeAsync(stallTimeoutMs - 1);
      connection.resume();
      // As much as the system has kept in between, so that the server sees a step.
      while (connection.received < Math.min(before + 8_000_000, large.length)) await turns(1);
      connection.pause();
      await turns();
      bytes = connection.received;
    }
    connection.resume();
    expect((await connection.answer()).body.length).toBe(large.length);
  });

  test('One that waits for events has all the time that there is', async () => {
    answer = () => streamed(Buffer.from('first'));
    using connection = await RawConnection.open(transport);
    connection.write(get);
    await vi.waitFor(() => expect(sinks.length).toBe(1));
    await vi.advanceTimersByTimeAsync(20 * stallTimeoutMs);
    expect(sinks[0]!.closed).toBe(false);
  });
});

describe('over HTTP/2', () => {
  const connect = async (): Promise<http2.ClientHttp2Session> => {
    const session = http2.connect(transport.url, { ca: transport.ca, servername: 'localhost' });
    session.on('error', () => undefined);
    await once(session, 'connect');
    return session;
  };

  test('A stream that is not read ends after a time, others go on', async () => {
    answer = ({ target }) =>
      target === '/idle'
        ? streamed(Buffer.from('first'))
        : { status: 200, headers: {}, body: target === '/stuck' ? large : 'ok' };
    const session = await connect();
    const idle = session.request({ ':path': '/idle' });
    await once(idle, 'data');
    const stuck = session.request({ ':path': '/stuck' });
    const closed = new Promise((resolve) => stuck.on('error', () => undefined).once('close', resolve));
    await once(stuck, 'response');
    stuck.pause();
    await turns();
    await vi.advanceTimersByTimeAsync(2 * stallTimeoutMs);
    stuck.resume();
    await closed;
    expect(stuck.rstCode).toBe(http2.constants.NGHTTP2_CANCEL);
    expect(sinks[0]!.closed).toBe(false);
    const other = session.request({ ':path': '/' });
    const [{ ':status': status }] = (await once(other, 'response')) as [Record<string, number>];
    expect(status).toBe(200);
    session.destroy();
  });

  test('The body of a request whose answer is sent without it frees its bytes for other requests', async () => {
    answer = async (exchange) =>
      exchange.target === '/watch'
        ? streamed(Buffer.from('first'))
        : { status: 200, headers: {}, body: String((await exchange.readBody(1 << 22)).length) };
    const session = await connect();
    // More than the window of the connection.
    for (let i = 0; i < 20; i++) {
      const watch = session.request({ ':path': '/watch', ':method': 'POST' });
      watch.on('error', () => undefined).write(Buffer.alloc(1_000_000));
      await once(watch, 'data');
    }
    const post = session.request({ ':path': '/', ':method': 'POST' });
    post.end(Buffer.alloc(1_000_000));
    expect(String((await once(post, 'data')) as [Buffer])).toBe('1000000');
    session.destroy();
  });

  test.each<{ name: string; headers: Record<string, string>; goes: boolean }>([
    { name: 'that is not known', headers: { connection: 'close' }, goes: true },
    { name: 'that is', headers: {}, goes: false },
  ])(
    'A client $name, which resets its requests before they are answered, is asked to go: $goes',
    async ({ headers, goes }) => {
      let release!: () => void;
      const gate = new Promise<void>((resolve) => (release = resolve));
      answer = async () => {
        await gate;
        return { status: 401, headers, body: 'no' };
      };
      const session = await connect();
      const heard = vi.fn();
      session.on('goaway', heard);
      for (let i = 0; i < 10; i++)
        session
          .request({ ':path': '/' })
          .on('error', () => undefined)
          .close(http2.constants.NGHTTP2_CANCEL);
      await new Promise((resolve) => session.ping(resolve));
      release();
      await turns();
      if (goes) await vi.waitFor(() => expect(heard).toHaveBeenCalled());
      else {
        await new Promise((resolve) => session.ping(resolve));
        expect(heard).not.toHaveBeenCalled();
      }
      session.destroy();
    },
  );
});

test('A client that closes while its answer waits leaves nothing to look after', async () => {
  answer = () => ({ status: 200, headers: {}, body: large });
  const socket = tls.connect({
    port: transport.port,
    host: '127.0.0.1',
    servername: 'localhost',
    ca: transport.ca,
    ALPNProtocols: ['http/1.1'],
  });
  await once(socket, 'secureConnect');
  socket.write(get);
  await vi.waitFor(() => expect(exchanges.length).toBe(1));
  const closed = vi.fn();
  exchanges[0]!.onClose(closed);
  socket.destroy();
  await vi.waitFor(() => expect(closed).toHaveBeenCalledOnce());
  await vi.advanceTimersByTimeAsync(5 * stallTimeoutMs);
});
