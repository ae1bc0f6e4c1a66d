import { GrpcError } from './grpc-error.ts';
import { GrpcCode } from './status.ts';

const prefixBytes = 5;

/** Decodes one message from `buffer[start, end)`; the bytes are not valid after it returns. */
export type OnMessage = (buffer: Buffer, start: number, end: number) => void;

/**
 * Puts gRPC messages together from the pieces in which a stream's data arrives. A message that lies within one piece
 * is read where it is; a larger one is gathered in a buffer of exactly its size.
 *
 * @see {@link https://github.com/grpc/grpc/blob/master/doc/PROTOCOL-HTTP2.md | gRPC over HTTP/2:
 *   Length-Prefixed-Message}
 */
export class MessageReader {
  readonly #onMessage: OnMessage;
  readonly #maxBytes: number;
  #prefix: Buffer | undefined;
  #message: Buffer | undefined;
  #filled = 0;

  constructor(onMessage: OnMessage, maxBytes: number) {
    this.#onMessage = onMessage;
    this.#maxBytes = maxBytes;
  }

  /** Throws what `onMessage` throws, and an `GrpcError` for a message that cannot be read. */
  push(piece: Buffer): void {
    let at = 0;
    while (at < piece.length) at = this.#message === undefined ? this.#begin(piece, at) : this.#fill(piece, at);
  }

  #begin(piece: Buffer, at: number): number {
    if (this.#prefix !== undefined || piece.length - at < prefixBytes) return this.#beginSplit(piece, at);
    return this.#open(piece, at, piece, at + prefixBytes);
  }

  /** The prefix itself is spread over pieces. */
  #beginSplit(piece: Buffer, at: number): number {
    const known = this.#prefix ?? Buffer.alloc(0);
    const taken = Math.min(prefixBytes - known.length, piece.length - at);
    const prefix = Buffer.concat([known, piece.subarray(at, at + taken)]);
    this.#prefix = prefix;
    if (prefix.length < prefixBytes) return at + taken;
    this.#prefix = undefined;
    return this.#open(prefix, 0, piece, at + taken);
  }

  #open(prefix: Buffer, prefixAt: number, piece: Buffer, at: number): number {
    if (prefix[prefixAt] !== 0) throw new GrpcError(GrpcCode.internal, 'a compressed message, which was not asked for');
    const length = prefix.readUInt32BE(prefixAt + 1);
    if (length > this.#maxBytes)
      throw new GrpcError(
        GrpcCode.resourceExhausted,
        `an answer of ${length} bytes, more than the limit of ${this.#maxBytes}`,
      );
    if (at + length <= piece.length) {
      this.#onMessage(piece, at, at + length);
      return at + length;
    }
    this.#message = Buffer.allocUnsafeSlow(length);
    this.#filled = 0;
    return at;
  }

  #fill(piece: Buffer, at: number): number {
    const message = this.#message!;
    const taken = piece.copy(message, this.#filled, at);
    this.#filled += taken;
    if (this.#filled === message.length) {
      this.#message = undefined;
      this.#onMessage(message, 0, message.length);
    }
    return at + taken;
  }
}
