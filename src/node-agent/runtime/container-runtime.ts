/**
 * The port to what runs containers: the calls of CRI v1, one request and one answer each.
 * @see {@link https://kubernetes.io/docs/concepts/architecture/cri/ | Container Runtime Interface}
 */
import { GrpcError } from '../../grpc/grpc-error.ts';
import { GrpcCode } from '../../grpc/status.ts';
import type { Methods } from './gen/cri.ts';

export interface CallOptions {
  /** Gives the call up. */
  readonly signal?: AbortSignal | undefined;
  /** In place of the usual time of the method; `Infinity` for none but the signal. */
  readonly timeoutMs?: number | undefined;
}

/** Each call rejects with a `GrpcError`. */
export type ContainerRuntime = {
  readonly [M in keyof Methods]: (request: Methods[M][0], options?: CallOptions) => Promise<Methods[M][1]>;
};

export const isNotFound = (error: unknown): boolean => error instanceof GrpcError && error.code === GrpcCode.notFound;

export const isUnimplemented = (error: unknown): boolean =>
  error instanceof GrpcError && error.code === GrpcCode.unimplemented;

/** What is gone counts as stopped, and as removed. */
export async function unlessGone(call: Promise<unknown>): Promise<void> {
  try {
    await call;
  } catch (error) {
    if (!isNotFound(error)) throw error;
  }
}

/** The words of the runtime, as upstream shows them. */
export function runtimeErrorText(error: unknown): string {
  if (!(error instanceof GrpcError)) return (error as Error).message;
  return `rpc error: code = ${codeNames[error.code] ?? `Code(${error.code})`} desc = ${error.message}`;
}

/** Of pulls, upstream shows an error without a code of its own by its words alone. */
export const pullErrorText = (error: unknown): string =>
  error instanceof GrpcError && error.code === GrpcCode.unknown ? error.message : runtimeErrorText(error);

/** As gRPC for Go writes them. */
const codeNames: Readonly<Record<number, string>> = [
  'OK',
  'Canceled',
  'Unknown',
  'InvalidArgument',
  'DeadlineExceeded',
  'NotFound',
  'AlreadyExists',
  'PermissionDenied',
  'ResourceExhausted',
  'FailedPrecondition',
  'Aborted',
  'OutOfRange',
  'Unimplemented',
  'Internal',
  'Unavailable',
  'DataLoss',
  'Unauthenticated',
];
