import http2 from 'node:http2';
import { describe, expect, test, vi } from 'vitest';
import { Exchange, connectTo, echo, post, startNodePeer } from '../testing/http2-peer.ts';
import { encodeHeaders } from '../hpack/encoder.ts';

const pattern = (length: number): Buffer => Buffer.from(Array.from({ length }, (_, i) => (i * 7 + (i >> 8)) & 0xff));

describe('HTTP/2 connection with nghttp2 as its peer', () => {
  test.each([0, 1, 1_000, 16_384, 16_385, 65_535, 300_000, 2_000_000])(
    'The HTTP/2 client sends and receives a body of %i bytes',
    async (size) => {
      const peer = await startNodePeer(echo);
      const connection = await connectTo(peer.port);
      const exchange = new Exchange();
      const body = pattern(size);
      connection.open(post, exchange).send(body, true);
      expect(await exchange.closed).toBeUndefined();
      expect(exchange.body.equals(body)).toBe(true);
      expect(exchange.header(':status')).toBe('200');
      expect(exchange.headers.at(-1)?.get('grpc-status')).toBe('0');
      expect(connection.activeStreams).toBe(0);
    },
  );

  test('An HTTP/2 connection to nghttp2 keeps to small windows on both sides', async () => {
    const peer = await startNodePeer(echo, { settings: { initialWindowSize: 1_000, maxFrameSize: 16_384 } });
    const connection = await connectTo(peer.port, { streamWindowBytes: 700 });
    const exchanges = Array.from({ length: 5 }, () => new Exchange());
    const body = pattern(100_000);
    for (const exchange of exchanges) connection.open(post, exchange).send(body, true);
    for (const exchange of exchanges) {
      expect(await exchange.closed).toBeUndefined();
      expect(exchange.body.equals(body)).toBe(true);
    }
  });

  test('An HTTP/2 connection to nghttp2 receives more than the window of the whole connection', async () => {
    const chunk = Buffer.alloc(1_000_000, 'x');
    const chunks = 130;
    const peer = await startNodePeer((stream) => {
      stream.respond({ ':status': 200 });
      let sent = 0;
      const more = (): void => {
        while (sent < chunks) if (!stream.write(chunk, ++sent === chunks ? () => stream.end() : undefined)) return;
      };
      stream.on('drain', more);
      more();
    });
    const connection = await connectTo(peer.port, { streamWindowBytes: 4_000_000 });
    let received = 0;
    await new Promise<void>((resolve) => {
      connection
        .open(post, { onHeaders: () => {}, onData: (piece) => (received += piece.length), onClose: () => resolve() })
        .send(Buffer.alloc(0), true);
    });
    expect(received).toBe(chunk.length * chunks);
  });

  test('An HTTP/2 connection to nghttp2 opens no more streams at a time than the peer allows', async () => {
    let open = 0;
    let most = 0;
    const peer = await startNodePeer(
      (stream) => {
        most = Math.max(most, ++open);
        setImmediate(() => {
          open--;
          echo(stream);
        });
      },
      { settings: { maxConcurrentStreams: 4 } },
    );
    const connection = await connectTo(peer.port);
    const exchanges = Array.from({ length: 60 }, () => new Exchange());
    for (const [i, exchange] of exchanges.entries()) connection.open(post, exchange).send(pattern(i), true);
    for (const [i, exchange] of exchanges.entries()) {
      expect(await exchange.closed).toBeUndefined();
      expect(exchange.body.length).toBe(i);
    }
    expect(most).toBeLessThanOrEqual(4);
  });

  test('A queued stream can be cancelled', async () => {
    const bodies: string[] = [];
    const peer = await startNodePeer(
      (stream) => {
        stream.on('data', (chunk) => bodies.push(String(chunk)));
        echo(stream);
      },
      { settings: { maxConcurrentStreams: 1 } },
    );
    const connection = await connectTo(peer.port);
    const [first, second, third] = [new Exchange(), new Exchange(), new Exchange()];
    connection.open(post, first).send(Buffer.from('1'), true);
    const waiting = connection.open(post, second);
    waiting.send(Buffer.from('2'), true);
    connection.open(post, third).send(Buffer.from('3'), true);
    waiting.cancel();
    await Promise.all([first.closed, third.closed]);
    expect(bodies).toEqual(['1', '3']);
    expect(second.closes).toBe(0);
  });

  test('An HTTP/2 connection to nghttp2 reads every character of a Huffman-coded header', async () => {
    const characters = [
      ...Array.from({ length: 95 }, (_, i) => 0x20 + i),
      ...Array.from({ length: 128 }, (_, i) => 0x80 + i),
    ].map((code) => String.fromCharCode(code));
    // Long enough that Huffman coding pays off, and not at the edges, where blanks would be trimmed.
    const values = characters.map((character) => `${'0'.repeat(40)}${character}${character}0`);
    const peer = await startNodePeer((stream) => {
      stream.respond({ ':status': 200, ...Object.fromEntries(values.map((value, i) => [`x-${i}`, value])) });
      stream.end();
    });
    const connection = await connectTo(peer.port);
    const exchange = new Exchange();
    connection.open(post, exchange).send(Buffer.alloc(0), true);
    expect(await exchange.closed).toBeUndefined();
    expect(values.map((_, i) => exchange.header(`x-${i}`))).toEqual(values);
  });

  test('An HTTP/2 connection to nghttp2 reads headers that take several frames', async () => {
    const value = 'abc'.repeat(12_000);
    const peer = await startNodePeer((stream) => {
      stream.respond({ ':status': 200, 'x-long': value });
      stream.end('body');
    });
    const connection = await connectTo(peer.port);
    const exchange = new Exchange();
    connection.open(post, exchange).send(Buffer.alloc(0), true);
    expect(await exchange.closed).toBeUndefined();
    expect(exchange.header('x-long')).toBe(value);
    expect(exchange.body.toString()).toBe('body');
  });

  test('An HTTP/2 connection to nghttp2 removes the padding of DATA frames', async () => {
    const peer = await startNodePeer(echo, { paddingStrategy: http2.constants.PADDING_STRATEGY_MAX });
    const connection = await connectTo(peer.port, { streamWindowBytes: 5_000 });
    const exchange = new Exchange();
    const body = pattern(50_001);
    connection.open(post, exchange).send(body, true);
    expect(await exchange.closed).toBeUndefined();
    expect(exchange.body.equals(body)).toBe(true);
    expect(exchange.headers.at(-1)?.get('grpc-status')).toBe('0');
  });

  test('An HTTP/2 connection to nghttp2 takes an answer that comes before the request has been sent', async () => {
    const peer = await startNodePeer((stream) => {
      stream.respond({ ':status': 200, 'grpc-status': '8' }, { endStream: true });
    });
    const connection = await connectTo(peer.port);
    const exchange = new Exchange();
    connection.open(post, exchange).send(Buffer.alloc(3_000_000), true);
    expect(await exchange.closed).toBeUndefined();
    expect(exchange.header('grpc-status')).toBe('8');
    const next = new Exchange();
    connection.open(post, next).send(Buffer.alloc(1), true);
    expect(await next.closed).toBeUndefined();
  });

  test('A cancelled stream ends at the peer and is not heard of again', async () => {
    const aborted = vi.fn();
    const peer = await startNodePeer((stream) => {
      stream.respond({ ':status': 200 });
      stream.write('some');
      stream.on('aborted', aborted);
    });
    const connection = await connectTo(peer.port);
    const exchange = new Exchange();
    const stream = connection.open(post, exchange);
    await vi.waitFor(() => expect(exchange.body.toString()).toBe('some'));
    stream.cancel();
    await vi.waitFor(() => expect(aborted).toHaveBeenCalled());
    expect(exchange.closes).toBe(0);
    expect(connection.activeStreams).toBe(0);
  });

  test('A paused stream receives its window and no more, while others go on', async () => {
    const peer = await startNodePeer((stream, headers) => {
      if (headers[':path'] !== '/endless') return echo(stream);
      stream.respond({ ':status': 200 });
      const more = (): void => {
        while (stream.writable && stream.write(Buffer.alloc(1_000)));
      };
      stream.on('drain', more);
      more();
    });
    const connection = await connectTo(peer.port, { streamWindowBytes: 20_000 });
    const exchange = new Exchange();
    const stream = connection.open(
      encodeHeaders([
        [':method', 'POST'],
        [':scheme', 'http'],
        [':path', '/endless'],
        [':authority', 'x'],
      ]),
      exchange,
    );
    stream.pause();
    await vi.waitFor(() => expect(exchange.body.length).toBe(20_000));
    const other = new Exchange();
    connection.open(post, other).send(pattern(100_000), true);
    expect(await other.closed).toBeUndefined();
    expect(exchange.body.length).toBe(20_000);
    stream.resume();
    await vi.waitFor(() => expect(exchange.body.length).toBeGreaterThan(60_000));
    stream.cancel();
  });

  test.each([
    { name: 'refused', code: http2.constants.NGHTTP2_REFUSED_STREAM, unprocessed: true },
    { name: 'cancelled', code: http2.constants.NGHTTP2_CANCEL, unprocessed: false },
    { name: 'failed', code: http2.constants.NGHTTP2_INTERNAL_ERROR, unprocessed: false },
  ])('The HTTP/2 client tells that the peer has $name a stream', async ({ code, unprocessed }) => {
    const peer = await startNodePeer((stream) => stream.close(code));
    const connection = await connectTo(peer.port);
    const exchange = new Exchange();
    connection.open(post, exchange).send(Buffer.alloc(1), true);
    expect(await exchange.closed).toMatchObject({ name: 'Http2Error', code, unprocessed });
  });

  test('An HTTP/2 connection to nghttp2 on GOAWAY finishes what the peer has begun, and opens no more', async () => {
    const begun: http2.ServerHttp2Stream[] = [];
    const peer = await startNodePeer((stream) => void begun.push(stream), { settings: { maxConcurrentStreams: 2 } });
    const onDraining = vi.fn();
    const connection = await connectTo(peer.port, { onDraining });
    const exchanges = Array.from({ length: 4 }, () => new Exchange());
    for (const exchange of exchanges) connection.open(post, exchange).send(Buffer.from('x'), true);
    await vi.waitFor(() => expect(begun).toHaveLength(2));
    peer.sessions[0]!.goaway(0, 1);
    expect(await exchanges[1]!.closed).toMatchObject({ unprocessed: true });
    expect(await exchanges[3]!.closed).toMatchObject({ unprocessed: true });
    expect(onDraining).toHaveBeenCalledOnce();
    expect(() => connection.open(post, new Exchange())).toThrow(expect.objectContaining({ unprocessed: true }));
    echo(begun[0]!);
    expect(await exchanges[0]!.closed).toBeUndefined();
    expect(exchanges.map((exchange) => exchange.closes)).toEqual([1, 1, 1, 1]);
  });

  test('A lost connection fails its streams, and what never left is known as such', async () => {
    const begun: http2.ServerHttp2Stream[] = [];
    const peer = await startNodePeer((stream) => void begun.push(stream));
    const onDraining = vi.fn();
    const connection = await connectTo(peer.port, { onDraining });
    const [sent, unsent] = [new Exchange(), new Exchange()];
    connection.open(post, sent).send(Buffer.from('x'), true);
    await vi.waitFor(() => expect(begun).toHaveLength(1));
    connection.open(post, unsent).send(Buffer.from('x'), true);
    connection.destroy(new Error('cut'));
    expect(await sent.closed).toMatchObject({ message: 'cut', unprocessed: false });
    expect(await unsent.closed).toMatchObject({ message: 'cut', unprocessed: true });
    expect(onDraining).toHaveBeenCalledOnce();
    expect(connection.draining).toBe(true);
  });

  test('An HTTP/2 connection to nghttp2 hears that the peer has gone', async () => {
    const peer = await startNodePeer(() => {});
    const connection = await connectTo(peer.port);
    const exchange = new Exchange();
    connection.open(post, exchange).send(Buffer.from('x'), true);
    await vi.waitFor(() => expect(peer.sessions[0]).toBeDefined());
    peer.sessions[0]!.destroy();
    expect(await exchange.closed).toMatchObject({ name: 'Http2Error' });
    await vi.waitFor(() => expect(connection.draining).toBe(true));
  });

  test('A retired HTTP/2 connection serves what runs and then ends', async () => {
    const begun: http2.ServerHttp2Stream[] = [];
    const peer = await startNodePeer((stream) => void begun.push(stream));
    const connection = await connectTo(peer.port);
    const exchange = new Exchange();
    connection.open(post, exchange).send(Buffer.from('x'), true);
    await vi.waitFor(() => expect(begun).toHaveLength(1));
    connection.retire(new Error('another is better'));
    expect(() => connection.open(post, new Exchange())).toThrow('closed');
    echo(begun[0]!);
    expect(await exchange.closed).toBeUndefined();
    await vi.waitFor(() => expect(peer.sessions[0]!.destroyed).toBe(true));
  });

  test('An HTTP/2 connection that has used up its stream numbers serves what it has and takes no more', async () => {
    const peer = await startNodePeer(echo, { settings: { maxConcurrentStreams: 2 } });
    const onDraining = vi.fn();
    const connection = await connectTo(peer.port, { firstStreamId: 0x7fff_ffff - 4, onDraining });
    const exchanges = Array.from({ length: 4 }, () => new Exchange());
    for (const exchange of exchanges) {
      if (!connection.draining) connection.open(post, exchange).send(Buffer.from('x'), true);
    }
    const outcomes = await Promise.all(exchanges.slice(0, 2).map((exchange) => exchange.closed));
    expect(outcomes).toEqual([undefined, undefined]);
    expect(exchanges[1]!.body.toString()).toBe('x');
    expect(onDraining).toHaveBeenCalledOnce();
    expect(() => connection.open(post, new Exchange())).toThrow(expect.objectContaining({ unprocessed: true }));
  });

  test('An HTTP/2 connection to nghttp2 answers PING frames of the server', async () => {
    const peer = await startNodePeer(echo);
    await connectTo(peer.port);
    await new Promise<void>((resolve, reject) =>
      peer.sessions[0]!.ping((error) => (error === null ? resolve() : reject(error))),
    );
  });

  test('An HTTP/2 connection to nghttp2 applies new settings of the server, also to open streams', async () => {
    const begun: http2.ServerHttp2Stream[] = [];
    const peer = await startNodePeer((stream) => void begun.push(stream), { settings: { initialWindowSize: 0 } });
    const connection = await connectTo(peer.port);
    const exchange = new Exchange();
    connection.open(post, exchange).send(pattern(200_000), true);
    await vi.waitFor(() => expect(begun).toHaveLength(1));
    echo(begun[0]!);
    peer.sessions[0]!.settings({ initialWindowSize: 10_000 });
    expect(await exchange.closed).toBeUndefined();
    expect(exchange.body.length).toBe(200_000);
  });
});
