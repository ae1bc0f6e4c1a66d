import { ErrorCode, Flag } from './frames.ts';
import { HeaderDecoder } from './hpack/stateless.ts';
import type { Headers } from './hpack/stateless.ts';

/** The peer broke the rules in a way that ends the connection (RFC 9113, section 5.4.1). */
export class ConnectionError extends Error {
  override readonly name = 'ConnectionError';
  readonly code: number;

  constructor(code: number, message: string) {
    super(message);
    this.code = code;
  }
}

export interface HeaderBlock {
  readonly streamId: number;
  readonly headers: Headers;
  readonly endStream: boolean;
}

/** A peer that sends a larger header block is not one that we can talk to. */
const maxBlockBytes = 256 * 1024;

/** Puts header blocks together from HEADERS and CONTINUATION (RFC 9113, section 6.10), and decodes them. */
export class HeaderBlocks {
  readonly #decoder = new HeaderDecoder();
  #open: { readonly streamId: number; readonly endStream: boolean; readonly parts: Buffer[]; bytes: number } | undefined;

  /** Only CONTINUATION may come now. */
  get incomplete(): boolean {
    return this.#open !== undefined;
  }

  /** The block when it is whole. */
  headers(flags: number, streamId: number, payload: Buffer): HeaderBlock | undefined {
    const unpadded = unpad(flags, payload);
    const block = flags & Flag.priority ? unpadded.subarray(5) : unpadded;
    const endStream = (flags & Flag.endStream) !== 0;
    if (flags & Flag.endHeaders) return { streamId, endStream, headers: this.#decode(block) };
    this.#open = { streamId, endStream, parts: [Buffer.from(block)], bytes: block.length };
    return undefined;
  }

  continuation(flags: number, streamId: number, payload: Buffer): HeaderBlock | undefined {
    const open = this.#open;
    if (open?.streamId !== streamId) throw new ConnectionError(ErrorCode.protocolError, 'CONTINUATION of nothing');
    open.parts.push(Buffer.from(payload));
    open.bytes += payload.length;
    if (open.bytes > maxBlockBytes) throw new ConnectionError(ErrorCode.enhanceYourCalm, 'endless headers');
    if ((flags & Flag.endHeaders) === 0) return undefined;
    this.#open = undefined;
    return { streamId, endStream: open.endStream, headers: this.#decode(Buffer.concat(open.parts)) };
  }

  #decode(block: Buffer): Headers {
    try {
      return this.#decoder.decode(block);
    } catch (error) {
      throw new ConnectionError(ErrorCode.compressionError, (error as Error).message);
    }
  }
}

/** Takes padding off DATA or HEADERS. */
export function unpad(flags: number, payload: Buffer): Buffer {
  if ((flags & Flag.padded) === 0) return payload;
  const padding = payload[0] ?? Infinity;
  if (padding >= payload.length) throw new ConnectionError(ErrorCode.protocolError, 'more padding than payload');
  return payload.subarray(1, payload.length - padding);
}
