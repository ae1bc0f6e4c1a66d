import http2 from 'node:http2';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { ErrorCode } from '../frames.ts';
import { answer, echo, field, pattern, startServer } from '../testing/http2-server.ts';
import type { ServerStream } from './stream.ts';
import { connect, answerTo, get, post, roundTrip } from '../testing/nghttp2-client.ts';

describe('HTTP/2 server connection with nghttp2 as its client', () => {
  test.each([0, 1, 16_384, 16_385, 65_535, 300_000, 2_000_000])(
    'The HTTP/2 server takes and sends a body of %i bytes',
    async (size) => {
      const server = await startServer(echo);
      const session = await connect(server.port);
      const body = pattern(size);
      const { status, body: echoed, code } = await post(session, body);
      expect(status).toBe(200);
      expect(echoed.equals(body)).toBe(true);
      expect(code).toBe(ErrorCode.noError);
      await vi.waitFor(() => expect(server.connections[0]!.activeStreams).toBe(0));
    },
  );

  test('Pieces without bytes take no part in an HTTP/2 body', async () => {
    const taken: boolean[] = [];
    const server = await startServer((stream) => {
      stream.respond(200, []);
      for (const piece of ['', 'a', '', 'b', '']) taken.push(stream.write(Buffer.from(piece)));
      stream.end(Buffer.alloc(0));
    });
    const session = await connect(server.port);
    expect((await get(session)).body.toString()).toBe('ab');
    expect(taken).toEqual([true, true, true, true, true]);
  });

  test('An HTTP/2 server connection sends a body that it has at once, in one piece', async () => {
    const body = pattern(3_000_000);
    const server = await startServer((stream) => {
      stream.respond(200, [['content-length', String(body.length)]]);
      stream.end(body);
    });
    const session = await connect(server.port);
    expect((await get(session)).body.equals(body)).toBe(true);
  });

  test.each([
    { name: 'of the client', client: { initialWindowSize: 1_000 }, server: {}, bytes: 100_000 },
    { name: 'of the server', client: {}, server: { streamWindowBytes: 700 }, bytes: 100_000 },
    {
      name: 'of one byte on both sides',
      client: { initialWindowSize: 1 },
      server: { streamWindowBytes: 1, connectionWindowBytes: 65_535 },
      bytes: 2_000,
    },
    {
      name: 'of the whole connection',
      client: {},
      server: { streamWindowBytes: 1_000_000, connectionWindowBytes: 65_535 },
      bytes: 100_000,
    },
  ])('The HTTP/2 server keeps to small windows $name', async ({ client, server: options, bytes }) => {
    const server = await startServer(echo, options);
    const session = await connect(server.port, { settings: client });
    const body = pattern(bytes);
    const answers = await Promise.all(Array.from({ length: 5 }, () => post(session, body)));
    for (const { body: echoed } of answers) expect(echoed.equals(body)).toBe(true);
  });

  test('An HTTP/2 server connection serves many streams at a time', async () => {
    const server = await startServer(echo, { maxStreams: 250 });
    const session = await connect(server.port);
    const answers = await Promise.all(Array.from({ length: 200 }, (_, i) => post(session, pattern(i * 331))));
    for (const [i, { body }] of answers.entries()) expect(body.equals(pattern(i * 331))).toBe(true);
    await vi.waitFor(() => expect(server.connections[0]!.activeStreams).toBe(0));
  });

  test('An HTTP/2 server connection serves more requests, one after the other, than may be open', async () => {
    const server = await startServer(echo, { maxStreams: 3 });
    const session = await connect(server.port);
    for (let i = 0; i < 300; i++) expect((await post(session, pattern(i))).body.length).toBe(i);
  });

  test('A stream that the client does not read does not delay other streams', async () => {
    const written = { bytes: 0, refused: 0 };
    const server = await startServer((stream) => {
      if (field(stream, ':path') !== '/endless') return echo(stream);
      stream.respond(200, []);
      const more = (): void => {
        while (!stream.closed) {
          written.bytes += 1_000;
          if (stream.write(Buffer.alloc(1_000))) continue;
          written.refused++;
          return stream.onDrain(more);
        }
      };
      more();
    });
    const session = await connect(server.port, { settings: { initialWindowSize: 20_000 } });
    const unread = session.request({ ':path': '/endless' });
    unread.on('error', () => {});
    await new Promise((resolve) => unread.once('response', resolve));
    await vi.waitFor(() => expect(written.refused).toBeGreaterThan(0));
    const body = pattern(200_000);
    expect((await post(session, body)).body.equals(body)).toBe(true);
    // Node's client takes some windows before the application reads.
    expect(written.bytes).toBeLessThan(100_000);
    let read = 0;
    unread.on('data', (piece: Buffer) => (read += piece.length));
    await vi.waitFor(() => expect(read).toBeGreaterThan(500_000));
    unread.close(http2.constants.NGHTTP2_CANCEL);
    await vi.waitFor(() => expect(server.connections[0]!.activeStreams).toBe(0));
  });

  test('A body that its handler does not read does not delay other streams, and arrives when it is read', async () => {
    const unread: ServerStream[] = [];
    const server = await startServer(
      (stream) => void (field(stream, ':path') === '/later' ? unread.push(stream) : echo(stream)),
      { streamWindowBytes: 10_000, connectionWindowBytes: 100_000 },
    );
    const session = await connect(server.port);
    const body = pattern(50_000);
    const late = post(session, body, '/later');
    await vi.waitFor(() => expect(unread).toHaveLength(1));
    const other = pattern(400_000);
    expect((await post(session, other)).body.equals(other)).toBe(true);
    expect(unread[0]!.endsWithHeaders).toBe(false);
    echo(unread[0]!);
    expect((await late).body.equals(body)).toBe(true);
  });

  test('A paused body stops coming, and goes on where it was', async () => {
    let stream!: ServerStream;
    const pieces: Buffer[] = [];
    const end = vi.fn();
    const server = await startServer(
      (one) => {
        stream = one;
        stream.read({
          onData: (piece) => {
            pieces.push(Buffer.from(piece));
            if (pieces.length === 1) stream.pause();
          },
          onEnd: end,
        });
      },
      { streamWindowBytes: 10_000 },
    );
    const session = await connect(server.port);
    const body = pattern(30_000);
    const answered = post(session, body);
    await vi.waitFor(() => expect(pieces).toHaveLength(1));
    await roundTrip(session);
    await roundTrip(session);
    expect(pieces).toHaveLength(1);
    stream.resume();
    await vi.waitFor(() => expect(end).toHaveBeenCalledExactlyOnceWith(true));
    expect(Buffer.concat(pieces).equals(body)).toBe(true);
    answer(stream);
    expect((await answered).status).toBe(200);
  });

  test('An HTTP/2 server connection says how many streams may be open, and refuses those beyond', async () => {
    const held: ServerStream[] = [];
    const server = await startServer((stream) => void held.push(stream), { maxStreams: 2 });
    // A client that knew the limit would queue the request; this one has not received the settings yet.
    const session = http2.connect(`http://127.0.0.1:${server.port}`, { peerMaxConcurrentStreams: 10 });
    session.on('error', () => {});
    onTestFinished(() => session.destroy());
    const answers = Array.from({ length: 3 }, () => get(session));
    await expect(answers[2]).rejects.toThrow('NGHTTP2_REFUSED_STREAM');
    expect(session.remoteSettings.maxConcurrentStreams).toBe(2);
    expect(held).toHaveLength(2);
    for (const stream of held) answer(stream);
    expect((await answers[0]!).status).toBe(200);
    expect((await answers[1]!).status).toBe(200);
    const next = get(session);
    await vi.waitFor(() => expect(held).toHaveLength(3));
    answer(held[2]!);
    expect((await next).status).toBe(200);
  });

  test('An HTTP/2 server connection takes the trailers of a request for the end of its body', async () => {
    const server = await startServer(echo);
    const session = await connect(server.port);
    const stream = session.request({ ':method': 'POST' }, {
      waitForTrailers: true,
    } as http2.ClientSessionRequestOptions);
    stream.on('wantTrailers', () => stream.sendTrailers({ 'x-checksum': '1' }));
    stream.end('a body');
    const { status, body } = await answerTo(stream);
    expect(status).toBe(200);
    expect(body.toString()).toBe('a body');
  });

  test.each([
    { name: 'HEAD', method: 'HEAD', status: 200, fields: [['content-length', '5']] as const },
    { name: 'no content', method: 'DELETE', status: 204, fields: [] },
    { name: 'not modified', method: 'GET', status: 304, fields: [['etag', '"x"']] as const },
  ])('The HTTP/2 server answers without a body: $name', async ({ method, status, fields }) => {
    const server = await startServer((stream) => stream.respond(status, fields, true));
    const session = await connect(server.port);
    const {
      status: heard,
      headers,
      body,
      code,
    } = await answerTo(session.request({ ':method': method }, { endStream: true }));
    expect({ heard, bytes: body.length, code }).toEqual({ heard: status, bytes: 0, code: ErrorCode.noError });
    for (const [name, value] of fields) expect(headers[name]).toBe(value);
  });

  test('An answer that comes before the body was sent is whole, and the rest of the body is not wanted', async () => {
    let closes = 0;
    const server = await startServer((stream) => {
      if (field(stream, ':path') === '/echo') return echo(stream);
      stream.onClose(() => closes++);
      stream.respond(413, []);
      stream.end(Buffer.from('too much'));
    });
    const session = await connect(server.port);
    for (let i = 0; i < 5; i++) {
      const { status, body, code } = await post(session, Buffer.alloc(400_000));
      // RFC 9113, section 8.1: after the whole answer the server may ask for no more of the request, without an error.
      expect({ status, body: body.toString(), code }).toEqual({
        status: 413,
        body: 'too much',
        code: ErrorCode.noError,
      });
    }
    expect(closes).toBe(5);
    expect((await post(session, pattern(100_000), '/echo')).body.length).toBe(100_000);
  });

  test.each([
    { name: 'was not read', handler: (stream: ServerStream) => stream.respond(403, [], true) },
    {
      name: 'were answered in the middle',
      handler: (stream: ServerStream) => stream.read({ onData: () => stream.respond(403, [], true), onEnd: () => {} }),
    },
    {
      name: 'were reset in the middle',
      handler: (stream: ServerStream) => stream.read({ onData: () => stream.reset(ErrorCode.cancel), onEnd: () => {} }),
    },
    {
      name: 'were read late and answered in the middle',
      handler: async (stream: ServerStream) => {
        await new Promise((resolve) => setImmediate(resolve));
        stream.read({ onData: () => stream.respond(403, [], true), onEnd: () => {} });
      },
    },
  ])('Bodies that $name take nothing from the window of the connection', async ({ handler }) => {
    const server = await startServer(
      (stream) => (field(stream, ':path') === '/echo' ? echo(stream) : handler(stream)),
      { connectionWindowBytes: 65_535, streamWindowBytes: 65_535 },
    );
    const session = await connect(server.port);
    for (let i = 0; i < 20; i++) await post(session, pattern(60_000), '/unwanted').catch(() => {});
    const body = pattern(200_000);
    expect((await post(session, body, '/echo')).body.equals(body)).toBe(true);
  });
});
