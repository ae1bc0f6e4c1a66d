import http2 from 'node:http2';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { ErrorCode } from '../frames.ts';
import { answer, closeOf, echo, field, pattern, readBody, sendBody, startServer } from '../testing/http2-server.ts';
import type { ServerStream } from './stream.ts';

/** A client on `node:http2`: nghttp2 judges what the server sends. */
async function connect(port: number, options: http2.ClientSessionOptions = {}): Promise<http2.ClientHttp2Session> {
  const session = http2.connect(`http://127.0.0.1:${port}`, options);
  onTestFinished(() => session.destroy());
  await new Promise<void>((resolve, reject) => session.once('remoteSettings', () => resolve()).once('error', reject));
  session.on('error', () => {});
  return session;
}

interface Answer {
  readonly status: number | undefined;
  readonly headers: http2.IncomingHttpHeaders;
  /** Names and values alternately, as they were received. */
  readonly raw: readonly string[];
  readonly body: Buffer;
  readonly code: number | undefined;
}

/** The whole answer; fails when the stream does. */
function answerTo(stream: http2.ClientHttp2Stream): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const pieces: Buffer[] = [];
    let head: { headers: http2.IncomingHttpHeaders & http2.IncomingHttpStatusHeader; raw: string[] } | undefined;
    stream.on('response', (headers, _flags, raw?: string[]) => (head = { headers, raw: raw ?? [] }));
    stream.on('data', (piece: Buffer) => pieces.push(piece));
    stream.on('error', reject);
    stream.on('close', () =>
      resolve({
        status: head?.headers[':status'],
        headers: head?.headers ?? {},
        raw: head?.raw ?? [],
        body: Buffer.concat(pieces),
        code: stream.rstCode,
      }),
    );
  });
}

const get = (session: http2.ClientHttp2Session, path = '/', headers: http2.OutgoingHttpHeaders = {}): Promise<Answer> =>
  answerTo(session.request({ ':path': path, ...headers }));

function post(session: http2.ClientHttp2Session, body: Buffer, path = '/'): Promise<Answer> {
  const stream = session.request({ ':method': 'POST', ':path': path });
  stream.end(body);
  return answerTo(stream);
}

/** What was sent before has been looked at when this comes back. */
const roundTrip = (session: http2.ClientHttp2Session): Promise<unknown> =>
  new Promise((resolve) => session.ping(Buffer.alloc(8), resolve));

