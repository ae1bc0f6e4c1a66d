import { once } from 'node:events';
import { duplexPair } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { setImmediate as turn } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { SpdyConnection } from './connection.ts';
import { StreamReset } from './errors.ts';
import { dataHead, goAway, initialWindowBytes, ping, rstStream, synStream } from './frames.ts';
import { encodeHeaders } from './header-block.ts';
import { HeaderCompressor } from './header-compression.ts';
import type { SpdyStream } from './stream.ts';
import { connected, settle } from './testing/connected.ts';

const headers = (type: string) => new Map([['streamtype', [type]]]);

describe.each([{ usesWindows: false }, { usesWindows: true }])('SPDY, with windows: $usesWindows', (options) => {
  test('A stream carries its headers, and data both ways until each side has ended it', async () => {
    const { client, server } = connected(options);
    server.on('stream', (stream) => {
      stream.reply(new Map([['ok', ['1']]]));
      stream.pipe(stream);
    });
    const opened = once(server, 'stream') as Promise<[SpdyStream]>;
    const stream = client.open(headers('data'));
    const sent = Buffer.alloc(1_000_000, 'abc');
    stream.end(sent);
    expect((await buffer(stream)).equals(sent)).toBe(true);
    expect(await stream.replied).toEqual(new Map([['ok', ['1']]]));
    expect((await opened)[0].headers).toEqual(headers('data'));
    await settle();
    expect([client.streams, server.streams]).toEqual([0, 0]);
  });

  test('Streams of both sides are open side by side', async () => {
    const { client, server } = connected(options);
    const echo = (stream: SpdyStream): void => void stream.pipe(stream);
    server.on('stream', echo);
    client.on('stream', echo);
    const streams = [client, server].flatMap((side) => [side.open(headers('a')), side.open(headers('b'))]);
    streams.forEach((stream, i) => stream.end(String(i)));
    expect((await Promise.all(streams.map((stream) => buffer(stream)))).map(String)).toEqual(['0', '1', '2', '3']);
  });

  test('A reader that takes nothing holds its writer up', async () => {
    const { client, server } = connected(options);
    let received: SpdyStream | undefined;
    server.on('stream', (stream) => (received = stream));
    // A duplex that was read to its end in a loop is destroyed, which resets the stream.
    const stream = client.open(headers('data')).on('error', () => undefined);
    let written = 0;
    const chunk = Buffer.alloc(16 * 1024);
    const write = (): void => {
      while (written < 100 * chunk.length) {
        written += chunk.length;
        if (!stream.write(chunk)) return void stream.once('drain', write);
      }
      stream.end();
    };
    write();
    await settle();
    expect(written).toBeLessThan(20 * chunk.length);
    expect(received!.readableLength).toBeLessThanOrEqual(initialWindowBytes + 2 * chunk.length);
    expect((await buffer(received!)).length).toBe(100 * chunk.length);
  });

  test('A stream that is reset ends on both sides, and the others go on', async () => {
    const { client, server } = connected(options);
    const received: SpdyStream[] = [];
    server.on('stream', (stream) => received.push(stream));
    const [first, second] = [client.open(headers('a')), client.open(headers('b'))];
    await settle();
    const closed = once(received[0]!, 'close');
    received[1]!.pipe(received[1]!);
    first.reset();
    await closed;
    expect([received[0]!.resetStatus, received[0]!.errored]).toEqual([5, null]);
    second.end('x');
    expect(String(await buffer(second))).toBe('x');
  });

  test('A ping is answered, and the end of the connection ends what is open', async () => {
    const { client, server } = connected(options);
    server.on('stream', () => undefined);
    await client.ping();
    await server.ping();
    const stream = client.open(headers('a'));
    const failed = once(stream, 'error');
    await settle();
    server.close();
    expect(String(await failed)).toContain('the connection ended');
    expect(() => client.open(headers('b'))).toThrow('takes no more streams');
  });
});

