import { once } from 'node:events';
import http from 'node:http';
import type { Socket } from 'node:net';
import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { describe, expect, test, vi } from 'vitest';
import { WebSocket } from 'ws';
import type { ApiResponse, Exchange } from '../exchange.ts';
import { defaultLimits, TransportMemory } from '../memory.ts';
import { WebSockets } from '../web-sockets.ts';
import { Http1Connections } from './connections.ts';
import { ParserFeed } from './parser-feed.ts';
import { Pipelining } from './pipelining.ts';
import { ProtocolErrors } from './protocol-errors.ts';
import { head, type PlainServer, startPlain } from './testing/plain-server.ts';
import { serveUpgrades } from './upgrades.ts';

interface Served {
  readonly server: PlainServer;
  /** Those that passed the chain beside Node's server. */
  readonly exchanges: Exchange[];
  readonly connections: Http1Connections;
  readonly memory: TransportMemory;
}

/** Answers other requests with the upgrade that was ignored, and with their body. */
async function start(handle: (exchange: Exchange) => ApiResponse | Promise<ApiResponse>): Promise<Served> {
  const server = http.createServer({ requireHostHeader: false });
  const [pipelining, feeds] = [new Pipelining(), new WeakMap<Socket, ParserFeed>()];
  const memory = new TransportMemory(defaultLimits(), () => undefined);
  const connections = new Http1Connections(60_000);
  server.on('connection', (socket: Socket) => {
    feeds.set(socket, new ParserFeed(socket, () => pipelining.isBusy(socket), memory.heads));
    connections.add(socket);
  });
  const protocolErrors = new ProtocolErrors(server, pipelining, feeds);
  const exchanges: Exchange[] = [];
  const upgrades = serveUpgrades({
    server,
    handle: async (exchange) => (exchanges.push(exchange), handle(exchange)),
    pipelining,
    feeds,
    protocolErrors,
    connections,
    webSockets: new WebSockets(memory.answers),
    memory,
  });
  const serve = (message: http.IncomingMessage, response: http.ServerResponse, how = 'HTTP'): void => {
    feeds.get(message.socket)?.parsed(message);
    const ignored = upgrades.ignored(message);
    pipelining.take(message.socket, response, () => {
      feeds.get(message.socket)?.begun();
      void text(message).then((body) => response.end(`${how} ${ignored} ${message.headers['x']} ${body}`));
    });
    response.once('close', () => feeds.get(message.socket)?.goOn());
  };
  server.on('request', (message, response) => serve(message, response));
  server.on('checkExpectation', (message, response) => serve(message, response, 'expectation'));
  return { server: await startPlain(server), exchanges, connections, memory };
}

const host = 'Host: localhost';
const wish = [host, 'Connection: Upgrade', 'Upgrade: SPDY/3.1'];
const last = [host, 'Connection: close'];
const no: ApiResponse = { status: 403, headers: { 'content-length': 2 }, body: 'no' };
const statusesOf = (conversation: string): string[] => conversation.match(/HTTP\/1\.1 \d+/g) ?? [];

describe('a request to leave HTTP/1.1', () => {
  test.each([
    {
      name: 'for another protocol says which',
      sent: head('GET /a HTTP/1.1', ...wish),
      expected: ['GET', '/a', 'spdy/3.1', true, false],
    },
    {
      name: 'for a WebSocket can become one',
      sent: head('GET /a HTTP/1.1', host, 'Connection: upgrade', 'Upgrade: WebSocket'),
      expected: ['GET', '/a', 'websocket', true, true],
    },
    {
      name: 'for a WebSocket by another method than GET cannot become one',
      sent: head('POST /a HTTP/1.1', host, 'Connection: upgrade', 'Upgrade: websocket'),
      expected: ['POST', '/a', 'websocket', true, false],
    },
    {
      name: 'by CONNECT has no target and no protocol',
      sent: head('CONNECT a:1 HTTP/1.1', host),
      expected: ['CONNECT', '', undefined, false, false],
    },
  ])('A request to leave HTTP/1.1: $name', async ({ sent, expected }) => {
    const { server, exchanges } = await start(() => ({ ...no, headers: { ...no.headers, connection: 'close' } }));
    expect(statusesOf(await server.converse(sent))).toEqual(['HTTP/1.1 403']);
    const seen = exchanges.map(({ method, target, upgrade, canChangeProtocol, canBecomeWebSocket }) => [
      method,
      target,
      upgrade,
      canChangeProtocol,
      canBecomeWebSocket,
    ]);
    expect(seen).toEqual([expected]);
    expect(await exchanges[0]!.readBody(0)).toEqual(Buffer.alloc(0));
  });

  test('A request to leave HTTP/1.1 that is malformed is refused as any other, and passes no chain', async () => {
    const { server, exchanges } = await start(() => no);
    const answer = await server.converse(head('GET / HTTP/1.1', ...wish.slice(1)));
    expect(answer.split('\r\n')[0]).toBe('HTTP/1.1 400 Bad Request: missing required Host header');
    expect(exchanges).toEqual([]);
  });
});