describe('HTTP/2 server connection with nghttp2 as its client', () => {
  test.each([0, 1, 16_384, 16_385, 65_535, 300_000, 2_000_000])('takes and sends a body of %i bytes', async (size) => {
    const server = await startServer(echo);
    const session = await connect(server.port);
    const body = pattern(size);
    const { status, body: echoed, code } = await post(session, body);
    expect(status).toBe(200);
    expect(echoed.equals(body)).toBe(true);
    expect(code).toBe(ErrorCode.noError);
    await vi.waitFor(() => expect(server.connections[0]!.activeStreams).toBe(0));
  });

  test('pieces without bytes take no part in a body', async () => {
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

  test('sends a body that it has at once, in one piece', async () => {
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
  ])('keeps to small windows $name', async ({ client, server: options, bytes }) => {
    const server = await startServer(echo, options);
    const session = await connect(server.port, { settings: client });
    const body = pattern(bytes);
    const answers = await Promise.all(Array.from({ length: 5 }, () => post(session, body)));
    for (const { body: echoed } of answers) expect(echoed.equals(body)).toBe(true);
  });

  test('serves many streams at a time', async () => {
    const server = await startServer(echo, { maxStreams: 250 });
    const session = await connect(server.port);
    const answers = await Promise.all(Array.from({ length: 200 }, (_, i) => post(session, pattern(i * 331))));
    for (const [i, { body }] of answers.entries()) expect(body.equals(pattern(i * 331))).toBe(true);
    await vi.waitFor(() => expect(server.connections[0]!.activeStreams).toBe(0));
  });

  test('serves more requests, one after the other, than may be open at a time', async () => {
    const server = await startServer(echo, { maxStreams: 3 });
    const session = await connect(server.port);
    for (let i = 0; i < 300; i++) expect((await post(session, pattern(i))).body.length).toBe(i);
  });

  test('a stream that the client does not read does not delay other streams', async () => {
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

  test('a body that its handler does not read does not delay other streams, and arrives when it is read', async () => {
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

  test('a paused body stops coming, and goes on where it was', async () => {
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

  test('says how many streams may be open, and refuses those beyond', async () => {
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

  test('takes the trailers of a request for the end of its body', async () => {
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
  ])('answers without a body: $name', async ({ method, status, fields }) => {
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

  test('an answer that comes before the body was sent is whole, and the rest of the body is not wanted', async () => {
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
  ])('bodies that $name take nothing from the window of the connection', async ({ handler }) => {
    const server = await startServer(
      (stream) => (field(stream, ':path') === '/echo' ? echo(stream) : handler(stream)),
      { connectionWindowBytes: 65_535, streamWindowBytes: 65_535 },
    );
    const session = await connect(server.port);
    for (let i = 0; i < 20; i++) await post(session, pattern(60_000), '/unwanted').catch(() => {});
    const body = pattern(200_000);
    expect((await post(session, body, '/echo')).body.equals(body)).toBe(true);
  });

  test('a handler that resets its stream is understood', async () => {
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

  test('a stream that the client cancels is closed once, and what is sent to it goes nowhere', async () => {
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

  test('a body that breaks off ends as one that is not complete', async () => {
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

  test('a writer that waits is told when its stream is over', async () => {
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

  test('a lost connection closes every stream once', async () => {
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

  test('listeners that come when the stream is over are called all the same', async () => {
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

  test('leaving, it serves what there is, takes nothing new, and ends', async () => {
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

  test('leaving without streams, it ends at once', async () => {
    const server = await startServer((stream) => answer(stream));
    const session = await connect(server.port);
    await get(session);
    await vi.waitFor(() => expect(server.connections[0]!.activeStreams).toBe(0));
    server.connections[0]!.leave();
    await vi.waitFor(() => expect(session.destroyed).toBe(true));
  });

  test('a client that says goodbye is served to the end', async () => {
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

  test('reads and sends fields that take several frames', async () => {
    const seen: string[] = [];
    const value = 'abc~'.repeat(12_000);
    const server = await startServer((stream) => {
      seen.push(field(stream, 'x-long')!);
      stream.respond(200, [
        ['x-long', value],
        ['x-short', '1'],
      ]);
      stream.end(Buffer.from('body'));
    });
    const session = await connect(server.port);
    for (let i = 0; i < 2; i++) {
      const { headers, body } = await get(session, '/', { 'x-long': value });
      expect(headers['x-long']).toBe(value);
      expect(headers['x-short']).toBe('1');
      expect(body.toString()).toBe('body');
    }
    expect(seen).toEqual([value, value]);
  });

  test('reads and sends every character of a field, with and without Huffman coding', async () => {
    const characters = [
      ...Array.from({ length: 95 }, (_, i) => 0x20 + i),
      ...Array.from({ length: 128 }, (_, i) => 0x80 + i),
    ].map((code) => String.fromCharCode(code));
    // The first is long enough for Huffman coding to pay off, and the character is not at an edge, where blanks would
    // be trimmed.
    const values = characters.flatMap((character) => [`${'0'.repeat(40)}${character}${character}0`, `~${character}~`]);
    let seen: (string | undefined)[] = [];
    const server = await startServer((stream) => {
      seen = values.map((_, i) => field(stream, `x-${i}`));
      const fields = values.map((value, i) => [`x-${i}`, value] as const);
      stream.respond(200, fields, true);
    });
    const session = await connect(server.port, { maxHeaderListPairs: 1_000, settings: { maxHeaderListSize: 100_000 } });
    const { headers } = await get(session, '/', Object.fromEntries(values.map((value, i) => [`x-${i}`, value])));
    expect(seen).toEqual(values);
    expect(values.map((_, i) => headers[`x-${i}`])).toEqual(values);
  });

  test('keeps the order of header fields, and repeated fields', async () => {
    let seen: readonly string[] = [];
    const fields = [
      ['b', '1'],
      ['warning', '299 - "first"'],
      ['a', '2'],
      ['warning', '299 - "second"'],
      ['set-cookie', 'x=1'],
      ['set-cookie', 'y=2'],
    ] as const;
    const server = await startServer((stream) => {
      seen = stream.fields;
      stream.respond(200, fields, true);
    });
    const session = await connect(server.port);
    const { raw } = await get(session, '/x?y=%20z', { accept: 'text/plain', 'x-group': ['one', 'two'], 'x-last': '' });
    const pairs = Array.from({ length: seen.length / 2 }, (_, i) => `${seen[2 * i]}=${seen[2 * i + 1]}`);
    expect(pairs.slice(0, 4).toSorted()).toEqual([
      `:authority=127.0.0.1:${server.port}`,
      ':method=GET',
      ':path=/x?y=%20z',
      ':scheme=http',
    ]);
    expect(pairs.slice(4)).toEqual(['accept=text/plain', 'x-group=one', 'x-group=two', 'x-last=']);
    expect(raw).toEqual([':status', '200', ...fields.flat()]);
  });

  test('keeps in step with the dynamic table of the client', async () => {
    const seen: (string | undefined)[][] = [];
    const server = await startServer((stream) => {
      seen.push([field(stream, 'x-same'), field(stream, 'x-other')]);
      answer(stream);
    });
    const session = await connect(server.port);
    const expected = Array.from({ length: 300 }, (_, i) => [
      'the same each time',
      `another ${i % 120} ${'-'.repeat(i % 90)}`,
    ]);
    for (const [same, other] of expected) await get(session, '/', { 'x-same': same, 'x-other': other });
    expect(seen).toEqual(expected);
  });

  test('removes the padding of DATA frames', async () => {
    const server = await startServer(echo, { streamWindowBytes: 5_000 });
    const session = await connect(server.port, { paddingStrategy: http2.constants.PADDING_STRATEGY_MAX });
    const body = pattern(50_001);
    expect((await post(session, body)).body.equals(body)).toBe(true);
  });

  test('answers PING frames of the client', async () => {
    const session = await connect((await startServer(echo)).port);
    const payload = await new Promise((resolve, reject) => {
      session.ping(Buffer.from('12345678'), (error, _, echoed) =>
        error === null ? resolve(echoed.toString()) : reject(error),
      );
    });
    expect(payload).toBe('12345678');
  });

  test('applies new settings of the client, also to open streams', async () => {
    const body = pattern(200_000);
    const server = await startServer((stream) => sendBody(stream, body));
    const session = await connect(server.port, { settings: { initialWindowSize: 0 } });
    const answered = get(session);
    await roundTrip(session);
    session.settings({ initialWindowSize: 10_000 });
    expect((await answered).body.equals(body)).toBe(true);
  });

  test('sends frames as large as the client takes, and no larger', async () => {
    const body = pattern(400_000);
    const server = await startServer((stream) => {
      stream.respond(200, []);
      stream.end(body);
    });
    const session = await connect(server.port, { settings: { maxFrameSize: 100_000, initialWindowSize: 1_000_000 } });
    expect((await get(session)).body.equals(body)).toBe(true);
  });
});
