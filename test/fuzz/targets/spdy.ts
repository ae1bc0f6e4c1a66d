import assert from 'node:assert/strict';
import { FrameReader } from '../../../src/spdy/frame-reader.ts';
import { dataHead, goAway, ping, rstStream, synReply, synStream, windowUpdate } from '../../../src/spdy/frames.ts';
import { decodeHeaders, encodeHeaders } from '../../../src/spdy/header-block.ts';
import { HeaderCompressor, HeaderDecompressor } from '../../../src/spdy/header-compression.ts';
import { pick, randomInt, type RandomSource } from '../../support/random.ts';
import { changed, expectWithin } from '../parts.ts';
import type { FuzzTarget } from '../target.ts';

const maxHeaderBytes = 8_192;

function frame(random: RandomSource, compressor: HeaderCompressor): Buffer {
  const id = pick(random, [0, 1, 2, 3, 5, 0x7fffffff]);
  const headers = new Map([
    ['streamtype', [pick(random, ['error', 'data', 'stdin', ''])]],
    ['port', ['x'.repeat(pick(random, [0, 1, 80, 3_000]))]],
  ]);
  const block = (): Buffer => compressor.compress(changed(random, encodeHeaders(headers)));
  switch (randomInt(random, 7)) {
    case 0:
      return synStream(id, random() < 0.5, block());
    case 1:
      return synReply(id, random() < 0.5, block());
    case 2:
      return rstStream(id, randomInt(random, 9));
    case 3:
      return ping(id);
    case 4:
      return goAway(id, 0);
    case 5:
      return windowUpdate(id, randomInt(random, 100_000));
    default: {
      const data = Buffer.alloc(pick(random, [0, 1, 7, 300]), 'x');
      return Buffer.concat([dataHead(id, random() < 0.5, data.length), data]);
    }
  }
}

/** What a reader makes of bytes that come in these pieces. */
function read(pieces: readonly Buffer[]): string[] {
  const decompressor = new HeaderDecompressor(maxHeaderBytes);
  const seen: string[] = [];
  let lastId = -1;
  const reader = new FrameReader({
    control(type, flags, payload) {
      lastId = -1;
      if (type !== 1 && type !== 2) return void seen.push(`${type} ${flags} ${payload.toString('hex')}`);
      const block = decompressor.decompress(payload.subarray(type === 1 ? 10 : 4));
      expectWithin(block.length, maxHeaderBytes, 'bytes of headers');
      seen.push(JSON.stringify([...decodeHeaders(block)]));
    },
    // Data comes as it is cut.
    data(id, _flags, bytes, ends) {
      if (lastId === id) seen.push(seen.pop()! + bytes.toString('hex'));
      else seen.push(`data ${id} ${bytes.toString('hex')}`);
      lastId = ends ? -1 : id;
    },
  });
  try {
    for (const piece of pieces) reader.read(piece);
  } catch (error) {
    assert.equal((error as Error).constructor.name, 'SpdyError');
    seen.push((error as Error).message);
  }
  return seen;
}

export const target: FuzzTarget = {
  about: 'frames of one direction of a SPDY/3.1 connection, with their header blocks',
  runs: 1_000,
  generate(random) {
    const compressor = new HeaderCompressor();
    const frames = Array.from({ length: 1 + randomInt(random, 5) }, () => frame(random, compressor));
    return changed(random, Buffer.concat(frames));
  },
  check(input) {
    const whole = read([input]);
    const byBytes = Array.from({ length: Math.ceil(input.length / 3) }, (_, i) => input.subarray(3 * i, 3 * i + 3));
    assert.deepEqual(read(byBytes), whole);
  },
};
