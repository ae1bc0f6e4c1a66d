/** How a server stops while clients are there: what they are answered, and what it waits for. */
import { once } from 'node:events';
import http2 from 'node:http2';
import https from 'node:https';
import tls from 'node:tls';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import type { Logger } from '../../src/base/logger.ts';
import type { Store } from '../../src/storage/interface.ts';
import { openEmbeddedStore } from '../../src/storage/embedded/open.ts';
import { startTestServer, type TestServer, type TestServerOptions } from '../support/test-server.ts';

const configMaps = '/api/v1/namespaces/default/configmaps';
const patience = { timeout: 30_000, interval: 10 };

interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;
}

/** A server whose stop the test begins. */
interface Stopping {
  readonly server: TestServer;
  /** Resolves when the server has ended. */
  stop(): Promise<void>;
}

async function start(options: TestServerOptions): Promise<Stopping> {
  const server = await startTestServer(options);
  let ended: Promise<void> | undefined;
  const stop = (): Promise<void> => (ended ??= Promise.resolve(server[Symbol.asyncDispose]()));
  onTestFinished(stop);
  return { server, stop };
}

/** What a start does beside requests ends when the server stops, done or not: probes go on to say what was not. */
const started = (server: TestServer): Promise<void> =>
  vi.waitFor(async () => expect(await ask(server, '/readyz')).toMatchObject({ status: 200 }), patience);

const headersOf = (extra: object = {}): Record<string, string> => ({
  authorization: 'Bearer admintoken',
  'content-type': 'application/json',
  ...extra,
});
const configMap = (name: string): Buffer => Buffer.from(JSON.stringify({ metadata: { name } }));

/** A connection over HTTP/2. */
function connect({ url, ca }: TestServer): http2.ClientHttp2Session {
  const session = http2.connect(url, { ca, servername: 'localhost' });
  session.on('error', () => undefined);
  onTestFinished(() => session.destroy());
  return session;
}

async function answerTo(stream: http2.ClientHttp2Stream): Promise<Answer> {
  let text = '';
  stream.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
  const [headers] = (await once(stream, 'response')) as [http2.IncomingHttpHeaders];
  if (!stream.readableEnded) await once(stream, 'end');
  return { status: Number(headers[':status']), headers, text };
}

const get = (session: http2.ClientHttp2Session, path: string): Promise<Answer> =>
  answerTo(session.request({ ':path': path, ...headersOf() }));

/** A write whose body has not come yet, which the server has in work: the same connection answers a later request. */
async function heldOverHttp2(session: http2.ClientHttp2Session, name: string): Promise<{ finish(): Promise<Answer> }> {
  const stream = session.request({ ':method': 'POST', ':path': configMaps, ...headersOf() });
  const answer = answerTo(stream);
  await get(session, '/livez/ping');
  return { finish: () => (stream.end(configMap(name)), answer) };
}

/** The same over HTTP/1.1: the server has said that it reads. */
async function heldOverHttp1({ url, ca }: TestServer, name: string): Promise<{ finish(): Promise<Answer> }> {
  const agent = new https.Agent({ keepAlive: true });
  onTestFinished(() => agent.destroy());
  const body = configMap(name);
  const request = https.request(`${url}${configMaps}`, {
    method: 'POST',
    ca,
    servername: 'localhost',
    agent,
    headers: { ...headersOf(), expect: '100-continue', 'content-length': String(body.length) },
  });
  const answer = new Promise<Answer>((resolve, reject) => {
    request.once('error', reject).once('response', (message) => {
      let text = '';
      message
        .setEncoding('utf8')
        .on('data', (chunk: string) => (text += chunk))
        .once('error', reject)
        .once('end', () => resolve({ status: message.statusCode!, headers: message.headers, text }));
    });
  });
  request.flushHeaders();
  await once(request, 'continue');
  return { finish: () => (request.end(body), answer) };
}

/** One request over a new connection, which the client would keep. */
function ask({ url, ca }: TestServer, path: string, headers: object = {}): Promise<Answer> {
  const agent = new https.Agent({ keepAlive: true });
  return new Promise<Answer>((resolve, reject) => {
    https
      .get(`${url}${path}`, { ca, servername: 'localhost', agent, headers: headersOf(headers) }, (message) => {
        let text = '';
        message
          .setEncoding('utf8')
          .on('data', (chunk: string) => (text += chunk))
          .once('end', () => resolve({ status: message.statusCode!, headers: message.headers, text }));
      })
      .once('error', reject);
  }).finally(() => agent.destroy());
}

