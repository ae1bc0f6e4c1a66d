import { GrpcCode } from './grpc/status.ts';

/** How etcd, or the way to it, refused a call: a gRPC code and etcd's own words. */
export class EtcdError extends Error {
  override readonly name = 'EtcdError';
  readonly code: GrpcCode;
  /** The call certainly had no effect: it never left, or was refused unread. Only then may a write be sent again. */
  readonly unprocessed: boolean;

  constructor(code: GrpcCode, message: string, details: { unprocessed?: boolean; cause?: unknown } = {}) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause });
    this.code = code;
    this.unprocessed = details.unprocessed ?? false;
  }
}

export const unavailable = (message: string, details: { unprocessed?: boolean; cause?: unknown } = {}): EtcdError =>
  new EtcdError(GrpcCode.unavailable, message, details);

/** The caller gave up; a time limit of its own (`AbortSignal.timeout`) is told as such. */
export function abortedBy(signal: AbortSignal): EtcdError {
  const reason: unknown = signal.reason;
  if (reason instanceof Error && reason.name === 'TimeoutError') return new EtcdError(GrpcCode.deadlineExceeded, 'etcd did not answer in the time given', { cause: reason });
  return new EtcdError(GrpcCode.cancelled, 'the caller gave up', { cause: reason });
}
