import { once } from 'node:events';
import http, { type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { EvictingQuota } from '../../base/evicting-quota.ts';
import { ParserFeed } from './parser-feed.ts';
import { Pipelining } from './pipelining.ts';
import { head, startPlain } from './testing/plain-server.ts';

const get = (target: string): string => head(`GET ${target} HTTP/1.1`);
const post = (target: string, ...lines: readonly string[]): string => head(`POST ${target} HTTP/1.1`, ...lines);

/** A server that answers when the test says so, with the body of the request, and a client of it. */
async function start(heads = new EvictingQuota(1 << 20)) {
  const server = http.createServer({ requireHostHeader: false });
  const pipelining = new Pipelining();
  const [parsed, waiting]: [string[], Map<string, ServerResponse>] = [[], new Map()];
  const arrived = new Promise<{ socket: Socket; feed: ParserFeed }>((resolve) =>
    server.on('connection', (socket: Socket) => {
      const feed = new ParserFeed(socket, () => pipelining.isBusy(socket), heads);
      socket.once('close', () => feed.closed());
      resolve({ socket, feed });
    }),
  );
  const client = await (await startPlain(server)).dial();
  const { socket, feed } = await arrived;
  server.on('request', (message, response) => {
    const url = message.url!;
    parsed.push(url);
    feed.parsed(message);
    pipelining.take(socket, response, () => {
      feed.begun();
      waiting.set(url, response);
      server.emit('begun', url);
    });
    response.once('close', () => feed.goOn());
    (message as { text?: Promise<Buffer> }).text = buffer(message);
  });
  const begun = async (url: string): Promise<ServerResponse> => {
    while (!waiting.has(url)) await once(server, 'begun');
    return waiting.get(url)!;
  };
  return {
    client,
    socket,
    feed,
    heads,
    parsed,
    begun,
    /** Ends the answer of a request when that has begun, and its body is here. */
    answer: async (url: string): Promise<void> => {
      const response = await begun(url);
      const text = await (response.req as { text?: Promise<Buffer> }).text;
      response.end(`<${url} ${String(text)}>`);
    },
  };
}

describe('requests that are sent behind each other', () => {
  test('Requests that are sent behind each other are parsed when the one before is answered', async () => {
    const { client, socket, parsed, answer, begun } = await start();
    const held = once(socket, 'pause');
    client.say(get('/1') + get('/2') + get('/3'));
    await held;
    expect(parsed).toEqual(['/1']);
    await answer('/1');
    await begun('/2');
    expect(parsed).toEqual(['/1', '/2']);
    await answer('/2');
    await answer('/3');
    await client.hears('</3 >');
  });

  test.each([
    { name: 'with a length', sent: `${post('/1', 'Content-Length: 5')}hello`, body: 'hello' },
    {
      name: 'with a length, and empty lines in it',
      sent: `${post('/1', 'Content-Length: 9')}a\r\n\r\nb\r\n\r`,
      body: 'a\r\n\r\nb\r\n\r',
    },
    {
      name: 'in chunks',
      sent: `${post('/1', 'Transfer-Encoding: chunked')}2\r\nhe\r\n3\r\nllo\r\n0\r\n\r\n`,
      body: 'hello',
    },
    {
      name: 'in chunks with empty lines in them',
      sent: `${post('/1', 'Transfer-Encoding: chunked')}6\r\na\r\n\r\nb\r\n0\r\n\r\n`,
      body: 'a\r\n\r\nb',
    },
    { name: 'of nothing', sent: post('/1', 'Content-Length: 0'), body: '' },
  ])('Pipelined requests are told apart behind a body $name, in one piece and byte by byte', async ({ sent, body }) => {
    for (const step of [Infinity, 1]) {
      const { client, feed, socket, parsed, answer } = await start();
      const all = sent + get('/2');
      // As it comes from the network.
      for (let at = 0; at < all.length; at += step) socket.push(Buffer.from(all.slice(at, at + step)));
      while (!socket.isPaused()) await once(socket, 'pause');
      expect(parsed).toEqual(['/1']);
      await answer('/1');
      await answer('/2');
      await client.hears(`</1 ${body}>`);
      await client.hears('</2 >');
      expect(feed.open).toBeUndefined();
    }
  });
});

describe('the head of a request', () => {
  test('The head of a request counts until it is complete, and then tells its length', async () => {
    const { client, socket, feed, heads, begun } = await start();
    const [first, second] = ['GET /1 HTTP/1.1\r\nAc', 'cept: a\r\n\r\n'];
    const came = once(socket, 'data');
    client.say(first);
    await came;
    expect(heads.used).toBe(first.length);
    client.say(second);
    await begun('/1');
    expect([heads.used, feed.headBytes]).toEqual([0, first.length + second.length]);
  });

  test('The head of a request ends its connection when there is no memory for it beside others', async () => {
    const heads = new EvictingQuota(20);
    const { client, socket } = await start(heads);
    const came = once(socket, 'data');
    client.say('GET / HTTP/1.1');
    await came;
    heads.track({ evict: () => undefined }).set(15);
    expect(await client.all()).toBe('');
    expect(heads.used).toBe(15);
  });

  test('The head of a request counts no more when its connection is closed', async () => {
    const { client, socket, heads } = await start();
    const came = once(socket, 'data');
    client.say('GET / HTTP/1.1');
    await came;
    const closed = new Promise((resolve) => socket.once('close', resolve));
    client.socket.destroy();
    await closed;
    expect(heads.used).toBe(0);
  });
});

function useFakeTimeouts(): void {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
}

describe('what comes behind an answer that lasts', () => {
  test('What comes behind an answer that lasts is read after the time, to notice a client that leaves', async () => {
    const { client, socket, feed, parsed } = await start();
    const held = once(socket, 'pause');
    client.say(get('/watch') + get('/behind'));
    await held;
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    let dropped = 0;
    feed.lasts(5000, () => dropped++);
    vi.advanceTimersByTime(4999);
    expect([dropped, socket.isPaused()]).toEqual([0, true]);
    vi.advanceTimersByTime(1);
    vi.useRealTimers();
    expect([dropped, socket.isPaused()]).toEqual([1, false]);
    const closed = once(socket, 'close');
    client.socket.destroy();
    await closed;
    expect(parsed).toEqual(['/watch']);
  });

  test('What comes behind an answer that lasts is read and dropped as well when it comes later', async () => {
    const { client, socket, feed, parsed, begun } = await start();
    client.say(get('/watch'));
    await begun('/watch');
    let dropped = 0;
    feed.lasts(5000, () => dropped++);
    useFakeTimeouts();
    const held = once(socket, 'pause');
    client.say(get('/behind'));
    await held;
    vi.advanceTimersByTime(5000);
    expect([dropped, socket.isPaused(), parsed]).toEqual([1, false, ['/watch']]);
  });

  test('What comes behind an answer that lasts is a request when the answer ends before', async () => {
    const { client, socket, feed, answer, begun } = await start();
    const held = once(socket, 'pause');
    client.say(get('/watch') + get('/behind'));
    await held;
    useFakeTimeouts();
    let dropped = 0;
    feed.lasts(5000, () => dropped++);
    await answer('/watch');
    await begun('/behind');
    vi.advanceTimersByTime(5000);
    expect(dropped).toBe(0);
    client.say(get('/last'));
    await answer('/behind');
    await answer('/last');
    await client.hears('</last >');
  });
});

test('What was read and not parsed is handed over where the connection is read otherwise', async () => {
  const { client, socket, feed } = await start();
  const rest = new Promise<string>((resolve) =>
    (socket as unknown as { server: http.Server }).server.on('request', () => resolve(feed.end().toString())),
  );
  client.say(`${get('/1')}something else`);
  expect(await rest).toBe('something else');
  expect(socket.listenerCount('data')).toBe(0);
});
