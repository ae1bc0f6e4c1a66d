import { ErrorCode } from '../frames.ts';
import type { Headers } from '../hpack/stateless.ts';

/** Why a stream ended before the peer had ended it. */
export class Http2Error extends Error {
  override readonly name = 'Http2Error';
  /** HTTP/2 error code (RFC 9113, section 7). */
  readonly code: number;
  /** The peer has certainly not acted on the request: it never left us, was refused, or lies beyond a GOAWAY. */
  readonly unprocessed: boolean;

  constructor(message: string, details: { code?: number; unprocessed?: boolean; cause?: unknown } = {}) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause });
    this.code = details.code ?? ErrorCode.internalError;
    this.unprocessed = details.unprocessed ?? false;
  }
}

/** What a caller hears of its stream. Called from the socket's data event; must not throw. */
export interface StreamHandler {
  /** Headers of the answer, and later its trailers. */
  onHeaders(headers: Headers): void;
  /** `piece` is valid during the call only. */
  onData(piece: Buffer): void;
  /** What `send()` could not hand on at once has left. */
  onDrain?(): void;
  /** Last, once; never after `cancel()`. Without an error the peer ended the stream in order. */
  onClose(error?: Http2Error): void;
}

export interface Http2Stream {
  /**
   * Queues `data` as flow control allows; `data` belongs to the stream from here on. False where some of it has to
   * wait: the handler's `onDrain` says when it has left.
   */
  send(data: Buffer, end: boolean): boolean;
  /** Ends the stream on both sides. The handler is not called again. */
  cancel(): void;
  /** The peer may fill the stream's window and no more. */
  pause(): void;
  resume(): void;
}
