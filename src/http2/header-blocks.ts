import { GatheredBytes } from '../base/gathered-bytes.ts';
import { ErrorCode, Flag, frameHeaderBytes, priorityBytes } from './frames.ts';

/** The peer broke the rules in a way that ends the connection (RFC 9113, section 5.4.1). */
export class ConnectionError extends Error {
  override readonly name = 'ConnectionError';
  readonly code: number;

  constructor(code: number, message: string) {
    super(message);
    this.code = code;
  }
}

export interface HeaderBlock<T> {
  readonly streamId: number;
  readonly headers: T;
  readonly endStream: boolean;
  /** As it came. */
  readonly bytes: number;
}

/** Puts header blocks together from HEADERS and CONTINUATION (RFC 9113, section 6.10), and decodes them. */
export class HeaderBlocks<T> {
  readonly #decodeBlock: (block: Buffer) => T;
  readonly #maxBlockBytes: number;
  #open:
    | { readonly streamId: number; readonly endStream: boolean; readonly block: GatheredBytes; bytes: number }
    | undefined;

  /** @param maxBlockBytes a peer that sends a larger block is not one that we can talk to */
  constructor(decode: (block: Buffer) => T, maxBlockBytes: number) {
    this.#decodeBlock = decode;
    this.#maxBlockBytes = maxBlockBytes;
  }

  /** Only CONTINUATION may come now. */
  get incomplete(): boolean {
    return this.#open !== undefined;
  }

  /** Of a block that is not whole yet. */
  get pendingBytes(): number {
    return this.#open?.block.length ?? 0;
  }

  /** The block when it is whole. */
  headers(flags: number, streamId: number, payload: Buffer): HeaderBlock<T> | undefined {
    const unpadded = unpad(flags, payload);
    const block = flags & Flag.priority ? withoutPriority(unpadded) : unpadded;
    const endStream = (flags & Flag.endStream) !== 0;
    if (flags & Flag.endHeaders) return { streamId, endStream, headers: this.#decode(block), bytes: block.length };
    this.#open = { streamId, endStream, block: new GatheredBytes(), bytes: block.length };
    this.#open.block.add(block);
    return undefined;
  }

  continuation(flags: number, streamId: number, payload: Buffer): HeaderBlock<T> | undefined {
    const open = this.#open;
    if (open?.streamId !== streamId) throw new ConnectionError(ErrorCode.protocolError, 'CONTINUATION of nothing');
    open.block.add(payload);
    // Empty ones are not free either.
    open.bytes += payload.length + frameHeaderBytes;
    if (open.bytes > this.#maxBlockBytes) throw new ConnectionError(ErrorCode.enhanceYourCalm, 'endless headers');
    if ((flags & Flag.endHeaders) === 0) return undefined;
    this.#open = undefined;
    return { streamId, endStream: open.endStream, bytes: open.block.length, headers: this.#decode(open.block.take()) };
  }

  #decode(block: Buffer): T {
    try {
      return this.#decodeBlock(block);
    } catch (error) {
      throw new ConnectionError(ErrorCode.compressionError, (error as Error).message);
    }
  }
}

/** The field that RFC 9113, section 5.3.2, took out of use. */
function withoutPriority(payload: Buffer): Buffer {
  if (payload.length < priorityBytes)
    throw new ConnectionError(ErrorCode.frameSizeError, 'HEADERS without their priority');
  return payload.subarray(priorityBytes);
}

/** Takes padding off DATA or HEADERS. */
export function unpad(flags: number, payload: Buffer): Buffer {
  if ((flags & Flag.padded) === 0) return payload;
  const padding = payload[0] ?? Infinity;
  if (padding >= payload.length) throw new ConnectionError(ErrorCode.protocolError, 'more padding than payload');
  return payload.subarray(1, payload.length - padding);
}