const nobodyListens = (server: TestServer): Promise<void> =>
  vi.waitFor(async () => {
    await expect(ask(server, '/livez')).rejects.toMatchObject({ code: 'ECONNREFUSED' });
  }, patience);

const waits = (closing: Promise<void>): Promise<string> =>
  Promise.race([closing.then(() => 'over'), new Promise<string>((resolve) => setImmediate(() => resolve('waits')))]);

describe('a server that stops', () => {
  test('A server that stops answers what it has in work, and listens no longer', async () => {
    const { server, stop } = await start({});
    const session = connect(server);
    const [first, second] = [await heldOverHttp2(session, 'first'), await heldOverHttp1(server, 'second')];
    const leaving = once(session, 'goaway');
    const stopped = stop();
    await leaving;
    await nobodyListens(server);
    expect(await waits(stopped)).toBe('waits');
    expect(await first.finish()).toMatchObject({ status: 201 });
    expect(await waits(stopped)).toBe('waits');
    expect(await second.finish()).toMatchObject({ status: 201, headers: { connection: 'close' } });
    await stopped;
  });

  test('A server that stops lets connections go that are at rest, without an error', async () => {
    const { server, stop } = await start({});
    const session = connect(server);
    await get(session, '/livez');
    const idle = tls.connect({ port: Number(new URL(server.url).port), ca: server.ca, servername: 'localhost' });
    onTestFinished(() => void idle.destroy());
    idle.write(`GET /livez HTTP/1.1\r\nhost: x\r\nauthorization: Bearer admintoken\r\n\r\n`);
    await once(idle, 'data');
    const ends = Promise.all([once(session, 'close'), once(idle.resume(), 'end')]);
    await stop();
    await ends;
  });

  test('A server that stops ends watches in order, with nothing cut off', async () => {
    const { server, stop } = await start({});
    const stream = connect(server).request({ ':path': `${configMaps}?watch=true`, ...headersOf() });
    await once(stream, 'response');
    const ended = once(stream.resume(), 'end');
    await stop();
    await ended;
    expect(stream.rstCode).toBe(http2.constants.NGHTTP2_NO_ERROR);
  });

  test('A server that stops gives up on a request that takes longer than any may', async () => {
    const { server, stop } = await start({ flags: ['--request-timeout=200ms'] });
    const stream = connect(server).request({ ':method': 'POST', ':path': configMaps, ...headersOf() });
    const answer = answerTo(stream);
    await stop();
    expect(await answer).toMatchObject({ status: 504 });
  });
});

