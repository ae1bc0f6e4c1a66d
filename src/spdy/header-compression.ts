/**
 * Header blocks of one direction of a connection are one stream of zlib (RFC 1950), with a flush behind each block.
 *
 * Each block is worked on by itself, with the 32 KiB before it as a preset dictionary, which is what the stream would
 * know at that place: no state is kept in zlib, and nothing waits for another thread.
 */
import { deflateRawSync, inflateRawSync, constants } from 'node:zlib';
import { dictionary } from './dictionary.ts';
import { SpdyError } from './errors.ts';

/** How far back deflate refers (RFC 1951 section 2). */
const windowBytes = 32 * 1024;

/** RFC 1950 section 2.2: deflate with a window of 32 KiB, and a preset dictionary. */
const method = 0x78;
const flags = 0xbb;

const flush = constants.Z_SYNC_FLUSH;

class Window {
  #bytes = dictionary;

  get bytes(): Buffer {
    return this.#bytes;
  }

  add(bytes: Buffer): void {
    const all = Buffer.concat([this.#bytes, bytes]);
    this.#bytes = all.subarray(Math.max(0, all.length - windowBytes));
  }
}

/** RFC 1950 section 8 */
function adler32(bytes: Buffer): number {
  let [a, b] = [1, 0];
  for (const byte of bytes) {
    a = (a + byte) % 65_521;
    b = (b + a) % 65_521;
  }
  return b * 65_536 + a;
}

const head = Buffer.alloc(6);
head[0] = method;
head[1] = flags;
head.writeUInt32BE(adler32(dictionary), 2);

export class HeaderCompressor {
  readonly #window = new Window();
  #hasBegun = false;

  compress(block: Buffer): Buffer {
    const bytes = deflateRawSync(block, { dictionary: this.#window.bytes, finishFlush: flush });
    this.#window.add(block);
    if (this.#hasBegun) return bytes;
    this.#hasBegun = true;
    return Buffer.concat([head, bytes]);
  }
}

export class HeaderDecompressor {
  readonly #window = new Window();
  readonly #maxBytes: number;
  #hasBegun = false;

  /** @param maxBytes of one block */
  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** Throws for what is no such stream, and for a block that is too long. */
  decompress(bytes: Buffer): Buffer {
    try {
      const block = inflateRawSync(this.#hasBegun ? bytes : withoutHead(bytes), {
        dictionary: this.#window.bytes,
        finishFlush: flush,
        maxOutputLength: this.#maxBytes,
      });
      this.#hasBegun = true;
      this.#window.add(block);
      return block;
    } catch (error) {
      throw new SpdyError('a header block cannot be decompressed', { cause: error });
    }
  }
}

/** Some peers do without the dictionary in the head, though they use it. */
function withoutHead(bytes: Buffer): Buffer {
  const hasDictionary = (bytes[1]! & 0x20) !== 0;
  if (bytes.length < 2 || (bytes[0]! & 0x0f) !== 8) throw new SpdyError('no zlib');
  if (hasDictionary && !bytes.subarray(2, 6).equals(head.subarray(2))) throw new SpdyError('another dictionary');
  return bytes.subarray(hasDictionary ? 6 : 2);
}
