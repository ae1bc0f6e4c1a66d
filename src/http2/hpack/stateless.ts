/**
 * Header blocks without state: we tell the peer to keep no dynamic table for what it sends
 * (SETTINGS_HEADER_TABLE_SIZE 0). That costs some bytes on the wire and makes a block a plain value: one that was seen
 * before needs no decoding.
 */
import { HpackDecoder } from './decoder.ts';

export type Headers = ReadonlyMap<string, string>;

const withoutTable = new HpackDecoder({ tableBytes: 0, maxListBytes: Infinity });

/** Decodes a whole header block. Of a repeated name the last value stays. Throws what is a COMPRESSION_ERROR. */
export function decodeHeaders(block: Buffer): Headers {
  const headers = new Map<string, string>();
  const fields = withoutTable.decode(block)!;
  for (let i = 0; i < fields.length; i += 2) headers.set(fields[i]!, fields[i + 1]!);
  return headers;
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