describe('with --shutdown-send-retry-after', () => {
  test('With --shutdown-send-retry-after new requests get 429 until requests in work are answered', async () => {
    const { server, stop } = await start({ flags: ['--shutdown-send-retry-after'] });
    await started(server);
    const [session, other] = [connect(server), connect(server)];
    await get(other, '/livez');
    const held = await heldOverHttp2(session, 'held');
    const stopped = stop();
    const busy = await vi.waitFor(async () => {
      const answer = await ask(server, configMaps);
      expect(answer.status).toBe(429);
      return answer;
    }, patience);
    expect(busy).toMatchObject({
      text: 'The apiserver is shutting down, please try again later.\n',
      headers: {
        'retry-after': '5',
        connection: 'close',
        'content-type': 'text/plain; charset=utf-8',
        'x-content-type-options': 'nosniff',
        'audit-id': expect.any(String) as string,
      },
    });
    expect(busy.headers['cache-control']).toBeUndefined();

    // Over HTTP/2 the connection is to be left, which here is a GOAWAY.
    const leaving = once(other, 'goaway');
    expect(await get(other, configMaps)).toMatchObject({ status: 429, headers: { 'retry-after': '5' } });
    await leaving;

    // Probes are answered until the end, and refused requests do not count as answered.
    expect(await ask(server, '/readyz')).toMatchObject({
      status: 500,
      text: expect.stringContaining('[-]shutdown failed: reason withheld') as string,
    });
    expect(await ask(server, '/livez')).toMatchObject({ status: 200, text: 'ok' });
    expect(await ask(server, configMaps, { 'user-agent': 'kube-apiserver/v1.32.0' })).toMatchObject({ status: 200 });
    const metrics = await ask(server, '/metrics');
    expect(metrics.status).toBe(200);
    expect(metrics.text).not.toMatch(/apiserver_request_total\{.*code="429"/);

    expect(await waits(stopped)).toBe('waits');
    expect(await held.finish()).toMatchObject({ status: 201 });
    await stopped;
    await nobodyListens(server);
  });
});

describe('with --shutdown-watch-termination-grace-period', () => {
  test('Watches end by themselves with --shutdown-watch-termination-grace-period', async () => {
    const { server, stop } = await start({ flags: ['--shutdown-watch-termination-grace-period=60s'] });
    const streams = Array.from({ length: 20 }, () =>
      connect(server).request({ ':path': `${configMaps}?watch=true&allowWatchBookmarks=true`, ...headersOf() }),
    );
    await Promise.all(streams.map((stream) => once(stream, 'response')));
    const ended = streams.slice(1).map((stream) => once(stream.resume(), 'end'));
    const stopped = stop();
    await Promise.all(ended);
    // One client has not read the end of its watch yet.
    expect(await waits(stopped)).toBe('waits');
    streams[0]!.resume();
    await stopped;
    expect(streams.map(({ rstCode }) => rstCode)).toEqual(streams.map(() => http2.constants.NGHTTP2_NO_ERROR));
  });
});

/** Keeps what is warned of. */
const listening = (warned: string[]): Logger => ({
  debug: () => undefined,
  info: () => undefined,
  warn: (_, message) => void warned.push(message),
  error: (_, message) => void warned.push(message),
});

/** A store whose calls the test can hold. */
function holding(): {
  wrap: (store: Store) => Store;
  hold: (fits: (method: string, key: string) => boolean) => void;
  release: () => void;
  readonly held: string[];
  readonly calls: string[];
} {
  let fits: (method: string, key: string) => boolean = () => false;
  const waiting: (() => void)[] = [];
  const held: string[] = [];
  const calls: string[] = [];
  const wrap = (store: Store): Store =>
    new Proxy(store, {
      get(target, name) {
        const member: unknown = Reflect.get(target, name, target);
        if (typeof member !== 'function' || typeof name === 'symbol' || name === 'watch')
          return typeof member === 'function' ? (member.bind(target) as unknown) : member;
        return async (...args: unknown[]): Promise<unknown> => {
          const call = `${name} ${String(args[0])}`;
          calls.push(call);
          if (fits(name, String(args[0]))) {
            held.push(call);
            await new Promise<void>((resolve) => waiting.push(resolve));
          }
          return Reflect.apply(member, target, args) as unknown;
        };
      },
    });
  return {
    wrap,
    held,
    calls,
    hold: (next) => (fits = next),
    release: () => {
      fits = () => false;
      waiting.splice(0).forEach((go) => go());
    },
  };
}

describe('what runs beside requests', () => {
  test('What runs beside requests ends at its next call of the store; the one under way is not abandoned', async () => {
    await using kept = await openEmbeddedStore();
    const store = holding();
    store.hold((method, key) => method === 'create' && key.includes('/clusterroles/'));
    const { server, stop } = await start({ wrap: store.wrap, store: kept });
    await vi.waitFor(() => expect(store.held.length).toBeGreaterThan(0), patience);
    const stopped = stop();
    await nobodyListens(server);
    const begun = store.held.length;
    store.calls.length = 0;
    store.release();
    await stopped;
    // Each write under way succeeds; no later one does.
    expect(store.calls.filter((call) => call.startsWith('create'))).toEqual([]);
    const { kvs } = await kept.list('/registry/clusterroles/');
    expect(kvs).toHaveLength(begun);
  });

  test('What runs beside requests does not keep the server when the store never answers', async () => {
    const warned: string[] = [];
    const store = holding();
    const { stop } = await start({
      wrap: store.wrap,
      log: listening(warned),
      settled: true,
      flags: ['--advertise-address=192.0.2.7', '--store-compaction-interval=10ms'],
    });
    store.hold(() => true);
    await vi.waitFor(
      () => expect(store.held).toContainEqual(expect.stringMatching(/^(update compact_rev_key|compact \d+)$/)),
      patience,
    );
    onTestFinished(store.release);
    await stop();
    expect(warned).toEqual(
      expect.arrayContaining([
        'taking this server out of the kubernetes service did not end in time and is left to itself',
        'work beside requests did not end in time and is left to itself',
      ]),
    );
  });
});
