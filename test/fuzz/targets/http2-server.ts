import assert from 'node:assert/strict';
import { duplexPair } from 'node:stream';
import { FrameReader } from '../../../src/http2/frame-reader.ts';
import {
  connectionPreface,
  ErrorCode,
  Flag,
  frame,
  FrameType,
  Setting,
  settingsPayload,
  uint32,
} from '../../../src/http2/frames.ts';
import { encodeHeaders } from '../../../src/http2/hpack/encoder.ts';
import { ServerConnection } from '../../../src/http2/server/connection.ts';
import type { ServerStream } from '../../../src/http2/server/stream.ts';
import { pick, randomInt, randomSource, type RandomSource } from '../../support/random.ts';
import { changed, expectWithin } from '../parts.ts';
import type { FuzzTarget } from '../target.ts';

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

const answerBytes = 300;

function oneFrame(random: RandomSource, next: { stream: number }): Buffer {
  const stream = random() < 0.9 ? Math.max(1, next.stream) : randomInt(random, 12);
  const flags = pick(random, [0, Flag.endStream, Flag.endHeaders, Flag.endHeaders | Flag.endStream, Flag.padded, 0xff]);
  const fields = encodeHeaders([
    [':method', pick(random, ['GET', 'POST'])],
    [':scheme', 'https'],
    [':path', '/'],
    [':authority', 'a'],
    ...(random() < 0.3 ? [['x', 'y'.repeat(randomInt(random, 300))] as const] : []),
  ]);
  // Before the first stream there is little that may be said.
  switch (next.stream < 0 && random() < 0.95 ? 0 : randomInt(random, 10)) {
    case 0:
    case 1:
    case 2:
    case 3:
      if (random() < 0.97) next.stream += 2;
      return frame(
        FrameType.headers,
        random() < 0.95 ? Flag.endHeaders | (flags & Flag.endStream) : flags,
        Math.max(1, next.stream),
        fields,
      );
    case 4:
      return frame(FrameType.data, flags & Flag.endStream, stream, Buffer.alloc(randomInt(random, 200)));
    case 5:
      return frame(
        FrameType.settings,
        0,
        0,
        settingsPayload([
          random() < 0.9
            ? [Setting.initialWindowSize, randomInt(random, 100_000)]
            : [
                pick(random, [Setting.maxFrameSize, Setting.headerTableSize, 99]),
                pick(random, [0, 16_384, 2 ** 32 - 1]),
              ],
        ]),
      );
    case 6:
      return frame(
        FrameType.windowUpdate,
        0,
        pick(random, [0, stream]),
        uint32(random() < 0.95 ? 1 + randomInt(random, 65_535) : pick(random, [0, 2 ** 31 - 1])),
      );
    case 7:
      return frame(FrameType.rstStream, 0, stream, uint32(randomInt(random, 14)));
    case 8:
      return frame(FrameType.ping, random() < 0.5 ? 0 : Flag.ack, 0, Buffer.alloc(8));
    default:
      return random() < 0.8
        ? frame(pick(random, [FrameType.priority, 0x42]), 0, stream, Buffer.alloc(5))
        : frame(
            pick(random, [FrameType.continuation, FrameType.goAway, FrameType.pushPromise]),
            flags,
            stream,
            Buffer.alloc(randomInt(random, 12)),
          );
  }
}

/** Answers with a few bytes once the body is there. */
function answer(stream: ServerStream): void {
  stream.read({ onData: () => undefined, onEnd: () => undefined });
  stream.respond(200, []);
  stream.write(Buffer.alloc(answerBytes));
  stream.end();
}

export const target: FuzzTarget = {
  about: 'frames of an HTTP/2 client, behind its preface',
  runs: 400,
  generate(random) {
    const next = { stream: -1 };
    const settings = frame(FrameType.settings, 0, 0, settingsPayload([[Setting.headerTableSize, 0]]));
    const frames = Buffer.concat([
      settings,
      ...Array.from({ length: 1 + randomInt(random, 12) }, () => oneFrame(random, next)),
    ]);
    return random() < 0.3 ? frames : changed(random, frames);
  },
  async check(input) {
    const random = randomSource(input.length);
    const [clientSide, serverSide] = duplexPair();
    let requests = 0;
    let heard = 0;
    const errors: number[] = [];
    const connection = new ServerConnection(serverSide, {
      maxStreams: 5,
      streamWindowBytes: 65_535,
      connectionWindowBytes: 1_048_576,
      maxHeaderListBytes: 65_536,
      idleMs: 60_000,
      stallMs: 60_000,
      leaveMs: 60_000,
      onRequest: (stream) => {
        requests++;
        answer(stream);
        return Promise.resolve();
      },
    });
    const reader = new FrameReader(
      {
        dataStart: () => undefined,
        dataPiece: () => undefined,
        dataEnd: () => undefined,
        oversized: () => assert.fail('a frame larger than allowed'),
        frame: (type, _flags, _stream, payload) => {
          if (type === FrameType.goAway) errors.push(payload.readUInt32BE(4));
        },
      },
      16_384,
    );
    clientSide.on('data', (chunk: Buffer) => {
      heard += chunk.length;
      reader.push(chunk);
    });
    clientSide.on('error', () => undefined);
    const bytes = Buffer.concat([connectionPreface, input]);
    for (let at = 0; at < bytes.length; ) {
      const size = pick(random, [1, 10, 100, 100_000]);
      if (clientSide.writable) clientSide.write(bytes.subarray(at, at + size));
      at += size;
      if (random() < 0.2) await turn();
    }
    for (let i = 0; i < 4; i++) await turn();
    const closed = new Promise((resolve) => serverSide.once('close', resolve));
    clientSide.destroy();
    serverSide.destroy();
    await closed;
    await turn();
    assert.equal(connection.activeStreams, 0);
    assert.ok(!errors.includes(ErrorCode.internalError), 'an error of the server itself');
    expectWithin(heard, 200 + 4 * bytes.length + requests * (answerBytes + 100), 'bytes heard');
  },
};