describe('a request whose wish is ignored reaches HTTP as it was sent', () => {
  test.each([
    {
      name: 'with a length of body',
      sent: `${head('POST / HTTP/1.1', ...wish, 'X: \xe9', 'Content-Length: 5')}hello`,
      expected: 'HTTP SPDY/3.1 \xe9 hello',
    },
    {
      name: 'with chunks of body',
      sent: `${head('POST / HTTP/1.1', ...wish, 'X: a', 'Transfer-Encoding: chunked')}5\r\nhello\r\n0\r\n\r\n`,
      expected: 'HTTP SPDY/3.1 a hello',
    },
    {
      name: 'with an expectation that no server knows',
      sent: head('GET / HTTP/1.1', ...wish, 'X: a', 'Expect: more'),
      expected: 'expectation SPDY/3.1 a ',
    },
  ])('An ignored upgrade reaches HTTP as it was sent: $name', async ({ sent, expected }) => {
    const { server, exchanges } = await start(() => no);
    const answer = await server.converse(sent + head('GET / HTTP/1.1', ...last));
    expect(statusesOf(answer)).toEqual(['HTTP/1.1 200', 'HTTP/1.1 200']);
    expect(Buffer.from(answer, 'latin1').toString()).toContain(expected);
    expect(answer).toContain('HTTP undefined undefined ');
    expect(exchanges).toEqual([]);
  });
});

describe('a connection behind an answer that is not another protocol', () => {
  test('A connection behind an answer that is not another protocol goes on as HTTP', async () => {
    const { server } = await start(() => no);
    const answer = await server.converse(head('GET / HTTP/1.1', ...wish) + head('GET / HTTP/1.1', ...last));
    expect(statusesOf(answer)).toEqual(['HTTP/1.1 403', 'HTTP/1.1 200']);
  });

  test.each<{ name: string; lines?: readonly string[]; headers?: Record<string, string>; leaves?: boolean }>([
    { name: 'the client asks for that', lines: [host, 'Connection: Upgrade, close', 'Upgrade: a'] },
    { name: 'the answer says so', headers: { connection: 'close' } },
    { name: 'the server leaves', leaves: true },
  ])(
    'A connection behind an answer that is not another protocol ends where $name',
    async ({ lines = wish, headers = {}, leaves = false }) => {
      const { server, connections } = await start(() => {
        if (leaves) connections.leave();
        return { ...no, headers: { ...no.headers, ...headers } };
      });
      expect(statusesOf(await server.converse(head('GET / HTTP/1.1', ...lines)))).toEqual(['HTTP/1.1 403']);
    },
  );
});

describe('a request to leave HTTP/1.1 with a long head', () => {
  const long = `X-Long: ${'x'.repeat(10_000)}`;

  test('A request to leave HTTP/1.1 with a long head counts while it is in work, and no longer', async () => {
    const used: number[] = [];
    const { server, memory } = await start(() => (used.push(memory.heads.used), no));
    await server.converse(head('GET / HTTP/1.1', ...wish, long) + head('GET / HTTP/1.1', ...last));
    expect(used[0]).toBeGreaterThan(10_000);
    expect(memory.heads.used).toBe(0);
  });

  test('A request to leave HTTP/1.1 with a long head is cut off when no memory is left for it', async () => {
    const { server, memory } = await start(() => {
      memory.heads.track({ evict: () => undefined }).set(defaultLimits().heads);
      return no;
    });
    expect(await server.converse(head('GET / HTTP/1.1', ...wish, long))).toBe('');
  });

  test('A request to leave HTTP/1.1 with a long head keeps nothing of it while its answer is sent', async () => {
    const { server, exchanges } = await start(() => no);
    await server.converse(head('GET / HTTP/1.1', ...wish, long) + head('GET / HTTP/1.1', ...last));
    expect(exchanges[0]!.headerValues('x-long')).toEqual([]);
  });
});