test('With windows, a stream that is not read does not hold up another', async () => {
  const { client, server } = connected({ usesWindows: true });
  server.on('stream', (stream) => {
    if (stream.headers.get('streamtype')![0] === 'echo') stream.pipe(stream);
  });
  const [silent, echo] = [client.open(headers('silent')), client.open(headers('echo'))];
  silent.write(Buffer.alloc(1_000_000));
  await settle();
  echo.end('x');
  expect(String(await buffer(echo))).toBe('x');
});

test('Streams beyond the limit are refused', async () => {
  const { client, server } = connected({ maxStreams: 2 });
  server.on('stream', (stream) => stream.reply());
  client.open(headers('a'));
  client.open(headers('b'));
  const third = client.open(headers('c'));
  expect(await once(third, 'error')).toEqual([new StreamReset(3)]);
  expect(server.streams).toBe(2);
});

test('A side that is closed sends what was written, and opens no more', async () => {
  const { client, server } = connected();
  server.on('stream', (stream) => void stream.pipe(stream));
  const stream = client.open(headers('a'));
  stream.end('x');
  expect(String(await buffer(stream))).toBe('x');
  const goaway = once(server, 'goaway');
  client.close();
  await goaway;
  expect(() => server.open(headers('b'))).toThrow('takes no more streams');
});

describe('the end of a connection', () => {
  test('What was sent before a stream is cancelled is still read, as Go ends connections', async () => {
    const { client, server } = connected();
    server.on('stream', (stream) => {
      stream.reply();
      stream.write('all of it', () => {
        stream.reset();
        server.close();
      });
    });
    const stream = client.open(headers('error'));
    await settle();
    expect([client.isClosed, stream.resetStatus]).toEqual([true, 5]);
    expect(String(await buffer(stream))).toBe('all of it');
  });

  test('What was sent before a stream is ended is still read when the connection is gone', async () => {
    const { client, server } = connected();
    server.on('stream', (stream) => {
      stream.end('all of it', () => server.close());
    });
    const stream = client.open(headers('error'));
    await settle();
    expect(client.isClosed).toBe(true);
    expect(String(await buffer(stream))).toBe('all of it');
  });

  test('A stream that is refused or breaks off is an error for its reader', async () => {
    const { client, server } = connected();
    server.on('stream', (stream) => {
      if (stream.id === 1) stream.reset(3);
      else stream.write('half', () => server.destroy());
    });
    const streams = ['a', 'b'].map((type) => client.open(headers(type)));
    await settle();
    expect(streams.map(({ errored }) => errored?.message)).toEqual([
      'the stream was reset with status 3',
      'the connection ended',
    ]);
  });

  test('What is written to a stream that is cancelled goes nowhere, and its writer is told by the end', async () => {
    const { client, server } = connected();
    server.on('stream', (stream) => stream.reset());
    const stream = client.open(headers('a'));
    const closed = once(stream, 'close');
    stream.write(Buffer.alloc(100_000));
    await closed;
    expect([stream.destroyed, client.streams]).toEqual([true, 0]);
  });
});

test('What waits to be read is bounded for all streams of a connection together', async () => {
  const { client, server } = connected();
  server.on('stream', () => undefined);
  let taken = 0;
  for (let i = 0; i < 200; i++) client.open(headers('data')).write(Buffer.alloc(32 * 1024), () => taken++);
  await settle();
  expect(taken).toBeLessThan(50);
});

