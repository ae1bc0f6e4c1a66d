/** OpenSSL's errors carry addresses and source lines; their `reason` is the part that says something. */
interface TlsError extends Error {
  readonly code?: string;
  readonly reason?: string;
}

/** A socket's error as an operator can read it. */
export function readableSocketError(error: TlsError): Error {
  if (error.code?.startsWith('ERR_SSL_') && error.reason !== undefined)
    return new Error(`TLS: ${error.reason}`, { cause: error });
  // Several addresses were tried: Node leaves the message empty.
  if (error instanceof AggregateError && error.message === '') {
    return new Error(error.errors.map((one) => (one instanceof Error ? one.message : String(one))).join(', '), {
      cause: error,
    });
  }
  return error;
}