describe('the connection of a request to leave HTTP/1.1', () => {
  test('The connection of an upgrade request has no time limit in work, and that of an idle one after', async () => {
    const limits: unknown[] = [];
    const { server } = await start((exchange) => {
      limits.push((exchange.connection as Socket).timeout);
      return no;
    });
    Object.assign(server.listener, { timeout: 4321, keepAliveTimeout: 1234 });
    const [connection] = await Promise.all([
      once(server.listener, 'connection').then(([socket]) => socket as Socket),
      server.dial().then((client) => client.say(head('GET / HTTP/1.1', ...wish)).hears('no')),
    ]);
    expect(limits).toEqual([0]);
    // The answer can be here before the server has seen it leave.
    await vi.waitUntil(() => connection.timeout === 1234);
  });

  test('The connection of an ignored upgrade is idle after its answer, and ends when the server leaves', async () => {
    const { server, connections } = await start(() => no);
    Object.assign(server.listener, { keepAliveTimeout: 0 });
    const client = await server.dial();
    client.say(`${head('POST / HTTP/1.1', ...wish, 'X: a', 'Content-Length: 5')}hello`);
    await client.hears('hello');
    connections.leave();
    expect(statusesOf(await client.all())).toEqual(['HTTP/1.1 200']);
  });
});

describe('the end of a request to leave HTTP/1.1 is told', () => {
  test('The end of a request to leave HTTP/1.1 is told when it is answered, once, also to a later caller', async () => {
    let ends = 0;
    const { server, exchanges } = await start((exchange) => (exchange.onClose(() => ends++), no));
    await server.converse(head('GET / HTTP/1.1', ...wish) + head('GET / HTTP/1.1', ...last));
    expect(ends).toBe(1);
    await new Promise<void>((resolve) => exchanges[0]!.onClose(resolve));
  });

  test('The end of a request to leave HTTP/1.1 is told when its connection is closed before the answer', async () => {
    let begun = (_exchange: Exchange): void => undefined;
    const begins = new Promise<Exchange>((resolve) => (begun = resolve));
    const { server } = await start((exchange) => (begun(exchange), new Promise<never>(() => undefined)));
    (await server.dial()).say(head('GET / HTTP/1.1', ...wish));
    const exchange = await begins;
    const closed = new Promise<void>((resolve) => exchange.onClose(resolve));
    (exchange.connection as Socket).destroy();
    await closed;
  });
});

test('The bytes of another protocol go both ways, those behind the request first', async () => {
  const input = new PassThrough();
  const { server, connections } = await start(() => ({
    status: 101,
    headers: { connection: 'Upgrade', upgrade: 'SPDY/3.1' },
    input,
    stream: async (sink) => {
      sink.write(Buffer.from('welcome '));
      sink.write(Buffer.from(`heard ${await text(input)}`));
    },
  }));
  // Their client may take its time: the other side decides.
  const handOver = vi.spyOn(connections, 'handOver');
  const client = (await server.dial()).say(`${head('GET / HTTP/1.1', ...wish)}first `);
  await client.hears('welcome');
  client.socket.end('second');
  const answer = await client.all();
  expect(statusesOf(answer)).toEqual(['HTTP/1.1 101']);
  expect(answer.split('\r\n\r\n')[1]).toBe('welcome heard first second');
  expect(handOver).toHaveBeenCalledOnce();
});

test.each([
  { name: 'text', isText: true },
  { name: 'binary', isText: false },
])('An answer goes out as $name messages of a WebSocket, which then closes', async ({ isText }) => {
  const { server } = await start(() => ({
    status: 101,
    headers: {},
    webSocket: { protocol: 'b', isText },
    stream: (sink) => {
      for (const message of ['one', 'two']) sink.write(Buffer.from(message));
      return Promise.resolve();
    },
  }));
  const socket = new WebSocket(`ws://127.0.0.1:${server.port}/`, ['a', 'b']);
  const messages: [string, boolean][] = [];
  socket.on('message', (data: Buffer, isBinary) => void messages.push([data.toString(), !isBinary]));
  const [code] = (await once(socket, 'close')) as [number];
  expect(messages).toEqual([
    ['one', isText],
    ['two', isText],
  ]);
  expect([code, socket.protocol]).toEqual([1000, 'b']);
});
