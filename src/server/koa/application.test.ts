import { PassThrough, Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import Koa from 'koa';
import { describe, expect, test } from 'vitest';
import { type ApiResponse, ClientGone, type Exchange, type Sink } from '../exchange.ts';
import { answersOf } from './application.ts';

function exchangeOf(more: Partial<Exchange> & { readonly fields?: Readonly<Record<string, string[]>> } = {}): Exchange {
  const { fields = {} } = more;
  return {
    method: 'GET',
    target: '/a/b?c=d',
    httpVersion: '2.0',
    remoteAddress: '192.0.2.1',
    header: (name) => fields[name]?.[0],
    headerValues: (name) => fields[name] ?? [],
    headerNames: () => Object.keys(fields).filter((name) => !name.startsWith(':')),
    readBody: () => Promise.reject(new Error('not here')),
    bodyStream: () => undefined,
    peerCertificate: () => undefined,
    onClose: () => undefined,
    ...more,
  };
}

const serve = (middleware: Koa.Middleware, exchange = exchangeOf()): Promise<ApiResponse> => {
  const app = new Koa();
  app.use(middleware);
  return answersOf(app)(exchange, {});
};

/** Takes everything, or nothing until it is told to go on. */
class TestSink implements Sink {
  readonly taken: string[] = [];
  closed = false;
  aborted = false;
  isFull = false;
  #listeners: (() => void)[] = [];
  #goOn: () => void = () => undefined;

  write(chunk: Buffer): boolean {
    this.taken.push(chunk.toString());
    return !this.isFull;
  }

  drained(): Promise<void> {
    return new Promise((resolve) => (this.#goOn = resolve));
  }

  take(): void {
    this.#goOn();
  }

  onClose(listener: () => void): void {
    this.#listeners.push(listener);
  }

  leave(): void {
    this.closed = true;
    this.#listeners.forEach((listener) => listener());
    this.#goOn();
  }

  abort(): void {
    this.aborted = true;
  }
}

const streamOf = (response: ApiResponse): ((sink: Sink) => Promise<void>) => {
  if (!('stream' in response)) throw new Error('no stream');
  return response.stream;
};

describe('a context', () => {
  test('A Koa context has what the exchange says', async () => {
    const fields = { ':authority': ['host:6443'], accept: ['text/html', 'text/plain'], cookie: ['a=1', 'b=2'] };
    const seen: Record<string, unknown> = {};
    await serve((ctx) => {
      Object.assign(seen, {
        method: ctx.method,
        path: ctx.path,
        query: { ...ctx.query },
        host: ctx.host,
        ip: ctx.ip,
        protocol: ctx.protocol,
        accept: ctx.get('Accept'),
        cookie: ctx.get('Cookie'),
        absent: ctx.get('X-Absent'),
      });
    }, exchangeOf({ fields }));
    expect(seen).toEqual({
      method: 'GET',
      path: '/a/b',
      query: { c: 'd' },
      host: 'host:6443',
      ip: '192.0.2.1',
      protocol: 'https',
      accept: 'text/html, text/plain',
      cookie: 'a=1; b=2',
      absent: '',
    });
  });

  test('A Koa context takes a header that is called like a property for a header', async () => {
    const fields = { ['__proto__']: ['x'], constructor: ['y'] };
    let seen: string[] = [];
    await serve((ctx) => void (seen = [ctx.get('constructor'), ctx.get('toString')]), exchangeOf({ fields }));
    expect(seen).toEqual(['y', '']);
  });

  test('A Koa context reads the body when middleware asks for it, and not before', async () => {
    let asked = 0;
    const exchange = exchangeOf({ method: 'POST', bodyStream: () => (asked++, Readable.from([Buffer.from('hello')])) });
    await serve(() => undefined, exchange);
    expect(asked).toBe(0);
    let seen = '';
    await serve(async (ctx) => void (seen = await text(ctx.req)), exchange);
    expect(seen).toBe('hello');
  });

  test('A Koa context has an empty body where none was sent', async () => {
    let seen = 'not read';
    await serve(async (ctx) => void (seen = await text(ctx.req)));
    expect(seen).toBe('');
  });

  test('A Koa context tells a reader of the body when the client leaves', async () => {
    const body = new PassThrough();
    const exchange = exchangeOf({ method: 'POST', bodyStream: () => body });
    const reading = serve(async (ctx) => void (await text(ctx.req)), exchange);
    body.write('half');
    body.destroy();
    await expect(reading).rejects.toThrow(ClientGone);
  });
});

describe('an answer', () => {
  test.each<[name: string, middleware: Koa.Middleware, expected: ApiResponse]>([
    ['nothing at all', () => undefined, { status: 404, headers: {} }],
    [
      'text',
      (ctx) => (ctx.body = 'hi'),
      { status: 200, headers: { 'content-type': 'text/plain; charset=utf-8' }, body: 'hi' },
    ],
    [
      'bytes of a type',
      (ctx) => {
        ctx.set('Content-Type', 'application/x');
        ctx.body = Buffer.from('hi');
      },
      { status: 200, headers: { 'content-type': 'application/x' }, body: Buffer.from('hi') },
    ],
    [
      'an object',
      (ctx) => (ctx.body = { a: 1 }),
      { status: 200, headers: { 'content-type': 'application/json; charset=utf-8' }, body: '{"a":1}' },
    ],
    ['no content', (ctx) => (ctx.body = null), { status: 204, headers: {} }],
    [
      'a status and several values of a header',
      (ctx) => {
        ctx.status = 304;
        ctx.set('Vary', ['Accept', 'Origin']);
      },
      { status: 304, headers: { vary: ['Accept', 'Origin'] } },
    ],
  ])('An answer of %s is that of the application', async (_, middleware, expected) => {
    expect(await serve(middleware)).toEqual({
      ...expected,
      headers: expect.objectContaining(expected.headers) as object,
    });
  });

  test('An answer is refused with what middleware throws', async () => {
    await expect(
      serve(() => {
        throw new Error('broken');
      }),
    ).rejects.toThrow('broken');
  });

  test('An answer comes piece by piece as the client takes it', async () => {
    const response = await serve((ctx) => (ctx.body = Readable.from([Buffer.from('a'), Buffer.from('b')])));
    const sink = new TestSink();
    sink.isFull = true;
    const done = streamOf(response)(sink);
    await new Promise(setImmediate);
    expect(sink.taken).toEqual(['a']);
    sink.take();
    await new Promise(setImmediate);
    expect(sink.taken).toEqual(['a', 'b']);
    sink.take();
    await done;
    expect(sink.aborted).toBe(false);
  });

  test('An answer ends its source when the client leaves', async () => {
    const source = new PassThrough();
    const response = await serve((ctx) => (ctx.body = source));
    const sink = new TestSink();
    const done = streamOf(response)(sink);
    sink.leave();
    await done;
    expect(source.destroyed).toBe(true);
  });

  test('An answer breaks off where its source does', async () => {
    const source = new PassThrough();
    const response = await serve((ctx) => (ctx.body = source));
    const sink = new TestSink();
    const done = streamOf(response)(sink);
    source.destroy(new Error('gone'));
    await done;
    expect(sink.aborted).toBe(true);
  });

  test('An answer to HEAD does not begin a stream', async () => {
    const source = new PassThrough();
    const response = await serve((ctx) => (ctx.body = source), exchangeOf({ method: 'HEAD' }));
    expect(response).not.toHaveProperty('stream');
    expect(source.destroyed).toBe(true);
  });
});
