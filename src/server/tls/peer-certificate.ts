import type { X509Certificate } from 'node:crypto';
import type { TLSSocket } from 'node:tls';
import type { PeerCertificate } from '../../auth/request-facts.ts';

const known = new WeakMap<object, PeerCertificate | null>();

/** The client's certificate, read once per connection. */
export function peerCertificateOf(socket: TLSSocket): PeerCertificate | undefined {
  // An HTTP/2 session shows its socket through a proxy; the x509 object behind it is the same for the connection.
  let certificate = known.get(socket);
  if (certificate === undefined) {
    certificate = read(socket);
    known.set(socket, certificate);
  }
  return certificate ?? undefined;
}

function read(socket: TLSSocket): PeerCertificate | null {
  if (typeof socket.getPeerX509Certificate !== 'function') return null;
  const certificate = socket.getPeerX509Certificate();
  if (certificate === undefined) return null;
  const { CN, O } = certificate.toLegacyObject().subject as unknown as {
    CN?: string | string[];
    O?: string | string[];
  };
  const error = socket.authorizationError as unknown;
  return {
    certificate,
    issuers: issuersOf(certificate, socket.authorized),
    commonName: listOf(CN).at(-1) ?? '',
    organizations: listOf(O),
    verified: socket.authorized,
    error:
      error === null || error === undefined
        ? undefined
        : error instanceof Error
          ? error.message
          : String(error as string),
  };
}

const listOf = (value: string | string[] | undefined): string[] =>
  value === undefined ? [] : Array.isArray(value) ? value : [value];

/**
 * A resumed session knows the client's certificate but not the others that came with it in the full handshake (RFC 8446
 * section 2.2).
 */
const issuersOfResumed = new Map<string, readonly X509Certificate[]>();
const maxRemembered = 1000;

function issuersOf(certificate: X509Certificate, verified: boolean): readonly X509Certificate[] {
  const issuers: X509Certificate[] = [];
  for (
    let next = certificate.issuerCertificate;
    next !== undefined && issuers.length < 10;
    next = next.issuerCertificate
  )
    issuers.push(next);
  const key = certificate.fingerprint512;
  if (issuers.length === 0) return (verified ? issuersOfResumed.get(key) : undefined) ?? [];
  if (verified) {
    issuersOfResumed.delete(key);
    if (issuersOfResumed.size >= maxRemembered) issuersOfResumed.delete(issuersOfResumed.keys().next().value!);
    issuersOfResumed.set(key, issuers);
  }
  return issuers;
}
