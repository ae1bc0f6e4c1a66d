/**
 * Header blocks without state: we tell the peer to keep no dynamic table for what it sends
 * (SETTINGS_HEADER_TABLE_SIZE 0). That costs some bytes on the wire and makes a block a plain value: one that was seen
 * before needs no decoding.
 */
import { decodeHuffman } from './huffman.ts';
import { staticEntries, staticNames, staticValues } from './static-table.ts';

export type Headers = ReadonlyMap<string, string>;

/** Decodes a whole header block. Of a repeated name the last value stays. Throws what is a COMPRESSION_ERROR. */
export function decodeHeaders(block: Buffer): Headers {
  const headers = new Map<string, string>();
  const reader = new BlockReader(block);
  while (!reader.done) {
    const entry = reader.entry();
    if (entry !== undefined) headers.set(entry[0], entry[1]);
  }
  return headers;
}

class BlockReader {
  readonly #block: Buffer;
  #at = 0;

  constructor(block: Buffer) {
    this.#block = block;
  }

  get done(): boolean {
    return this.#at >= this.#block.length;
  }

  /** RFC 7541, section 6. A change of the table size has no entry. */
  entry(): readonly [string, string] | undefined {
    const first = this.#block[this.#at]!;
    if (first & 0x80) return this.#indexed(this.#integer(7));
    if (first & 0x40) return this.#literal(6);
    if (first & 0x20) {
      if (this.#integer(5) !== 0) throw new Error('the peer wants a dynamic table that we did not offer');
      return undefined;
    }
    return this.#literal(4);
  }

  #literal(prefixBits: number): readonly [string, string] {
    const index = this.#integer(prefixBits);
    const name = index === 0 ? this.#string() : this.#indexed(index)[0];
    return [name, this.#string()];
  }

  #indexed(index: number): readonly [string, string] {
    if (index === 0 || index > staticEntries) throw new Error(`no header has index ${index}`);
    return [staticNames[index]!, staticValues[index]!];
  }

  #string(): string {
    const huffman = (this.#block[this.#at] ?? 0) & 0x80;
    const length = this.#integer(7);
    const bytes = this.#block.subarray(this.#at, this.#at + length);
    if (bytes.length !== length) throw new Error('a header block ends inside a string');
    this.#at += length;
    return huffman ? decodeHuffman(bytes) : bytes.toString('latin1');
  }

  #integer(prefixBits: number): number {
    const limit = 2 ** prefixBits - 1;
    let value = this.#byte() & limit;
    if (value < limit) return value;
    for (let scale = 1; ; scale *= 128) {
      if (scale > 2 ** 28) throw new Error('a header block holds an integer that is too large');
      const byte = this.#byte();
      value += (byte & 0x7f) * scale;
      if (byte < 0x80) return value;
    }
  }

  #byte(): number {
    const byte = this.#block[this.#at++];
    if (byte === undefined) throw new Error('a header block ends inside an integer');
    return byte;
  }
}

/** Short blocks recur with every answer (`grpc-status: 0`): those are decoded once. */
export class HeaderDecoder {
  readonly #known = new Map<string, Headers>();

  decode(block: Buffer): Headers {
    if (block.length > 128) return decodeHeaders(block);
    const key = block.toString('latin1');
    let headers = this.#known.get(key);
    if (headers === undefined) {
      headers = decodeHeaders(block);
      if (this.#known.size < 64) this.#known.set(key, headers);
    }
    return headers;
  }
}
