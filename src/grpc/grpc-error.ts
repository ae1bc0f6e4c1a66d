import { GrpcCode } from './status.ts';

/** How a peer, or the way to it, refused a call: a gRPC code and the peer's own words. */
export class GrpcError extends Error {
  override readonly name = 'GrpcError';
  readonly code: GrpcCode;
  /** The call certainly had no effect: it never left, or was refused unread. Only then may a write be sent again. */
  readonly unprocessed: boolean;

  constructor(code: GrpcCode, message: string, details: { unprocessed?: boolean; cause?: unknown } = {}) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause });
    this.code = code;
    this.unprocessed = details.unprocessed ?? false;
  }
}

export const unavailable = (message: string, details: { unprocessed?: boolean; cause?: unknown } = {}): GrpcError =>
  new GrpcError(GrpcCode.unavailable, message, details);
