/** A server mounted in a Koa application that listens over HTTP/1.1 or HTTP/2. */
import { once } from 'node:events';
import http, { type ServerResponse } from 'node:http';
import http2 from 'node:http2';
import type { AddressInfo } from 'node:net';
import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import Koa from 'koa';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { type ApiResponse, BodyTooLarge, type Caller, type Exchange, type Sink } from '../exchange.ts';
import { mount, type MountOptions } from './mount.ts';
import type { NodeRequest, NodeResponse } from './mounted-exchange.ts';

type Version = '1.1' | '2.0';

interface Sent {
  readonly method?: string;
  readonly path?: string;
  readonly headers?: Readonly<Record<string, string | string[]>>;
  readonly body?: string;
}

interface Received {
  readonly status: number;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly body: () => Promise<string>;
  readonly leave: () => void;
}

interface Given {
  readonly version?: Version;
  readonly prefix?: string;
  readonly user?: MountOptions['user'];
  readonly handle?: (exchange: Exchange) => ApiResponse | Promise<ApiResponse>;
  /** Comes before the mounted server. */
  readonly middleware?: Koa.Middleware;
  /** Instead of Koa. */
  readonly serve?: (mounted: ReturnType<typeof mount>) => (request: NodeRequest, response: NodeResponse) => void;
}

/** As Koa before version 3 does it. */
const serveByPipe: Given['serve'] = (mounted) => (req, res) => {
  const response = res as ServerResponse;
  const context = {
    req,
    res,
    url: req.url!,
    set: (name: string, value: string | string[]) => response.setHeader(name, value),
    remove: (name: string) => response.removeHeader(name),
    status: 404,
    body: undefined as unknown,
  };
  void mounted(context, () => Promise.resolve()).then(() => {
    response.statusCode = context.status;
    (context.body as Readable).on('error', () => undefined).pipe(response);
  });
};

const done: ApiResponse = { status: 200, headers: { 'content-type': 'text/plain' }, body: 'mounted' };

async function start({ version = '1.1', prefix, user, handle = () => done, middleware, serve }: Given = {}) {
  const seen: { exchange: Exchange; caller: Caller | undefined }[] = [];
  const app = new Koa();
  app.silent = true;
  if (middleware !== undefined) app.use(middleware);
  const mounted = async (exchange: Exchange, caller?: Caller): Promise<ApiResponse> => {
    seen.push({ exchange, caller });
    return handle(exchange);
  };
  const step = mount({ handle: mounted, prefix, user });
  app.use(step as unknown as Koa.Middleware);
  app.use((ctx) => void (ctx.body = `behind ${ctx.url}`));
  const callback = (serve?.(step) as ReturnType<Koa['callback']> | undefined) ?? app.callback();
  const server = version === '1.1' ? http.createServer(callback as http.RequestListener) : http2.createServer(callback);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const session = version === '2.0' ? http2.connect(`http://127.0.0.1:${port}`) : undefined;
  const agent = new http.Agent({ keepAlive: true, maxSockets: 1 });
  onTestFinished(() => {
    agent.destroy();
    session?.destroy();
    if ('closeAllConnections' in server) server.closeAllConnections();
    server.close();
  });
  return { seen, send: (sent: Sent) => (session === undefined ? send1({ port, agent }, sent) : send2(session, sent)) };
}

async function send1(
  { port, agent }: http.RequestOptions,
  { method = 'GET', path = '/', headers = {}, body }: Sent,
): Promise<Received> {
  const request = http.request({ host: '127.0.0.1', port, method, path, headers, agent });
  request.end(body);
  const [response] = (await once(request, 'response')) as [http.IncomingMessage];
  return {
    status: response.statusCode!,
    headers: response.headers,
    body: () => text(response),
    leave: () => request.destroy(),
  };
}

async function send2(
  session: http2.ClientHttp2Session,
  { method = 'GET', path = '/', headers = {}, body }: Sent,
): Promise<Received> {
  const stream = session.request({ ':method': method, ':path': path, ...headers }, { endStream: body === undefined });
  if (body !== undefined) stream.end(body);
  const [response] = (await once(stream, 'response')) as [http2.IncomingHttpHeaders];
  const failed = once(stream, 'error').catch(() => undefined);
  return {
    status: Number(response[':status']),
    headers: response,
    body: () => Promise.race([text(stream), failed.then(() => Promise.reject(new Error('the stream was reset')))]),
    leave: () => stream.close(http2.constants.NGHTTP2_CANCEL),
  };
}

