/** @see {@link https://grpc.github.io/grpc/core/md_doc_statuscodes.html | gRPC status codes} */
export const GrpcCode = {
  ok: 0,
  cancelled: 1,
  unknown: 2,
  invalidArgument: 3,
  deadlineExceeded: 4,
  notFound: 5,
  alreadyExists: 6,
  permissionDenied: 7,
  resourceExhausted: 8,
  failedPrecondition: 9,
  aborted: 10,
  outOfRange: 11,
  unimplemented: 12,
  internal: 13,
  unavailable: 14,
  dataLoss: 15,
  unauthenticated: 16,
} as const;

export type GrpcCode = (typeof GrpcCode)[keyof typeof GrpcCode];

const known = new Set<number>(Object.values(GrpcCode));

/** The code of a `grpc-status` header; an undefined one is `unknown`. */
export function parseGrpcCode(text: string): GrpcCode {
  const code = Number(text);
  return known.has(code) ? (code as GrpcCode) : GrpcCode.unknown;
}

/** The meaning of an HTTP status without a gRPC status: a proxy before the server has answered. */
export function grpcCodeOfHttpStatus(status: string): GrpcCode {
  switch (status) {
    case '400':
      return GrpcCode.internal;
    case '401':
      return GrpcCode.unauthenticated;
    case '403':
      return GrpcCode.permissionDenied;
    case '404':
      return GrpcCode.unimplemented;
    case '429':
    case '502':
    case '503':
    case '504':
      return GrpcCode.unavailable;
    default:
      return GrpcCode.unknown;
  }
}

/** `grpc-message` is percent-encoded; what is not valid stays as it is. */
export function parseGrpcMessage(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

const nameOfCode = new Map<GrpcCode, string>(
  Object.entries(GrpcCode).map(([name, code]) => [code, name[0]!.toUpperCase() + name.slice(1)]),
);

/** `DeadlineExceeded`: as Go writes codes, in messages and in labels of metrics. */
export const grpcCodeName = (code: GrpcCode): string =>
  code === GrpcCode.ok ? 'OK' : code === GrpcCode.cancelled ? 'Canceled' : nameOfCode.get(code)!;
