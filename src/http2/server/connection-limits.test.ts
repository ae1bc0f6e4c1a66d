import { describe, expect, test, vi } from 'vitest';
import { ErrorCode, Flag, FrameType, Setting } from '../frames.ts';
import { encodeHeaders } from '../hpack/encoder.ts';
import { answer, echo, field, pattern, startServer } from '../testing/http2-server.ts';
import { continuation, data, headers, ping, reset, windowUpdate } from '../testing/client-frames.ts';
import { get, post, request } from '../testing/requests.ts';
import { connectRaw } from '../testing/raw-client.ts';
import type { RawClient } from '../testing/raw-client.ts';
import type { ServerStream } from './stream.ts';
import { wholeRequest, nothing, turn } from '../testing/whole-request.ts';

describe('HTTP/2 server connection whose client asks for too much', () => {
  /** The connection serves on, or was ended for good reason; another one is served in any case. */
  async function expectService(port: number, client: RawClient, streamId: number): Promise<void> {
    // A request in the same breath as those before may still be refused.
    client.send(ping('all done'));
    await client.waitFor((heard) => heard.type === FrameType.goAway || heard.payload.toString() === 'all done');
    client.send(get(streamId));
    const last = await client.waitFor(
      (heard) => heard.type === FrameType.goAway || (heard.streamId === streamId && heard.type === FrameType.headers),
    );
    if (last.type === FrameType.goAway) expect(last.code).toBe(ErrorCode.enhanceYourCalm);
    const other = await connectRaw(port);
    other.greet();
    other.send(get(1));
    expect((await other.wholeAnswer(1)).body.toString()).toBe('ok');
  }

  test('HTTP/2 requests that are reset at once count until their handlers have ended', async () => {
    const work = { now: 0, most: 0, all: 0 };
    let release!: () => void;
    const gate = new Promise<void>((resolve) => (release = resolve));
    const server = await startServer(
      async (stream) => {
        if (field(stream, ':path') === '/') return answer(stream);
        work.all++;
        work.most = Math.max(work.most, ++work.now);
        await gate;
        work.now--;
        answer(stream);
      },
      { maxStreams: 50 },
    );
    const client = await connectRaw(server.port);
    client.greet();
    for (let id = 1; id < 2_000; id += 2) client.send(get(id, '/work'), reset(id, ErrorCode.cancel));
    client.send(ping());
    await client.waitFor((heard) => heard.type === FrameType.ping || heard.type === FrameType.goAway);
    expect(work.most).toBeGreaterThan(0);
    expect(work.most).toBeLessThanOrEqual(100);
    expect(work.all).toBe(work.most);
    release();
    await vi.waitFor(() => expect(work.now).toBe(0));
    await expectService(server.port, client, 5_001);
  });

  test('HTTP/2 requests that are reset at once, and soon done with, are no harm', async () => {
    const closes = vi.fn();
    const server = await startServer((stream) => {
      stream.onClose(closes);
      if (field(stream, ':path') === '/') answer(stream);
    });
    const client = await connectRaw(server.port);
    client.greet();
    for (let id = 1; id < 20_000; id += 2) {
      client.send(post(id, '/hold'), data(id, 'x'), reset(id, ErrorCode.cancel));
      if (id % 1_001 === 0) await turn();
    }
    await expectService(server.port, client, 20_001);
    await vi.waitFor(() => expect(server.connections[0]!.activeStreams).toBe(0));
    // With the two that were answered.
    expect(closes.mock.calls.length).toBeLessThanOrEqual(10_002);
  });

  test.each([
    { name: 'full', bytes: 16_000 },
    { name: 'of one byte', bytes: 1 },
    { name: 'empty', bytes: 0 },
  ])('An endless header block is cut, frames $name', async ({ bytes }) => {
    const server = await startServer((stream) => answer(stream));
    const client = await connectRaw(server.port);
    client.greet();
    client.send(headers(1, encodeHeaders(request('GET', '/')), Flag.endStream));
    const part = Buffer.concat(Array.from({ length: 100 }, () => continuation(1, Buffer.alloc(bytes, 0x82), 0)));
    let parts = 0;
    while (!client.heard.some((heard) => heard.type === FrameType.goAway) && parts++ < 1_000) {
      client.send(part);
      await turn();
    }
    expect((await client.goAway()).code).toBe(ErrorCode.enhanceYourCalm);
    await client.ended;
  });

  test('A small block that stands for a large list of fields is not unpacked', async () => {
    const handler = vi.fn((stream: ServerStream) => answer(stream));
    const server = await startServer(handler);
    const client = await connectRaw(server.port);
    client.greet();
    const value = 'x'.repeat(3_000);
    const kept = Buffer.concat([
      Buffer.from([0x40, 1, 0x78, 0x7f, ...[((3_000 - 127) % 128) | 0x80, (3_000 - 127) >> 7]]),
      Buffer.from(value),
    ]);
    const bomb = Buffer.concat([encodeHeaders(request('GET', '/')), Buffer.alloc(16_000, 0xbe)]);
    client.send(headers(1, Buffer.concat([encodeHeaders(request('GET', '/')), kept]), wholeRequest));
    await client.wholeAnswer(1);
    for (let id = 3; id < 203; id += 2) {
      client.send(headers(id, bomb, wholeRequest));
      expect((await client.wholeAnswer(id)).status).toBe('431');
    }
    expect(handler).toHaveBeenCalledOnce();
    await expectService(server.port, client, 1_001);
  });

  test('DATA frames of nothing, without end, are no harm', async () => {
    const server = await startServer((stream) => (field(stream, ':path') === '/' ? answer(stream) : echo(stream)));
    const client = await connectRaw(server.port);
    client.greet();
    client.send(post(1, '/echo'));
    const part = Buffer.concat(Array.from({ length: 1_000 }, () => data(1, nothing)));
    for (let i = 0; i < 100; i++) {
      client.send(part);
      await turn();
    }
    await expectService(server.port, client, 3);
  });

  test('A body in frames of one byte takes no more memory than its bytes until it is read', async () => {
    const streams: ServerStream[] = [];
    const server = await startServer((stream) => void streams.push(stream));
    const client = await connectRaw(server.port);
    client.greet();
    const body = pattern(60_000);
    client.send(
      post(1),
      ...Array.from(body, (_, i) => data(1, body.subarray(i, i + 1))),
      data(1, nothing, Flag.endStream),
      ping(),
    );
    await client.waitFor((heard) => heard.type === FrameType.ping);
    const pieces: Buffer[] = [];
    const complete = await new Promise((resolve) => {
      streams[0]!.read({ onData: (piece) => pieces.push(Buffer.from(piece)), onEnd: resolve });
    });
    expect(complete).toBe(true);
    expect(Buffer.concat(pieces).equals(body)).toBe(true);
    expect(pieces.length).toBeLessThan(1_000);
  });

  test('HTTP/2 windows opened a byte at a time are made use of, and no more', async () => {
    const server = await startServer((stream) => {
      stream.respond(200, []);
      stream.end(pattern(2_000));
    });
    const client = await connectRaw(server.port);
    client.greet([Setting.initialWindowSize, 0]);
    client.send(get(1), ...Array.from({ length: 2_000 }, () => windowUpdate(1, 1)));
    expect((await client.wholeAnswer(1)).body.equals(pattern(2_000))).toBe(true);
  });
});
