import { describe, expect, test, vi } from 'vitest';
import { ErrorCode, Flag, FrameType, Setting } from '../frames.ts';
import { pattern, startServer } from '../testing/http2-server.ts';
import { data, ping, reset, settings, windowUpdate } from '../testing/client-frames.ts';
import { get, post } from '../testing/requests.ts';
import { connectRaw } from '../testing/raw-client.ts';
import type { RawClient } from '../testing/raw-client.ts';
import type { ServerStream } from './stream.ts';
import { serve } from '../testing/held-requests.ts';

/** Bytes that the server has allowed beyond the first window. */
const windowGiven = ({ heard }: RawClient, streamId: number): number =>
  heard
    .filter((one) => one.type === FrameType.windowUpdate && one.streamId === streamId)
    .reduce((sum, one) => sum + one.payload.readUInt32BE(0), 0);

describe('HTTP/2 server connection, frame by frame', () => {
  test('What was under way to streams that the server reset counts, and is given back', async () => {
    const server = await startServer(serve, { connectionWindowBytes: 65_535 });
    const client = await connectRaw(server.port);
    client.greet();
    const bytes = 16_384 + 10_001 + 3_000;
    for (let i = 0; i < 20; i++) {
      const id = 2 * i + 1;
      await client.waitFor(() => windowGiven(client, 0) + 65_535 >= (i + 1) * bytes);
      client.send(
        post(id, '/reset'),
        data(id, 16_384),
        data(id, Buffer.concat([Buffer.from([255]), Buffer.alloc(10_000)]), Flag.padded),
        data(id, 3_000, Flag.endStream),
      );
      await client.resetOf(id);
    }
    client.send(get(99));
    expect((await client.wholeAnswer(99)).status).toBe('200');
  });

  test('The window of an unread body is returned when the client resets the stream', async () => {
    const server = await startServer(serve, { connectionWindowBytes: 65_535 });
    const client = await connectRaw(server.port);
    client.greet();
    for (let i = 0; i < 10; i++) {
      const id = 2 * i + 1;
      await client.waitFor(() => windowGiven(client, 0) + 65_535 >= (i + 1) * 30_000);
      client.send(post(id, '/hold'), data(id, 10_000), data(id, 10_000), data(id, 10_000), reset(id, ErrorCode.cancel));
    }
    client.send(get(99));
    expect((await client.wholeAnswer(99)).status).toBe('200');
  });

  test('Padding counts in the HTTP/2 windows, and is returned even when the body is not read', async () => {
    const streams: ServerStream[] = [];
    const server = await startServer((stream) => void streams.push(stream), {
      connectionWindowBytes: 65_535,
      streamWindowBytes: 65_535,
    });
    const client = await connectRaw(server.port);
    client.greet();
    client.send(post(1));
    let sent = 0;
    for (let i = 0; i < 1_000; i++) {
      await client.waitFor(() => sent + 256 <= 65_535 + Math.min(windowGiven(client, 0), windowGiven(client, 1)));
      client.send(data(1, Buffer.concat([Buffer.from([255]), Buffer.alloc(255)]), Flag.padded));
      sent += 256;
    }
    client.send(data(1, 'x', Flag.endStream));
    const pieces: string[] = [];
    await vi.waitFor(() => expect(streams).toHaveLength(1));
    await new Promise<void>((resolve) => {
      client.send(ping());
      void client
        .waitFor((heard) => heard.type === FrameType.ping)
        .then(() => streams[0]!.read({ onData: (piece) => pieces.push(piece.toString()), onEnd: () => resolve() }));
    });
    // Nothing was kept of what carries nothing.
    expect(pieces).toEqual(['x']);
  });

  test('A window is given back as a body is read, and not before', async () => {
    const streams: ServerStream[] = [];
    const server = await startServer((stream) => void streams.push(stream));
    const client = await connectRaw(server.port);
    client.greet();
    client.send(post(1), ...Array.from({ length: 6 }, () => data(1, 10_000)), ping());
    await client.waitFor((heard) => heard.type === FrameType.ping);
    expect(windowGiven(client, 1)).toBe(0);
    streams[0]!.read({ onData: () => {}, onEnd: () => {} });
    await client.waitFor(() => windowGiven(client, 1) > 0);
    expect(windowGiven(client, 1)).toBeLessThanOrEqual(60_000);
  });

  test('A window can become negative, and has to be filled up first', async () => {
    const server = await startServer((stream) => void (stream.respond(200, []), stream.end(pattern(100))));
    const client = await connectRaw(server.port);
    client.greet([Setting.initialWindowSize, 30]);
    client.send(get(1), ping('1st ping'));
    await client.waitFor((heard) => heard.payload.toString() === '1st ping');
    expect(client.body(1).length).toBe(30);
    client.send(settings([Setting.initialWindowSize, 10]), windowUpdate(1, 20), ping('2nd ping'));
    await client.waitFor((heard) => heard.payload.toString() === '2nd ping');
    expect(client.body(1).length).toBe(30);
    client.send(windowUpdate(1, 5), ping('3rd ping'));
    await client.waitFor((heard) => heard.payload.toString() === '3rd ping');
    expect(client.body(1).length).toBe(35);
    client.send(settings([Setting.initialWindowSize, 200]));
    expect((await client.wholeAnswer(1)).body.equals(pattern(100))).toBe(true);
  });

  test('An HTTP/2 server connection acknowledges SETTINGS before it makes use of them', async () => {
    const server = await startServer((stream) => void (stream.respond(200, []), stream.end(pattern(100))));
    const client = await connectRaw(server.port);
    client.greet([Setting.initialWindowSize, 0]);
    client.send(get(1), ping());
    await client.waitFor((heard) => heard.type === FrameType.ping);
    const before = client.heard.length;
    client.send(settings([Setting.initialWindowSize, 100]));
    await client.wholeAnswer(1);
    // Until then the client holds the server to the settings before (RFC 9113, section 6.5.3).
    expect(client.heard[before]).toMatchObject({ type: FrameType.settings, flags: Flag.ack });
  });

  test('The end of a body needs no window', async () => {
    const server = await startServer(
      (stream) => void (stream.respond(200, []), stream.write(pattern(10)), stream.end()),
    );
    const client = await connectRaw(server.port);
    client.greet([Setting.initialWindowSize, 10]);
    client.send(get(1));
    expect((await client.wholeAnswer(1)).body.length).toBe(10);
    client.send(settings([Setting.initialWindowSize, 0]), get(3, '/'));
    await client.answer(3);
  });

  test('Many HTTP/2 streams share the window of the connection', async () => {
    const server = await startServer((stream) => void (stream.respond(200, []), stream.end(Buffer.alloc(300_000))));
    const client = await connectRaw(server.port);
    client.greet([Setting.initialWindowSize, 1_000_000]);
    client.send(get(1), get(3), get(5), ping());
    await client.waitFor((heard) => heard.type === FrameType.ping);
    await client.waitFor(() => client.body(1).length + client.body(3).length + client.body(5).length === 65_535);
    // Each stream gets a part of the connection's window.
    client.send(windowUpdate(0, 300_000));
    await client.waitFor(() => client.body(1).length + client.body(3).length + client.body(5).length === 365_535);
    expect(Math.min(client.body(3).length, client.body(5).length)).toBeGreaterThan(0);
    client.send(windowUpdate(0, 1_000_000));
    for (const id of [1, 3, 5]) expect((await client.wholeAnswer(id)).body.length).toBe(300_000);
  });
});
