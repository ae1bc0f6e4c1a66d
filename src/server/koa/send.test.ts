import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { describe, expect, test } from 'vitest';
import type { Sink } from '../exchange.ts';
import { type KoaAnswer, send } from './send.ts';

/** A context that keeps what is set on it. */
class TestContext implements KoaAnswer {
  status = 404;
  body: unknown;
  length?: number;
  readonly headers = new Map<string, string | string[]>();

  set(field: string, value: string | string[]): void {
    this.headers.set(field, value);
  }

  remove(field: string): void {
    this.headers.delete(field);
  }
}

/** A stream that was begun, with its sink. */
function begin(onBreak?: () => void): { source: Readable; sink: Sink; end(): void } {
  const ctx = new TestContext();
  let sink: Sink | undefined;
  let end: () => void = () => undefined;
  const stream = (given: Sink): Promise<void> => {
    sink = given;
    return new Promise((resolve) => (end = resolve));
  };
  send(ctx, { status: 200, headers: {}, stream }, onBreak);
  return { source: ctx.body as Readable, sink: sink!, end };
}

const megabyte = Buffer.alloc(1024 * 1024);

describe('an answer on a context', () => {
  test('An answer on a context has status, headers and bytes', () => {
    const ctx = new TestContext();
    send(ctx, { status: 201, headers: { 'content-type': 'a/b', 'retry-after': 5, vary: ['x', 'y'] }, body: 'é' });
    expect(ctx.status).toBe(201);
    expect(ctx.body).toEqual(Buffer.from('é'));
    expect([...ctx.headers]).toEqual([
      ['content-type', 'a/b'],
      ['retry-after', '5'],
      ['vary', ['x', 'y']],
    ]);
  });

  test('An answer on a context without a body keeps its status', () => {
    const ctx = new TestContext();
    send(ctx, { status: 404, headers: {} });
    expect(ctx).toMatchObject({ status: 404, body: null });
  });

  test('An answer on a context of chunks has their length', async () => {
    const ctx = new TestContext();
    send(ctx, { status: 200, headers: {}, chunks: [Buffer.from('a'), Buffer.from('b')], length: 2 });
    expect(ctx.length).toBe(2);
    expect(await text(ctx.body as Readable)).toBe('ab');
  });
});

describe('a streaming answer on a context', () => {
  test('A streaming answer on a context is what the stream writes, to its end', async () => {
    const { source, sink, end } = begin();
    sink.write(Buffer.from('a'));
    sink.write(Buffer.from('b'));
    end();
    expect(await text(source)).toBe('ab');
  });

  test('A streaming answer on a context tells its stream to wait until what it wrote is read', async () => {
    const { source, sink } = begin();
    expect(sink.write(megabyte)).toBe(false);
    let isDrained = false;
    const drained = sink.drained().then(() => (isDrained = true));
    await new Promise(setImmediate);
    expect(isDrained).toBe(false);
    source.read();
    await drained;
  });

  test('A streaming answer on a context tells its stream when the client leaves, also while it waits', async () => {
    const { source, sink } = begin();
    const heard: string[] = [];
    sink.onClose(() => heard.push('closed'));
    sink.write(megabyte);
    const drained = sink.drained();
    source.destroy();
    await drained;
    expect(sink.closed).toBe(true);
    expect(sink.write(megabyte)).toBe(false);
    sink.onClose(() => heard.push('closed already'));
    await new Promise(setImmediate);
    expect(heard).toEqual(['closed', 'closed already']);
  });

  test('A streaming answer on a context tells of a break once, whether or not anyone reads', async () => {
    let breaks = 0;
    const { source, sink } = begin(() => breaks++);
    sink.abort();
    sink.abort();
    await new Promise(setImmediate);
    expect(source.destroyed).toBe(true);
    expect(breaks).toBe(1);
  });

  test('A streaming answer on a context breaks off when its stream fails', async () => {
    let breaks = 0;
    const ctx = new TestContext();
    send(ctx, { status: 200, headers: {}, stream: () => Promise.reject(new Error('broken')) }, () => breaks++);
    await new Promise(setImmediate);
    expect((ctx.body as Readable).destroyed).toBe(true);
    expect(breaks).toBe(1);
  });
});
