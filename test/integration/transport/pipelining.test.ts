/**
 * HTTP/1.1 requests that a client sends behind each other without waiting: of those that wait, next to
 * nothing is kept.
 */
import diagnostics from 'node:diagnostics_channel';
import type { IncomingMessage } from 'node:http';
import type { TLSSocket } from 'node:tls';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { ApiResponse, Exchange, Sink } from '../../../src/server/exchange.ts';
import { RawConnection } from '../../support/raw-connection.ts';
import { randomInt, randomSource } from '../../support/random.ts';
import { startTransport, type TestTransport } from '../../support/transport.ts';

/** Requests that Node's parser has made objects of. Those with `Upgrade` are not told there. */
const parsed: IncomingMessage[] = [];
const onParsed = (told: unknown): void => void parsed.push((told as { request: IncomingMessage }).request);

interface Call {
  readonly exchange: Exchange;
  readonly body: Promise<string> | undefined;
  readonly answer: (response: ApiResponse) => void;
}

let transport: TestTransport;
let connection: RawConnection;
let calls: Call[] = [];
let onCall = (): void => undefined;
/** Whether bodies are read. */
let reads = true;
beforeEach(async () => {
  [parsed.length, calls, reads] = [0, [], true];
  diagnostics.subscribe('http.server.request.start', onParsed);
  transport = await startTransport({
    dropTimeoutMs: 50,
    handle: (exchange) =>
      new Promise((answer) => {
        const body = reads && exchange.method === 'POST' ? exchange.readBody(1 << 20).then(String) : undefined;
        calls.push({ exchange, body, answer });
        onCall();
      }),
  });
  connection = await RawConnection.open(transport);
});
afterEach(async () => {
  diagnostics.unsubscribe('http.server.request.start', onParsed);
  connection[Symbol.dispose]();
  await transport[Symbol.asyncDispose]();
});

const ok: ApiResponse = { status: 200, headers: {}, body: 'ok' };
const nth = async (index: number): Promise<Call> => {
  while (calls.length <= index) await new Promise<void>((resolve) => (onCall = resolve));
  return calls[index]!;
};
const get = (path = '/', ...headers: readonly string[]): string =>
  ['GET', path].join(' ') + ` HTTP/1.1\r\n${['Host:', ...headers].join('\r\n')}\r\n\r\n`;
const post = (body: string, ...headers: readonly string[]): string =>
  `POST /p HTTP/1.1\r\n${['Host:', `Content-Length: ${body.length}`, ...headers].join('\r\n')}\r\n\r\n${body}`;
const chunked = (...pieces: readonly string[]): string =>
  `POST /c HTTP/1.1\r\nHost:\r\nTransfer-Encoding: chunked\r\n` +
  `\r\n${[...pieces, ''].map((piece) => `${piece.length.toString(16)}\r\n${piece}\r\n`).join('')}`;
const taken = (call: Call): number => (call.exchange.connection as TLSSocket).bytesRead;

/** The server has read what it wants to, as far as can be told. */
async function settled(call: Call): Promise<void> {
  for (let before = -1; before !== taken(call); ) {
    before = taken(call);
    for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve));
  }
}

const floods = [
  { name: 'without a body', one: get() },
  { name: 'with a body', one: post('abcde') },
  { name: 'with a body that ends as a head does', one: post('ab\r\n\r\n') },
  { name: 'with a body in chunks', one: chunked('a', 'b\r\n\r\nc') },
  { name: 'with a wish for another protocol', one: get('/', 'Connection: Upgrade', 'Upgrade: h2c') },
  { name: 'with a wish for another protocol and a body', one: post('abcde', 'Connection: Upgrade', 'Upgrade: h2c') },
  { name: 'that wait before they send', one: post('abcde', 'Expect: 100-continue') },
  { name: 'that expect what no server knows', one: get('/', 'Expect: the-best') },
  { name: 'that are refused', one: 'GET / HTTP/1.1\r\n\r\n' },
  { name: 'that are none', one: 'garbage\r\n\r\n' },
];

describe('a flood of pipelined requests behind one that is in work', () => {
  test.each(floods)(
    'A flood of pipelined requests behind one that is in work is neither parsed nor read: requests $name',
    async ({ one }) => {
      connection.write(get('/first'));
      const first = await nth(0);
      connection.write(one.repeat(Math.ceil(2_000_000 / one.length)));
      await settled(first);
      expect([calls.length, parsed.length]).toEqual([1, expect.toSatisfy((count: number) => count <= 2)]);
      // Bytes after a request that is refused are dropped instead.
      if (!one.includes('garbage') && one.includes('Host')) expect(taken(first)).toBeLessThan(500_000);
    },
  );

  test.each(floods)(
    'A flood of pipelined requests behind one that is in work in one piece with it is not parsed: requests $name',
    async ({ one }) => {
      connection.write(get('/first') + one.repeat(Math.ceil(60_000 / one.length)));
      await settled(await nth(0));
      expect([calls.length, parsed.length]).toEqual([1, expect.toSatisfy((count: number) => count <= 2)]);
    },
  );

  test.each([
    { name: 'in pieces that end in the middle of a head', one: get(), cut: 20 },
    { name: 'in pieces that end in the middle of the end of a head', one: get(), cut: 23 },
    { name: 'in pieces that end in the middle of a body', one: post('abcde'), cut: 50 },
    { name: 'in pieces that end between head and body', one: post('abcde'), cut: 46 },
  ])('A flood of pipelined requests behind one that is in work is not parsed: requests $name', async ({ one, cut }) => {
    connection.write(get('/first') + one.slice(0, cut));
    const first = await nth(0);
    for (let i = 0; i < 50; i++) {
      connection.write(one.slice(cut) + one.slice(0, cut));
      await settled(first);
    }
    expect([calls.length, parsed.length]).toEqual([1, expect.toSatisfy((count: number) => count <= 2)]);
  });

  test('A flood of pipelined requests whose bodies are not read waits for the answers', async () => {
    reads = false;
    connection.write(post('abcde').repeat(1000));
    await settled(await nth(0));
    expect([calls.length, parsed.length]).toEqual([1, expect.toSatisfy((count: number) => count <= 2)]);
  });
});

