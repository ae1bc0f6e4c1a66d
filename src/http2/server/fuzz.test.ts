/**
 * Conversations with mistakes thrown in at random, repeatable by their seed: whatever the client says, the server keeps
 * to the rules and leaves nothing behind.
 */
import { duplexPair } from 'node:stream';
import { describe, expect, test } from 'vitest';
import { pick, randomInt, randomSource } from '../../../test/support/random.ts';
import type { RandomSource } from '../../../test/support/random.ts';
import { ErrorCode, Flag, FrameType, Setting, connectionPreface, frame, frameHeaderBytes } from '../frames.ts';
import { encodeHeaders } from '../hpack/encoder.ts';
import { answer, echo, field, onRequest, pattern, readBody, sendBody, serverOptions } from '../testing/http2-server.ts';
import { continuation, data, goAway, headers, ping, reset, settings, windowUpdate } from '../testing/client-frames.ts';
import { get, post, request } from '../testing/requests.ts';
import { RawClient } from '../testing/raw-client.ts';
import type { Heard } from '../testing/raw-client.ts';
import { ServerConnection } from './connection.ts';
import type { ServerStream } from './stream.ts';

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

// ── what handlers do ──

const handlers: Readonly<Record<string, (stream: ServerStream) => void | Promise<void>>> = {
  '/echo': echo,
  '/answer': (stream) => answer(stream),
  '/much': (stream) => sendBody(stream, pattern(200_000), 30_000),
  '/reset': (stream) => stream.reset(ErrorCode.internalError),
  '/late': async (stream) => {
    await turn();
    answer(stream);
  },
  '/read': async (stream) => {
    const { isComplete } = await readBody(stream);
    if (isComplete) answer(stream);
  },
  // While the body comes.
  '/haste': (stream) => {
    let isAnswered = false;
    const once = (): void => {
      if (!isAnswered) answer(stream);
      isAnswered = true;
    };
    stream.read({ onData: once, onEnd: once });
  },
  '/pauses': (stream) => {
    stream.respond(200, []);
    stream.read({
      onData: () => {
        stream.pause();
        setImmediate(() => stream.resume());
      },
      onEnd: () => stream.end(),
    });
  },
  // Unread, and never answered.
  '/hold': () => {},
};
const paths = Object.keys(handlers);

// ── what clients say ──

/** A valid exchange on a new stream, in frames. */
function exchange(random: RandomSource, streamId: number): Buffer[] {
  const path = pick(random, paths);
  const more = random() < 0.3 ? [['x-some', 'x'.repeat(randomInt(random, 500))] as const] : [];
  switch (randomInt(random, 5)) {
    case 0:
      return [get(streamId, path, more)];
    case 1:
      return [post(streamId, path, more), data(streamId, pattern(randomInt(random, 3_000)), Flag.endStream)];
    case 2:
      return [
        post(streamId, path),
        data(streamId, Buffer.concat([Buffer.from([9]), pattern(200), Buffer.alloc(9)]), Flag.padded),
        headers(streamId, [['x-checksum', '1']], Flag.endHeaders | Flag.endStream),
      ];
    case 3: {
      const block = encodeHeaders([...request('POST', path), ...more, ['content-length', '100']]);
      const at = randomInt(random, block.length);
      return [
        headers(streamId, block.subarray(0, at), 0),
        continuation(streamId, block.subarray(at)),
        data(streamId, pattern(60)),
        data(streamId, pattern(40), Flag.endStream),
      ];
    }
    default:
      return [post(streamId, path), data(streamId, pattern(100)), reset(streamId, ErrorCode.cancel)];
  }
}