describe('peers that do not keep to SPDY', () => {
  const block = () => new HeaderCompressor().compress(encodeHeaders(headers('a')));
  const open = () => synStream(1, false, block());

  /** What a server answers and how it ends. */
  async function send(...pieces: Buffer[]): Promise<{ answer: Buffer; error: Error | undefined; isClosed: boolean }> {
    const [near, far] = duplexPair();
    const server = new SpdyConnection(far, { side: 'server' });
    let error: Error | undefined;
    server.on('stream', (stream) => stream.on('error', () => undefined).resume());
    server.on('close', (why) => (error = why));
    const answer: Buffer[] = [];
    near.on('data', (chunk: Buffer) => answer.push(chunk)).on('error', () => undefined);
    for (const piece of pieces) near.write(piece);
    await settle();
    return { answer: Buffer.concat(answer), error, isClosed: server.isClosed };
  }

  test.each([
    { name: 'HTTP', pieces: [Buffer.from([0xc7, 0x45, 0x54, 0x20, 0x2f, 0x20, 0x48, 0x54])], text: 'not of SPDY/3' },
    { name: 'a control frame that is too long', pieces: [Buffer.from('8003000100ffffff', 'hex')], text: 'too long' },
    { name: 'a stream with an even number', pieces: [synStream(2, false, block())], text: 'number' },
    { name: 'a ping that is too short', pieces: [Buffer.from('8003000600000000', 'hex')], text: 'too short' },
    { name: 'headers that are no zlib', pieces: [synStream(1, false, Buffer.from('abcdef'))], text: 'decompressed' },
    { name: 'settings that are cut', pieces: [Buffer.from('80030004000000040000ffff', 'hex')], text: 'too short' },
  ])('A connection with $name ends with GOAWAY', async ({ pieces, text }) => {
    const { answer, error, isClosed } = await send(...pieces);
    expect([isClosed, error?.message]).toEqual([true, expect.stringContaining(text)]);
    expect(answer.subarray(-16)).toEqual(goAway(0, 1));
  });

  test.each([
    {
      name: 'data of a stream that there never was',
      pieces: [dataHead(7, false, 1), Buffer.from('x')],
      answer: rstStream(7, 2),
    },
    {
      name: 'data behind the end',
      pieces: [open(), dataHead(1, true, 0), dataHead(1, false, 1), Buffer.from('x')],
      answer: rstStream(1, 1),
    },
    {
      name: 'an unknown control frame',
      pieces: [Buffer.from('80030063000000020102', 'hex'), ping(1)],
      answer: ping(1),
    },
    { name: 'the end of a stream that is not there', pieces: [rstStream(9, 5), ping(1)], answer: ping(1) },
  ])('A connection with $name goes on', async ({ pieces, answer: expected }) => {
    const { answer, isClosed } = await send(...pieces);
    expect([isClosed, answer.toString('hex')]).toEqual([false, expected.toString('hex')]);
  });

  test('Frames are read however they are cut', async () => {
    const bytes = Buffer.concat([open(), dataHead(1, false, 3), Buffer.from('abc'), dataHead(1, true, 0), ping(3)]);
    for (const size of [1, 2, 3, 7, 11]) {
      const pieces = Array.from({ length: Math.ceil(bytes.length / size) }, (_, i) =>
        bytes.subarray(i * size, (i + 1) * size),
      );
      expect((await send(...pieces)).answer).toEqual(ping(3));
    }
  });

  test('Pings of a peer that reads nothing are not gathered', async () => {
    const [near, far] = duplexPair({ highWaterMark: 1024 });
    new SpdyConnection(far, { side: 'server' });
    const flood = Buffer.concat(Array.from({ length: 1000 }, () => ping(1)));
    for (let i = 0; i < 100; i++) near.write(flood);
    await settle();
    expect(far.writableLength).toBeLessThan(128 * 1024);
    expect(near.writableLength).toBeGreaterThan(0);
  });

  test('Random bytes end a connection and nothing else', async () => {
    for (let seed = 1; seed <= 300; seed++) {
      const bytes = Buffer.from(open());
      let state = seed * 2_654_435_761;
      for (let i = 0; i < 1 + (seed % 5); i++) {
        state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
        bytes[state % bytes.length]! ^= 1 << ((state >>> 16) % 8);
      }
      const [near, far] = duplexPair();
      const server = new SpdyConnection(far, { side: 'server' });
      server.on('stream', (stream) => stream.on('error', () => undefined).resume());
      near.on('error', () => undefined);
      near.write(Buffer.concat([bytes, dataHead(1, false, 3), Buffer.from('abc')]));
      await turn();
      expect(server.streams).toBeLessThanOrEqual(1);
    }
  });
});
