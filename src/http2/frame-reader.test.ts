import { describe, expect, test } from 'vitest';
import { FrameReader } from './frame-reader.ts';
import { Flag, FrameType, frame } from './frames.ts';

/** Reads `bytes` in pieces of these sizes (the last one repeats) and tells what the sink heard. */
function read(bytes: Buffer, sizes: readonly number[], maxFrameBytes = 16_384): string[] {
  const heard: string[] = [];
  let data = '';
  const reader = new FrameReader(
    {
      dataStart: (streamId, length) => heard.push(`data ${streamId} of ${length}`),
      dataPiece: (_, piece) => (data += piece.toString()),
      dataEnd: (streamId, endStream) => {
        heard.push(`${data} on ${streamId}${endStream ? ', the last' : ''}`);
        data = '';
      },
      frame: (type, flags, streamId, payload) =>
        heard.push(`frame ${type} ${flags} ${streamId} ${payload.toString('hex')}`),
      oversized: (type, length) => {
        heard.push(`oversized ${type} ${length}`);
        reader.stop();
      },
    },
    maxFrameBytes,
  );
  for (let at = 0, i = 0; at < bytes.length; i++) {
    const size = sizes[Math.min(i, sizes.length - 1)]!;
    reader.push(bytes.subarray(at, at + size));
    at += size;
  }
  return heard;
}

const frames = Buffer.concat([
  frame(FrameType.settings, 0, 0, Buffer.from('000300000064', 'hex')),
  frame(FrameType.headers, Flag.endHeaders, 1, Buffer.from('88', 'hex')),
  frame(FrameType.data, 0, 1, Buffer.from('hello')),
  frame(FrameType.data, Flag.endStream, 3, Buffer.alloc(0)),
  frame(FrameType.data, Flag.padded, 1, Buffer.from('0161ff', 'hex')),
  frame(FrameType.data, Flag.endStream, 1, Buffer.from(' world')),
]);
const expected = [
  'frame 4 0 0 000300000064',
  'frame 1 4 1 88',
  'data 1 of 5',
  'hello on 1',
  'data 3 of 0',
  ' on 3, the last',
  'frame 0 8 1 0161ff',
  'data 1 of 6',
  ' world on 1, the last',
];

describe('frames, RFC 9113 section 4.1', () => {
  test.each(Array.from({ length: 30 }, (_, i) => i + 1))(
    'Frames, RFC 9113 section 4.1 are the same in pieces of %i bytes',
    (size) => {
      expect(read(frames, [size])).toEqual(expected);
    },
  );

  test('HTTP/2 frames are the same when all come at once', () => {
    expect(read(frames, [frames.length])).toEqual(expected);
  });

  test('HTTP/2 frames end with one that is too large', () => {
    const large = frame(FrameType.data, 0, 1, Buffer.alloc(101));
    expect(read(Buffer.concat([large, frames]), [1_000], 100)).toEqual(['oversized 0 101']);
  });
});
