/**
 * Why another server could not be reached, in the words of Go's `net`, `crypto/tls` and `crypto/x509`: clients of
 * kube-apiserver know and match these texts.
 */
import { isIP } from 'node:net';
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

/** @param address of the server, for errors that do not have the address that was dialled */
export function connectionErrorText(error: unknown, address: Address): string {
  if (!(error instanceof Error)) return String(error);
  const { code = '', name, message, syscall } = error as NodeJS.ErrnoException;
  const authority = authorityOf(dialled(error) ?? address);
  if (name === 'TimeoutError' || name === 'AbortError') return 'context deadline exceeded';
  if (code in dialReasons) return `dial tcp ${authority}: connect: ${dialReasons[code]}`;
  if (code === 'ETIMEDOUT' || code === 'UND_ERR_CONNECT_TIMEOUT') return `dial tcp ${authority}: i/o timeout`;
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') return `dial tcp: lookup ${address.host}: no such host`;
  if (code in tlsReasons) return `${unverified}: ${tlsReasons[code]}`;
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID') return `${unverified}: ${otherNameText(error as AltNameError)}`;
  if (code === 'ERR_SSL_WRONG_VERSION_NUMBER') return 'tls: first record does not look like a TLS handshake';
  if (code === 'ECONNRESET' && syscall === 'read') return `read tcp ${authority}: read: connection reset by peer`;
  if (code === 'ECONNRESET' || code === 'EPIPE' || code === 'UND_ERR_SOCKET') return 'EOF';
  return message;
}

const unverified = 'tls: failed to verify certificate: x509';

/** What `tls.checkServerIdentity` fails with. */
interface AltNameError extends Error {
  readonly host?: string;
  readonly cert?: { readonly subjectaltname?: string };
}

function otherNameText({ host = '', cert }: AltNameError): string {
  const names = cert?.subjectaltname?.split(', ') ?? [];
  const of = (prefix: string): string =>
    names
      .filter((name) => name.startsWith(prefix))
      .map((name) => name.slice(prefix.length))
      .join(', ');
  const isAddress = isIP(host) !== 0;
  const valid = of(isAddress ? 'IP Address:' : 'DNS:');
  if (valid !== '') return `certificate is valid for ${valid}, not ${host}`;
  return isAddress
    ? `cannot validate certificate for ${host} because it doesn't contain any IP SANs`
    : `certificate is not valid for any names, but wanted to match ${host}`;
}
