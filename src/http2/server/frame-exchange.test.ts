import { describe, expect, test } from 'vitest';
import { ErrorCode, Flag, FrameType, Setting, connectionPreface, frame } from '../frames.ts';
import { encodeHeaders } from '../hpack/encoder.ts';
import { answer, echo, field, pattern, readBody, startServer } from '../testing/http2-server.ts';
import { continuation, data, goAway, headers, ping, reset, settings, windowUpdate } from '../testing/client-frames.ts';
import { get, post, request } from '../testing/requests.ts';
import { connectRaw } from '../testing/raw-client.ts';
import type { Fields } from '../testing/client-frames.ts';
import type { ServerStream } from './stream.ts';
import { block, nothing, priority, wholeRequest } from '../testing/rules/stream-ids.ts';
import { serve } from '../testing/held-requests.ts';

describe('HTTP/2 server connection, frame by frame', () => {
  test('An HTTP/2 server connection says first what its limits are', async () => {
    const client = await connectRaw(
      (
        await startServer(serve, {
          maxStreams: 7,
          streamWindowBytes: 123_456,
          connectionWindowBytes: 234_567,
          maxHeaderListBytes: 54_321,
        })
      ).port,
    );
    client.greet();
    await client.waitFor((heard) => heard.type === FrameType.settings && (heard.flags & Flag.ack) !== 0);
    const [first] = client.heard;
    expect(first).toMatchObject({ type: FrameType.settings, flags: 0, streamId: 0 });
    const values = Object.fromEntries(
      Array.from({ length: first!.payload.length / 6 }, (_, i) => [
        first!.payload.readUInt16BE(6 * i),
        first!.payload.readUInt32BE(6 * i + 2),
      ]),
    );
    expect(values).toMatchObject({
      [Setting.maxConcurrentStreams]: 7,
      [Setting.initialWindowSize]: 123_456,
      6: 54_321,
    });
    const update = client.heard.find((heard) => heard.type === FrameType.windowUpdate);
    expect(update).toMatchObject({ streamId: 0 });
    expect(update!.payload.readUInt32BE(0)).toBe(234_567 - 65_535);
  });

  test('An HTTP/2 server connection acknowledges each SETTINGS, and answers each PING with its bytes', async () => {
    const client = await connectRaw((await startServer(serve)).port);
    client.greet();
    client.send(
      settings(),
      frame(FrameType.settings, Flag.ack, 0, nothing),
      frame(FrameType.ping, Flag.ack, 0, Buffer.from('an echo!')),
      ping('a first!'),
      ping('a second'),
      get(1),
    );
    await client.answer(1);
    expect(client.heard.filter((heard) => heard.type === FrameType.settings && heard.flags === Flag.ack)).toHaveLength(
      2,
    );
    expect(
      client.heard
        .filter((heard) => heard.type === FrameType.ping)
        .map((heard) => `${heard.flags} ${heard.payload.toString()}`),
    ).toEqual(['1 a first!', '1 a second']);
  });

  test('An HTTP/2 server connection serves a conversation that arrives byte by byte', async () => {
    const client = await connectRaw((await startServer(echo)).port);
    const body = pattern(300);
    const bytes = Buffer.concat([
      connectionPreface,
      settings([Setting.headerTableSize, 0]),
      headers(1, block(request('POST', '/')), 0),
      continuation(1, encodeHeaders([['x', '1']])),
      data(1, body.subarray(0, 100)),
      data(1, Buffer.concat([Buffer.from([5]), body.subarray(100), Buffer.alloc(5)]), Flag.padded | Flag.endStream),
    ]);
    for (const byte of bytes) {
      client.send(Buffer.from([byte]));
      await new Promise((resolve) => setImmediate(resolve));
    }
    const { status, body: echoed } = await client.wholeAnswer(1);
    expect(status).toBe('200');
    expect(echoed.equals(body)).toBe(true);
  });

  test('A body longer than a frame comes in frames that the client takes', async () => {
    const client = await connectRaw(
      (await startServer((stream) => void (stream.respond(200, []), stream.end(pattern(60_000))))).port,
    );
    client.greet();
    client.send(get(1));
    expect((await client.wholeAnswer(1)).body.equals(pattern(60_000))).toBe(true);
    const sizes = client.heard.filter((heard) => heard.type === FrameType.data).map((heard) => heard.payload.length);
    expect(Math.max(...sizes)).toBeLessThanOrEqual(16_384);
  });

  test('A response before the end of the request is completed by RST_STREAM with NO_ERROR', async () => {
    const client = await connectRaw((await startServer((stream) => answer(stream))).port);
    client.greet();
    client.send(post(1));
    expect(await client.resetOf(1)).toMatchObject({ code: ErrorCode.noError });
    const end = client.heard.findIndex((heard) => heard.type === FrameType.data && heard.flags === Flag.endStream);
    expect(end).toBeGreaterThan(0);
    expect(client.heard.findIndex((heard) => heard.type === FrameType.rstStream)).toBeGreaterThan(end);
    expect(client.body(1).toString()).toBe('ok');
  });

  test('After an HTTP/2 response to a complete request no frame is sent', async () => {
    const client = await connectRaw(
      (await startServer((stream) => void readBody(stream).then(() => answer(stream)))).port,
    );
    client.greet();
    client.send(post(1), data(1, 'x', Flag.endStream));
    await client.wholeAnswer(1);
    client.send(ping());
    await client.waitFor((heard) => heard.type === FrameType.ping);
    expect(client.heard.some((heard) => heard.type === FrameType.rstStream)).toBe(false);
  });

  test('HTTP/2 compression keeps in step through requests that are not served', async () => {
    const seen: (string | undefined)[] = [];
    const server = await startServer(
      (stream) => {
        if (field(stream, ':path') === '/hold') return;
        seen.push(...['x-1', 'x-2', 'x-3', 'x-4'].map((name) => field(stream, name)));
        answer(stream);
      },
      { maxStreams: 2 },
    );
    const client = await connectRaw(server.port);
    client.greet();
    /** A literal that the table keeps. */
    const kept = (name: string, value: string): Buffer =>
      Buffer.concat([
        Buffer.from([0x40, name.length]),
        Buffer.from(name),
        Buffer.from([value.length]),
        Buffer.from(value),
      ]);
    const withField = (fields: Fields, name: string, value: string): Buffer =>
      Buffer.concat([encodeHeaders(fields), kept(name, value)]);
    client.send(
      post(1, '/hold'),
      post(3, '/hold'),
      headers(5, withField(request('GET', '/refused'), 'x-1', 'refused'), wholeRequest),
      headers(1, Buffer.concat([kept('x-2', 'trailers')]), wholeRequest),
      reset(3, ErrorCode.cancel),
      headers(7, withField([[':method', 'GET']], 'x-3', 'malformed'), wholeRequest),
      headers(9, withField(request('GET', '/'), 'x-4', 'served'), wholeRequest),
      headers(11, Buffer.concat([block(), Buffer.from([0xc1, 0xc0, 0xbf, 0xbe])]), wholeRequest),
    );
    await client.wholeAnswer(11);
    expect((await client.resetOf(5)).code).toBe(ErrorCode.refusedStream);
    expect((await client.resetOf(7)).code).toBe(ErrorCode.protocolError);
    expect(seen.slice(-4)).toEqual(['refused', 'trailers', 'malformed', 'served']);
  });

  test('HTTP/2 compression keeps in step through a list of fields that is too large', async () => {
    const seen: (string | undefined)[] = [];
    const server = await startServer((stream) => void (seen.push(field(stream, 'x-1')), answer(stream)), {
      maxHeaderListBytes: 1_000,
    });
    const client = await connectRaw(server.port);
    client.greet();
    client.send(
      headers(
        1,
        Buffer.concat([
          block([...request('GET', '/'), ['x', 'x'.repeat(1_200)]]),
          Buffer.from([0x40, 3]),
          Buffer.from('x-1'),
          Buffer.from([4]),
          Buffer.from('kept'),
        ]),
        wholeRequest,
      ),
    );
    client.send(headers(3, Buffer.concat([block(), Buffer.from([0xbe])]), wholeRequest));
    await client.wholeAnswer(3);
    expect((await client.answer(1)).fields!.get(':status')).toBe('431');
    expect(seen).toEqual(['kept']);
  });

  test.each([
    { name: 'the server leaves', leave: true },
    { name: 'the client has said GOAWAY', leave: false },
  ])('Streams that are open go on when $name, whatever the client sends to others', async ({ leave }) => {
    const { client, streams } = await (async () => {
      const held: ServerStream[] = [];
      const server = await startServer((stream) => void held.push(stream));
      const raw = await connectRaw(server.port);
      raw.greet();
      raw.send(get(1), ping('1st ping'));
      await raw.waitFor((heard) => heard.type === FrameType.ping);
      if (leave) server.connections[0]!.leave();
      else raw.send(goAway(0, ErrorCode.noError));
      return { client: raw, streams: held };
    })();
    if (leave) expect(await client.goAway()).toMatchObject({ lastStreamId: 1, code: ErrorCode.noError });
    // It may not have heard yet.
    client.send(
      post(3),
      data(3, 'x'),
      windowUpdate(3, 5),
      headers(3, [['x', '1']], wholeRequest),
      post(5),
      reset(5, ErrorCode.cancel),
      priority(7, 0),
      ping('2nd ping'),
    );
    await client.waitFor((heard) => heard.payload.toString() === '2nd ping');
    answer(streams[0]!);
    expect((await client.wholeAnswer(1)).body.toString()).toBe('ok');
    // What the client may still have begun is served when the server was not the one to leave.
    for (const stream of streams.slice(1)) if (!stream.closed) answer(stream);
    await client.ended;
    expect(client.heard.filter((heard) => heard.type === FrameType.goAway && heard.code !== ErrorCode.noError)).toEqual(
      [],
    );
  });

  test('A frame cut anywhere is put together', async () => {
    const client = await connectRaw((await startServer(echo)).port);
    client.greet();
    const whole = Buffer.concat([post(1), data(1, pattern(20)), data(1, pattern(20), Flag.endStream)]);
    for (let at = 1, id = 1; at < whole.length; at++, id += 2) {
      const bytes = Buffer.concat([post(id), data(id, pattern(20)), data(id, pattern(20), Flag.endStream)]);
      client.send(bytes.subarray(0, at));
      await new Promise((resolve) => setImmediate(resolve));
      client.send(bytes.subarray(at));
      expect((await client.wholeAnswer(id)).body.length).toBe(40);
    }
  });
});
