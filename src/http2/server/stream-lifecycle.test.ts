import http2 from 'node:http2';
import { describe, expect, test, vi } from 'vitest';
import { ErrorCode } from '../frames.ts';
import { answer, closeOf, echo, field, pattern, readBody, sendBody, startServer } from '../testing/http2-server.ts';
import type { ServerStream } from './stream.ts';
import { connect, get, post, roundTrip } from '../testing/nghttp2-client.ts';

describe('HTTP/2 server connection with nghttp2 as its client', () => {
  test('A handler that resets its stream is understood', async () => {
    const after: boolean[] = [];
    const server = await startServer((stream) => {
      stream.respond(200, []);
      stream.write(Buffer.from('some'));
      stream.reset(ErrorCode.internalError);
      stream.reset(ErrorCode.internalError);
      after.push(stream.closed, stream.write(Buffer.from('more')));
      stream.end(Buffer.from('more'));
    });
    const session = await connect(server.port);
    await expect(get(session)).rejects.toThrow('NGHTTP2_INTERNAL_ERROR');
    expect(after).toEqual([true, false]);
  });

  test('A stream that the client cancels is closed once, and what is sent to it goes nowhere', async () => {
    const closes: number[] = [];
    const streams: ServerStream[] = [];
    const server = await startServer((stream) => {
      if (field(stream, ':path') === '/next') return answer(stream);
      streams.push(stream);
      stream.onClose(() => closes.push(stream.id));
      stream.respond(200, []);
      stream.write(Buffer.from('some'));
    });
    const session = await connect(server.port);
    const client = session.request({ ':path': '/' });
    client.on('error', () => {});
    await new Promise((resolve) => client.once('data', resolve));
    client.close(http2.constants.NGHTTP2_CANCEL);
    await vi.waitFor(() => expect(closes).toEqual([1]));
    const [stream] = streams;
    expect(stream!.closed).toBe(true);
    expect(stream!.write(Buffer.from('more'))).toBe(false);
    stream!.end();
    stream!.reset(ErrorCode.cancel);
    expect((await get(session, '/next')).body.toString()).toBe('ok');
    expect(closes).toEqual([1]);
    expect(server.connections[0]!.activeStreams).toBe(0);
  });

  test('A body that breaks off ends as one that is not complete', async () => {
    const bodies: Promise<{ body: Buffer; isComplete: boolean }>[] = [];
    const server = await startServer((stream) => void bodies.push(readBody(stream)));
    const session = await connect(server.port);
    const client = session.request({ ':method': 'POST' });
    client.on('error', () => {});
    client.write(pattern(1_000));
    await vi.waitFor(() => expect(bodies).toHaveLength(1));
    await roundTrip(session);
    client.destroy();
    expect(await bodies[0]).toEqual({ body: pattern(1_000), isComplete: false });
  });

  test('A writer that waits is told when its stream is over', async () => {
    const drained = vi.fn();
    const server = await startServer((stream) => {
      stream.respond(200, []);
      while (stream.write(Buffer.alloc(10_000)));
      stream.onDrain(drained);
    });
    const session = await connect(server.port, { settings: { initialWindowSize: 0 } });
    const client = session.request({ ':path': '/' });
    client.on('error', () => {});
    await new Promise((resolve) => client.once('response', resolve));
    await roundTrip(session);
    expect(drained).not.toHaveBeenCalled();
    client.close(http2.constants.NGHTTP2_CANCEL);
    await vi.waitFor(() => expect(drained).toHaveBeenCalledOnce());
  });

  test('A lost connection closes every stream once', async () => {
    const closes: number[] = [];
    const bodies: Promise<{ isComplete: boolean }>[] = [];
    const server = await startServer((stream) => {
      stream.onClose(() => closes.push(stream.id));
      if (!stream.endsWithHeaders) bodies.push(readBody(stream));
    });
    const session = await connect(server.port);
    for (const request of [session.request({ ':path': '/' }), session.request({ ':method': 'POST' })])
      request.on('error', () => {});
    await vi.waitFor(() => expect(bodies).toHaveLength(1));
    expect(server.connections[0]!.activeStreams).toBe(2);
    session.destroy();
    await vi.waitFor(() => expect(closes.toSorted((a, b) => a - b)).toEqual([1, 3]));
    expect(await bodies[0]).toMatchObject({ isComplete: false });
    expect(server.connections[0]!.activeStreams).toBe(0);
  });

  test('Listeners that come when the HTTP/2 stream is over are called all the same', async () => {
    const [closed, drained] = [vi.fn(), vi.fn()];
    const server = await startServer(async (stream) => {
      answer(stream);
      await closeOf(stream);
      stream.onClose(closed);
      if (!stream.write(Buffer.from('more'))) stream.onDrain(drained);
    });
    await get(await connect(server.port));
    await vi.waitFor(() => expect(closed).toHaveBeenCalledOnce());
    await vi.waitFor(() => expect(drained).toHaveBeenCalledOnce());
  });

  test('A leaving HTTP/2 server connection serves what there is, takes nothing new, and ends', async () => {
    const held: ServerStream[] = [];
    const server = await startServer((stream) => void held.push(stream));
    const session = await connect(server.port);
    const goAway = vi.fn();
    session.on('goaway', goAway);
    const body = pattern(300_000);
    const first = post(session, body);
    await vi.waitFor(() => expect(held).toHaveLength(1));
    server.connections[0]!.leave();
    server.connections[0]!.leave();
    await vi.waitFor(() => expect(goAway).toHaveBeenCalledOnce());
    expect(goAway.mock.calls[0]!.slice(0, 2)).toEqual([ErrorCode.noError, 1]);
    echo(held[0]!);
    expect((await first).body.equals(body)).toBe(true);
    await vi.waitFor(() => expect(session.destroyed).toBe(true));
    await vi.waitFor(() => expect(server.sockets[0]!.destroyed).toBe(true));
    expect(held).toHaveLength(1);
  });

  test('A leaving HTTP/2 server connection without streams ends at once', async () => {
    const server = await startServer((stream) => answer(stream));
    const session = await connect(server.port);
    await get(session);
    await vi.waitFor(() => expect(server.connections[0]!.activeStreams).toBe(0));
    server.connections[0]!.leave();
    await vi.waitFor(() => expect(session.destroyed).toBe(true));
  });

  test('A client that says goodbye is served to the end', async () => {
    const held: ServerStream[] = [];
    const server = await startServer((stream) => void held.push(stream));
    const session = await connect(server.port);
    const answered = get(session);
    await vi.waitFor(() => expect(held).toHaveLength(1));
    const closed = new Promise<void>((resolve) => session.close(resolve));
    await new Promise((resolve) => setImmediate(resolve));
    sendBody(held[0]!, pattern(200_000));
    expect((await answered).body.length).toBe(200_000);
    await closed;
    await vi.waitFor(() => expect(server.sockets[0]!.destroyed).toBe(true));
  });
});