describe('pipelined requests are answered in order', () => {
  const kinds = [
    get(),
    post('abcde'),
    post(''),
    post('x\r\n\r\ny'),
    post('z'.repeat(40_000)),
    chunked('a', 'bc'),
    chunked('d\r\n\r\n'),
    chunked(),
    get('/', 'Connection: Upgrade', 'Upgrade: h2c'),
    post('up', 'Connection: Upgrade', 'Upgrade: h2c'),
  ];
  const bodies = ['', 'abcde', '', 'x\r\n\r\ny', 'z'.repeat(40_000), 'abc', 'd\r\n\r\n', '', '', 'up'];

  test.each(Array.from({ length: 12 }, (_, seed) => ({ seed })))(
    'All of many, in whatever pieces they come (seed $seed)',
    async ({ seed }) => {
      const random = randomSource(seed);
      const chosen = Array.from({ length: 40 }, () => randomInt(random, kinds.length));
      const all = chosen.map((kind) => kinds[kind]!).join('');
      const send = async (): Promise<void> => {
        for (let at = 0; at < all.length; ) {
          const end = at + 1 + randomInt(random, seed % 3 === 0 ? 20_000 : 300);
          connection.write(all.slice(at, end));
          at = end;
          if (random() < 0.3) await new Promise((resolve) => setImmediate(resolve));
        }
      };
      const sent = send();
      for (const [i, kind] of chosen.entries()) {
        const call = await nth(i);
        expect(calls.length).toBe(i + 1);
        const body = await call.body;
        expect([call.exchange.method, body ?? '']).toEqual([kinds[kind]!.split(' ')[0], bodies[kind]]);
        if (random() < 0.3) await new Promise((resolve) => setImmediate(resolve));
        call.answer({ status: 200, headers: {}, body: `answer ${i}` });
        expect((await connection.answer()).body).toBe(`answer ${i}`);
      }
      await sent;
    },
  );

  test('Pipelined requests behind an answer that the client took late are answered', async () => {
    const large = Buffer.alloc(8_000_000, 'x');
    connection.pause();
    connection.write(get('/large') + get('/small').repeat(500));
    (await nth(0)).answer({ status: 200, headers: {}, body: large });
    await settled(calls[0]!);
    expect([calls.length, parsed.length]).toEqual([1, 1]);
    connection.resume();
    expect((await connection.answer()).body.length).toBe(large.length);
    for (let i = 1; i <= 500; i++) {
      (await nth(i)).answer(ok);
      expect((await connection.answer()).body).toBe('ok');
    }
  });

  test('A client that leaves while its requests wait ends the first, and none of the others begins', async () => {
    connection.write(get('/first'));
    const closed = vi.fn();
    const first = await nth(0);
    first.exchange.onClose(closed);
    connection[Symbol.dispose]();
    await vi.waitFor(() => expect(closed).toHaveBeenCalledOnce());
    first.answer(ok);
    expect(calls.length).toBe(1);
  });

  describe('behind an answer that lasts', () => {
    /** The answer, until it is ended. */
    const lasting = (): {
      readonly response: ApiResponse;
      readonly end: () => void;
      readonly closed: Promise<void>;
    } => {
      let end = (): void => undefined;
      const ended = new Promise<void>((resolve) => (end = resolve));
      let noteClosed = (): void => undefined;
      const closed = new Promise<void>((resolve) => (noteClosed = resolve));
      const stream = async (sink: Sink): Promise<void> => {
        sink.onClose(() => (noteClosed(), end()));
        sink.write(Buffer.from('event'));
        await ended;
      };
      return { response: { status: 200, headers: {}, stream }, end, closed };
    };

    test('Pipelined requests behind an answer that lasts keep no client that left: the answer ends', async () => {
      connection.write(get('/watch') + get().repeat(10_000));
      const { response, closed } = lasting();
      (await nth(0)).answer(response);
      connection.end();
      await closed;
      expect(calls.length).toBe(1);
    });

    test('Pipelined requests behind an answer that lasts are dropped after a time', async () => {
      connection.write(get('/watch') + get().repeat(10_000));
      const { response, end } = lasting();
      const call = await nth(0);
      call.answer(response);
      await vi.waitFor(() => expect(taken(call)).toBeGreaterThan(get().length * 10_000));
      end();
      expect(await connection.rest()).toMatch(/^HTTP\/1\.1 200 OK\r\n[^]*\r\n\r\n5\r\nevent\r\n0\r\n\r\n$/);
      expect(calls.length).toBe(1);
    });
  });
});