/** Frames between those of streams. */
function between(random: RandomSource, streamId: number): Buffer {
  switch (randomInt(random, 7)) {
    case 0:
      return ping();
    case 1:
      return settings([Setting.initialWindowSize, randomInt(random, 100_000)]);
    case 2:
      return windowUpdate(0, 1 + randomInt(random, 100_000));
    case 3:
      return windowUpdate(streamId, 1 + randomInt(random, 100_000));
    case 4:
      return frame(FrameType.priority, 0, streamId, Buffer.alloc(5));
    case 5:
      return frame(0x42, 0, streamId, Buffer.from('?'));
    default:
      return settings([Setting.maxFrameSize, 16_384 + randomInt(random, 1_000)]);
  }
}

function conversation(random: RandomSource): Buffer[] {
  const frames: Buffer[] = [];
  const streams = 1 + randomInt(random, 8);
  for (let i = 0; i < streams; i++) {
    frames.push(...exchange(random, 2 * i + 1));
    if (random() < 0.5) frames.push(between(random, 2 * i + 1));
  }
  if (random() < 0.1) frames.push(goAway(0, ErrorCode.noError));
  return frames;
}

/** One mistake. */
function spoil(random: RandomSource, frames: Buffer[]): void {
  const at = randomInt(random, frames.length);
  const one = Buffer.from(frames[at]!);
  // Input that was cut already gets random bytes appended.
  switch (one.length < frameHeaderBytes ? 8 : randomInt(random, 9)) {
    case 0: // another byte somewhere
      one[randomInt(random, one.length)] = randomInt(random, 256);
      return void (frames[at] = one);
    case 1: // another bit in the head
      one[randomInt(random, frameHeaderBytes)]! ^= 1 << randomInt(random, 8);
      return void (frames[at] = one);
    case 2: // another kind
      one[3] = randomInt(random, 11);
      return void (frames[at] = one);
    case 3: // another stream
      one.writeUInt32BE(randomInt(random, 20), 5);
      return void (frames[at] = one);
    case 4: // said twice
      return void frames.splice(at, 0, one);
    case 5: // left out
      return void (frames.length > 1 && frames.splice(at, 1));
    case 6: // in another order
      return void frames.splice(randomInt(random, frames.length), 0, ...frames.splice(at, 1));
    case 7: // cut short
      return void (frames[at] = one.subarray(0, randomInt(random, one.length)));
    default: // noise
      return void frames.splice(
        at,
        0,
        Buffer.from(Array.from({ length: 1 + randomInt(random, 40) }, () => randomInt(random, 256))),
      );
  }
}

// ── what is held against the server ──

/** Streams open with HEADERS, go on with DATA, and are over with END_STREAM or RST_STREAM (RFC 9113, section 5.1). */
function expectOrder(heard: readonly Heard[]): void {
  const states = new Map<number, 'open' | 'ended' | 'reset'>();
  let failed = false;
  for (const { type, flags, streamId, code } of heard) {
    expect(failed, 'something behind an error of the connection').toBe(false);
    const before = states.get(streamId);
    if (type === FrameType.headers) expect(before).toBeUndefined();
    if (type === FrameType.data) expect(before).toBe('open');
    if (type === FrameType.windowUpdate && streamId !== 0) expect(before).not.toBe('reset');
    if (type === FrameType.headers || type === FrameType.data)
      states.set(streamId, flags & Flag.endStream ? 'ended' : 'open');
    if (type === FrameType.rstStream) states.set(streamId, 'reset');
    if (type === FrameType.goAway && code !== ErrorCode.noError) failed = true;
  }
}

interface Outcome {
  readonly requests: number;
  readonly error: number | undefined;
}

