/** Why another server could not be reached, in the words of the reference, which clients show to people. */
import type { Address } from './service-resolver.ts';
import { authorityOf } from './service-resolver.ts';

const dialReasons: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'connection refused',
  EHOSTUNREACH: 'no route to host',
  ENETUNREACH: 'network is unreachable',
  EADDRNOTAVAIL: 'cannot assign requested address',
};

const tlsReasons: Readonly<Record<string, string>> = {
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'certificate signed by unknown authority',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'certificate signed by unknown authority',
  SELF_SIGNED_CERT_IN_CHAIN: 'certificate signed by unknown authority',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'certificate signed by unknown authority',
  CERT_HAS_EXPIRED: 'certificate has expired or is not yet valid',
  CERT_NOT_YET_VALID: 'certificate has expired or is not yet valid',
};

/** The address behind a name, of those that were tried the last. */
function dialled(error: Error): Address | undefined {
  const { address, port } = (error instanceof AggregateError ? error.errors.at(-1) : error) as {
    address?: string;
    port?: number;
  };
  return address === undefined || port === undefined ? undefined : { host: address, port };
}

export function connectionErrorText(error: unknown, address: Address): string {
  if (!(error instanceof Error)) return String(error);
  const { code = '', name, message } = error as NodeJS.ErrnoException;
  const authority = authorityOf(dialled(error) ?? address);
  if (name === 'TimeoutError' || name === 'AbortError') return 'context deadline exceeded';
  if (code in dialReasons) return `dial tcp ${authority}: connect: ${dialReasons[code]}`;
  if (code === 'ETIMEDOUT') return `dial tcp ${authority}: i/o timeout`;
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') return `dial tcp: lookup ${address.host}: no such host`;
  if (code in tlsReasons) return `tls: failed to verify certificate: x509: ${tlsReasons[code]}`;
  if (code === 'ECONNRESET' || code === 'EPIPE') return 'EOF';
  return message;
}
