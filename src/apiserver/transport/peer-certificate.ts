import type { TLSSocket } from 'node:tls';
import type { PeerCertificate } from '../request.ts';

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
  if (typeof socket.getPeerCertificate !== 'function') return null;
  const peer = socket.getPeerCertificate();
  if (peer === undefined || peer === null || !('raw' in peer) || peer.raw === undefined) return null;
  const organization = (peer.subject as unknown as { O?: string | string[] }).O;
  const error = socket.authorizationError as unknown;
  return {
    raw: peer.raw,
    commonName: firstOf((peer.subject as unknown as { CN?: string | string[] }).CN),
    organizations: organization === undefined ? [] : Array.isArray(organization) ? organization : [organization],
    verified: socket.authorized,
    error: error === null || error === undefined ? undefined : error instanceof Error ? error.message : String(error as string),
  };
}

const firstOf = (value: string | string[] | undefined): string => (Array.isArray(value) ? (value.at(-1) ?? '') : (value ?? ''));