/** Has a conversation, goes away, and looks at what is left. */
async function converse(random: RandomSource, frames: readonly Buffer[]): Promise<Outcome> {
  const [clientSide, serverSide] = duplexPair();
  const opened = new Map<ServerStream, number>();
  const ends = new Map<ServerStream, number>();
  const connection = new ServerConnection(serverSide, {
    ...serverOptions,
    maxStreams: 5,
    onRequest: onRequest((stream) => {
      opened.set(stream, 0);
      stream.onClose(() => opened.set(stream, opened.get(stream)! + 1));
      const { read } = stream;
      stream.read = (reader) =>
        read.call(stream, {
          onData: (piece) => reader.onData(piece),
          onEnd: (isComplete) => void (ends.set(stream, (ends.get(stream) ?? 0) + 1), reader.onEnd(isComplete)),
        });
      return handlers[field(stream, ':path') ?? '']?.(stream);
    }),
  });
  const client = new RawClient(clientSide);
  client.greet();
  const bytes = Buffer.concat(frames);
  for (let at = 0; at < bytes.length; ) {
    const size = pick(random, [1, 10, 100, 100_000]) + randomInt(random, 20);
    client.send(bytes.subarray(at, at + size));
    at += size;
    if (random() < 0.2) await turn();
  }
  for (let i = 0; i < 6; i++) await turn();
  const closed = new Promise((resolve) => serverSide.once('close', resolve));
  client.destroy();
  serverSide.destroy();
  await closed;
  await turn();
  expect(connection.activeStreams).toBe(0);
  for (const [stream, closes] of opened) {
    expect(stream.closed).toBe(true);
    expect(closes).toBe(1);
  }
  for (const count of ends.values()) expect(count).toBe(1);
  expectOrder(client.heard);
  return {
    requests: opened.size,
    error: client.heard.find((heard) => heard.type === FrameType.goAway && heard.code !== ErrorCode.noError)?.code,
  };
}

describe('HTTP/2 server connection in random conversations', () => {
  test('Random HTTP/2 conversations that keep to the rules are served', async () => {
    let requests = 0;
    for (let seed = 1; seed <= 300; seed++) {
      const random = randomSource(seed);
      const frames = conversation(random);
      const { requests: served, error } = await converse(random, frames);
      expect({ seed, error }).toEqual({ seed, error: undefined });
      requests += served;
    }
    expect(requests).toBeGreaterThan(300);
  });

  test('Random HTTP/2 conversations that break the rules are answered or end with an HTTP/2 error code', async () => {
    const codes = new Set<number | undefined>();
    for (let seed = 1; seed <= 3_000; seed++) {
      const random = randomSource(seed * 7_919);
      const frames = conversation(random);
      for (let i = randomInt(random, 4); i >= 0; i--) spoil(random, frames);
      try {
        codes.add((await converse(random, frames)).error);
      } catch (error) {
        throw new Error(`seed ${seed}: ${(error as Error).message}`, { cause: error });
      }
    }
    // The mistakes are such as matter, and no exception of ours is among what comes of them.
    expect(codes).toContain(undefined);
    expect(codes).toContain(ErrorCode.protocolError);
    expect(codes).toContain(ErrorCode.frameSizeError);
    expect(codes).toContain(ErrorCode.compressionError);
    expect(codes).not.toContain(ErrorCode.internalError);
  }, 60_000);

  test('Noise behind the preface leaves the HTTP/2 server going', async () => {
    for (let seed = 1; seed <= 300; seed++) {
      const random = randomSource(seed);
      const noise = Buffer.from(Array.from({ length: 200 }, () => randomInt(random, 256)));
      expect((await converse(random, [noise])).error).not.toBe(ErrorCode.internalError);
    }
  });

  test('Noise in place of the preface leaves the HTTP/2 server going', async () => {
    const random = randomSource(1);
    for (let i = 0; i < connectionPreface.length; i++) {
      const [clientSide, serverSide] = duplexPair();
      const connection = new ServerConnection(serverSide, { ...serverOptions, onRequest: onRequest(() => {}) });
      const client = new RawClient(clientSide);
      const bytes = Buffer.from(connectionPreface);
      bytes[i]! ^= 1 + randomInt(random, 255);
      client.send(bytes);
      expect((await client.goAway()).code).toBe(ErrorCode.protocolError);
      await client.ended;
      client.destroy();
      serverSide.destroy();
      expect(connection.activeStreams).toBe(0);
    }
  });
});
