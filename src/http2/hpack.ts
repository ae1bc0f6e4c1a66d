/**
 * Header compression without state: we tell the peer to keep no dynamic table for what it sends
 * (SETTINGS_HEADER_TABLE_SIZE 0) and use none ourselves. That costs some bytes on the wire and makes a block a plain
 * value: requests are encoded once, and an answer's block that was seen before needs no decoding.
 *
 * @see {@link https://www.rfc-editor.org/rfc/rfc7541 | RFC 7541}
 */
import { decodeHuffman } from './huffman.ts';

export type Headers = ReadonlyMap<string, string>;

/** RFC 7541, appendix A; index 1 is the first. */
// prettier-ignore
const staticTable: ReadonlyArray<readonly [name: string, value: string]> = [
  [':authority', ''], [':method', 'GET'], [':method', 'POST'], [':path', '/'], [':path', '/index.html'],
  [':scheme', 'http'], [':scheme', 'https'], [':status', '200'], [':status', '204'], [':status', '206'],
  [':status', '304'], [':status', '400'], [':status', '404'], [':status', '500'], ['accept-charset', ''],
  ['accept-encoding', 'gzip, deflate'], ['accept-language', ''], ['accept-ranges', ''], ['accept', ''],
  ['access-control-allow-origin', ''], ['age', ''], ['allow', ''], ['authorization', ''], ['cache-control', ''],
  ['content-disposition', ''], ['content-encoding', ''], ['content-language', ''], ['content-length', ''],
  ['content-location', ''], ['content-range', ''], ['content-type', ''], ['cookie', ''], ['date', ''], ['etag', ''],
  ['expect', ''], ['expires', ''], ['from', ''], ['host', ''], ['if-match', ''], ['if-modified-since', ''],
  ['if-none-match', ''], ['if-range', ''], ['if-unmodified-since', ''], ['last-modified', ''], ['link', ''],
  ['location', ''], ['max-forwards', ''], ['proxy-authenticate', ''], ['proxy-authorization', ''], ['range', ''],
  ['referer', ''], ['refresh', ''], ['retry-after', ''], ['server', ''], ['set-cookie', ''],
  ['strict-transport-security', ''], ['transfer-encoding', ''], ['user-agent', ''], ['vary', ''], ['via', ''],
  ['www-authenticate', ''],
];

/** Encodes a header block that any peer can decode at any time. Names are lower case already. */
export function encodeHeaders(headers: ReadonlyArray<readonly [name: string, value: string]>): Buffer {
  return Buffer.concat(headers.map(([name, value]) => encodeHeader(name, value)));
}

function encodeHeader(name: string, value: string): Buffer {
  const whole = staticTable.findIndex((entry) => entry[0] === name && entry[1] === value);
  if (whole >= 0) return encodeInteger(whole + 1, 7, 0x80);
  const index = staticTable.findIndex((entry) => entry[0] === name) + 1;
  const encodedName = encodeInteger(index, 4, 0x00);
  return Buffer.concat(index === 0 ? [encodedName, encodeString(name), encodeString(value)] : [encodedName, encodeString(value)]);
}

function encodeString(text: string): Buffer {
  const bytes = Buffer.from(text, 'latin1');
  return Buffer.concat([encodeInteger(bytes.length, 7, 0x00), bytes]);
}

/** RFC 7541, section 5.1: an integer in the low `prefixBits` of a byte and, if need be, the bytes after. */
function encodeInteger(value: number, prefixBits: number, pattern: number): Buffer {
  const limit = 2 ** prefixBits - 1;
  if (value < limit) return Buffer.from([pattern | value]);
  const bytes = [pattern | limit];
  let rest = value - limit;
  for (; rest >= 128; rest = Math.floor(rest / 128)) bytes.push((rest % 128) | 0x80);
  bytes.push(rest);
  return Buffer.from(bytes);
}

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
    const entry = staticTable[index - 1];
    if (entry === undefined) throw new Error(`no header has index ${index}`);
    return entry;
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