describe('a request below the prefix is answered by the mounted server', () => {
  test.each([
    { prefix: undefined, path: '/api?watch=1', target: '/api?watch=1' },
    { prefix: '/clusters/main', path: '/clusters/main/api/v1', target: '/api/v1' },
    { prefix: '/clusters/main', path: '/clusters/main/', target: '/' },
    { prefix: '/clusters/main', path: '/clusters/main', target: '/' },
    { prefix: '/clusters/main', path: '/clusters/main?a=b', target: '/?a=b' },
    { prefix: '/clusters/main', path: '/clusters/main//api', target: '//api' },
  ])('$path with the prefix $prefix', async ({ prefix, path, target }) => {
    const { send, seen } = await start(prefix === undefined ? {} : { prefix });
    expect(await (await send({ path })).body()).toBe('mounted');
    expect(seen.map(({ exchange }) => exchange.target)).toEqual([target]);
  });
});

describe('a request beside the prefix is answered by what comes behind', () => {
  test.each([
    { prefix: '/clusters/main', path: '/clusters/mainly' },
    { prefix: '/clusters/main', path: '/clusters' },
    { prefix: '/clusters/main', path: '/' },
    { prefix: '/clusters/main', path: '/other/clusters/main/api' },
    { prefix: '/clusters/main', path: '/Clusters/main/api' },
  ])('$path with the prefix $prefix', async ({ prefix, path }) => {
    const { send, seen } = await start({ prefix });
    expect(await (await send({ path })).body()).toBe(`behind ${path}`);
    expect(seen).toEqual([]);
  });

  test('A question to the whole server is answered by what comes behind the prefix', async () => {
    const { send } = await start();
    expect(await (await send({ method: 'OPTIONS', path: '*' })).body()).toBe('behind *');
  });
});

test.each(['clusters', '/', '/clusters/', '//clusters', '/clusters?a', '/clusters#a', '/a//b'])(
  'The prefix %s is refused at once',
  (prefix) => {
    expect(() => mount({ handle: () => Promise.resolve(done), prefix, user: undefined })).toThrow(
      `${JSON.stringify(prefix)} is no prefix`,
    );
  },
);

describe('the caller', () => {
  const alice = { name: 'alice', groups: ['a'] };
  test.each<{ name: string; user?: MountOptions['user']; caller: Caller | undefined }>([
    { name: 'authenticates itself where the application does not', caller: undefined },
    { name: 'is whom the application knows', user: () => alice, caller: { user: alice } },
    { name: 'is whom the application finds out later', user: () => Promise.resolve(alice), caller: { user: alice } },
    { name: 'is unknown where the application does not know it', user: () => undefined, caller: { user: undefined } },
  ])('The caller: $name', async ({ user, caller }) => {
    const { send, seen } = await start({ user });
    expect((await send({})).status).toBe(200);
    expect(seen[0]!.caller).toEqual(caller);
  });

  test.each([
    { name: 'without a name', user: () => ({ groups: ['a'] }) as never },
    { name: 'with an empty name', user: () => ({ name: '', groups: [] }) },
    { name: 'whose authentication fails', user: () => Promise.reject(new Error('no')) },
  ])('The caller: $name reaches no server', async ({ user }) => {
    const { send, seen } = await start({ user });
    expect((await send({})).status).toBe(500);
    expect(seen).toEqual([]);
  });

  test('The caller is refused where Node may have dropped headers that say for whom it acts', async () => {
    const { send, seen } = await start({ user: () => alice });
    const headers = Object.fromEntries(Array.from({ length: 1100 }, (_, i) => [i === 0 ? 'host' : `a${i}`, '1']));
    const answer = await send({ headers });
    expect([answer.status, await answer.body()]).toEqual([431, 'too many headers\n']);
    expect(seen).toEqual([]);
  });
});

