/** How etcd, or the way to it, refused a call: a gRPC code and etcd's own words. */
import { GrpcError } from '../grpc/grpc-error.ts';
import { GrpcCode } from '../grpc/status.ts';

export { GrpcError as EtcdError, unavailable } from '../grpc/grpc-error.ts';

/** The caller gave up; a time limit of its own (`timeLimit`) is told as such. */
export function abortedBy(signal: AbortSignal): GrpcError {
  const reason: unknown = signal.reason;
  if (reason instanceof Error && reason.name === 'TimeoutError')
    return new GrpcError(GrpcCode.deadlineExceeded, 'etcd did not answer in the time given', { cause: reason });
  return new GrpcError(GrpcCode.cancelled, 'the caller gave up', { cause: reason });
}
