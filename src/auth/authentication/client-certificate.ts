import { createHash } from 'node:crypto';
import type { PeerCertificate } from '../request-facts.ts';
import type { Identity, RequestAuthenticator } from './authenticator.ts';
import type { TrustedAuthorities } from './certificate-chain.ts';

const ends = new WeakMap<PeerCertificate, number>();
const identities = new WeakMap<PeerCertificate, Identity>();

/**
 * Client certificates signed by `--client-ca-file`: the common name is the user, organizations are the groups.
 * @see {@link https://kubernetes.io/docs/reference/access-authn-authz/authentication/#x509-client-certificates | X.509
 *   client certificates}
 * @param lasts told of the seconds that each good certificate has left
 */
export function clientCertificates(
  authorities: TrustedAuthorities,
  lasts: (seconds: number) => void,
): RequestAuthenticator {
  return {
    name: 'x509',
    authenticate(request) {
      const peer = request.exchange.peerCertificate();
      if (peer === undefined) return undefined;
      const problem = authorities.problemWith(peer);
      if (problem !== undefined) throw new Error(problemText(peer, problem));
      lasts((endOf(peer) - Date.now()) / 1000);
      return peer.commonName === '' ? undefined : identityOf(peer);
    },
  };
}

/** Names the certificate by its serial number: the rest of it is the client's own words. */
export const problemText = (peer: PeerCertificate, problem: string): string =>
  `verifying certificate SN=${BigInt(`0x${peer.certificate.serialNumber}`)} failed: x509: ${problem}`;

/** Milliseconds since 1970; once per connection. */
function endOf(peer: PeerCertificate): number {
  let end = ends.get(peer);
  if (end === undefined) ends.set(peer, (end = Date.parse(peer.certificate.validTo)));
  return end;
}

/** Once per connection: the digest of a certificate costs more than all else here. */
function identityOf(peer: PeerCertificate): Identity {
  let identity = identities.get(peer);
  if (identity === undefined) {
    const digest = createHash('sha256').update(peer.certificate.raw).digest('hex');
    identity = {
      user: {
        name: peer.commonName,
        groups: peer.organizations,
        extra: { 'authentication.kubernetes.io/credential-id': [`X509SHA256=${digest}`] },
      },
    };
    identities.set(peer, identity);
  }
  return identity;
}
