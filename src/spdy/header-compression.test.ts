import { randomBytes } from 'node:crypto';
import zlib from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { dictionary } from './dictionary.ts';
import { decodeHeaders, encodeHeaders } from './header-block.ts';
import { HeaderCompressor, HeaderDecompressor } from './header-compression.ts';

const blocks = [
  encodeHeaders(new Map([['streamtype', ['error']]])),
  encodeHeaders(
    new Map([
      ['streamtype', ['data']],
      ['port', ['80']],
    ]),
  ),
  randomBytes(40_000),
  encodeHeaders(new Map([['a', ['b', 'c']]])),
];

/** One stream of zlib through all blocks, as peers write and read it. */
async function through(stream: zlib.Deflate | zlib.Inflate, inputs: readonly Buffer[]): Promise<Buffer[]> {
  const outputs: Buffer[] = [];
  for (const input of inputs) {
    const chunks: Buffer[] = [];
    const collect = (chunk: Buffer): void => void chunks.push(chunk);
    stream.on('data', collect);
    await new Promise<void>((resolve, reject) => {
      stream.once('error', reject);
      stream.write(input);
      stream.flush(zlib.constants.Z_SYNC_FLUSH, resolve);
    });
    stream.off('data', collect);
    outputs.push(Buffer.concat(chunks));
  }
  return outputs;
}

describe('header blocks of SPDY', () => {
  test('The dictionary is that of SPDY/3', () => {
    const head = zlib.deflateSync('x', { dictionary });
    expect([dictionary.length, head.subarray(2, 6).toString('hex')]).toEqual([1423, 'e3c6a7c2']);
  });

  test('What one stream of zlib has compressed is decompressed block by block', async () => {
    const compressed = await through(zlib.createDeflate({ dictionary }), blocks);
    const decompressor = new HeaderDecompressor(64 * 1024);
    expect(compressed.map((bytes) => decompressor.decompress(bytes))).toEqual(blocks);
  });

  test('What is compressed block by block is one stream of zlib', async () => {
    const compressor = new HeaderCompressor();
    const compressed = blocks.map((block) => compressor.compress(block));
    expect(await through(zlib.createInflate({ dictionary }), compressed)).toEqual(blocks);
  });

  test('A block that becomes too long is refused before it is there', () => {
    const bomb = zlib.deflateSync(Buffer.alloc(10 * 1024 * 1024), { dictionary });
    expect(() => new HeaderDecompressor(64 * 1024).decompress(bomb)).toThrow('a header block cannot be decompressed');
  });

  test.each([
    { name: 'nothing', bytes: Buffer.alloc(0) },
    { name: 'no zlib', bytes: Buffer.from('GET / HTTP/1.1') },
    { name: 'another dictionary', bytes: zlib.deflateSync('x', { dictionary: Buffer.from('another') }) },
  ])('A header block that is $name is refused', ({ bytes }) => {
    expect(() => new HeaderDecompressor(1000).decompress(bytes)).toThrow();
  });

  test.each([
    { name: 'is cut', block: blocks[0]!.subarray(0, 20) },
    { name: 'has a length beyond its end', block: Buffer.from('00000001ffffffff', 'hex') },
    { name: 'has an empty name', block: Buffer.from('000000010000000000000000', 'hex') },
    {
      name: 'has a name twice',
      block: Buffer.from('0000000200000001610000000000000001610000000062', 'hex'),
    },
  ])('A block of names and values that $name is refused', ({ block }) => {
    expect(() => decodeHeaders(block)).toThrow();
  });

  test('Several values of a name stay apart', () => {
    expect(decodeHeaders(blocks[3]!)).toEqual(new Map([['a', ['b', 'c']]]));
  });
});