describe.each<{ version: Version }>([{ version: '1.1' }, { version: '2.0' }])('over HTTP/$version', ({ version }) => {
  test('An exchange has what the client sent, and no certificate', async () => {
    let facts: unknown[] = [];
    const handle = (exchange: Exchange): ApiResponse => {
      const { method, target, httpVersion, remoteAddress } = exchange;
      const pseudo = exchange.headerNames().filter((name) => name.startsWith(':'));
      facts = [method, target, httpVersion, remoteAddress, exchange.headerValues('x-name'), pseudo];
      facts.push(exchange.header('x-name'), exchange.header('x-absent'), exchange.peerCertificate());
      return done;
    };
    const { send } = await start({ version, handle });
    await send({ method: 'DELETE', path: '/a?b=c', headers: { 'X-Name': ['one', 'two'] } });
    const values = ['one', 'two'];
    expect(facts).toEqual(['DELETE', '/a?b=c', version, '127.0.0.1', values, [], 'one', undefined, undefined]);
  });

  test('The requests of a connection have one connection', async () => {
    const connections: unknown[] = [];
    const { send } = await start({ version, handle: (exchange) => (connections.push(exchange.connection), done) });
    for (const path of ['/1', '/2']) await (await send({ path })).body();
    expect(connections.map((connection) => connection === connections[0])).toEqual([true, true]);
  });

  test.each<{ name: string; limit: number; body?: string; read: string }>([
    { name: 'is read whole', limit: 5, body: 'hello', read: 'hello' },
    { name: 'that is longer than the limit is refused', limit: 4, body: 'hello', read: 'too large' },
    { name: 'that was not sent is empty', limit: 5, read: '' },
  ])('A body $name', async ({ limit, body, read }) => {
    const handle = async (exchange: Exchange): Promise<ApiResponse> => {
      const bytes = await exchange.readBody(limit).catch((error: unknown) => {
        if (error instanceof BodyTooLarge) return 'too large';
        throw error;
      });
      return { ...done, body: bytes };
    };
    const { send } = await start({ version, handle });
    expect(await (await send({ method: 'POST', ...(body === undefined ? {} : { body }) })).body()).toBe(read);
  });

  test('A body that was read before is an error, which says what to do', async () => {
    let why = '';
    const { send } = await start({
      version,
      middleware: async (ctx, next) => {
        await text(ctx.req);
        await next();
      },
      handle: (exchange) =>
        exchange.readBody(10).catch((error: Error) => ((why = error.message), done)) as Promise<ApiResponse>,
    });
    await send({ method: 'POST', body: 'hello' });
    expect(why).toMatch(/^the body was read before: the control plane is to be mounted in front/);
  });

  test('An answer that ends its connection says so where the protocol has a word for it', async () => {
    const warn = vi.spyOn(process, 'emitWarning');
    onTestFinished(() => warn.mockRestore());
    const { send } = await start({ version, handle: () => ({ ...done, headers: { connection: 'close' } }) });
    expect((await send({})).headers['connection']).toBe(version === '1.1' ? 'close' : undefined);
    expect(warn).not.toHaveBeenCalled();
  });

  /** A server whose answer is a stream that the test writes. */
  async function startStream(serve?: Given['serve']) {
    let opened: (sink: Sink) => void;
    const sink = new Promise<Sink>((resolve) => (opened = resolve));
    let end = (): void => undefined;
    const stream = (given: Sink): Promise<void> => (opened(given), new Promise((resolve) => (end = resolve)));
    const server = await start({
      version,
      handle: () => ({ status: 200, headers: { 'x-a': 'b' }, stream }),
      ...(serve === undefined ? {} : { serve }),
    });
    return { ...server, sink, end: () => end() };
  }

  test('The head of a stream is sent before its first bytes', async () => {
    const { send, sink, end } = await startStream();
    const answer = await send({});
    expect([answer.status, answer.headers['x-a']]).toEqual([200, 'b']);
    (await sink).write(Buffer.from('later'));
    end();
    expect(await answer.body()).toBe('later');
  });

  test.each([
    { name: 'Koa', serve: undefined },
    { name: 'a framework that does not break off what it pipes', serve: serveByPipe },
  ])('A stream of $name that is broken off is not taken for a whole one', async ({ serve }) => {
    const { send, sink } = await startStream(serve);
    const answer = await send({});
    (await sink).write(Buffer.from('half'));
    const body = answer.body();
    (await sink).abort();
    await expect(body).rejects.toThrow();
  });

  test('The end of a request is told when its client leaves, and to one that asks later', async () => {
    const { send, sink, seen } = await startStream();
    const answer = await send({});
    const { exchange } = seen[0]!;
    const closed = new Promise<void>((resolve) => exchange.onClose(resolve));
    const streamClosed = sink.then((given) => new Promise<void>((resolve) => given.onClose(resolve)));
    await sink;
    answer.leave();
    await Promise.all([closed, streamClosed]);
    await new Promise<void>((resolve) => exchange.onClose(resolve));
  });
});
