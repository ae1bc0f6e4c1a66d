/**
 * Whether the certificate of a server is for its name, as Go judges it: the name stands among the alternative names,
 * and a common name is none.
 * @see {@link https://datatracker.ietf.org/doc/html/rfc9525#section-2 | RFC 9525, section 2}
 */
import { isIP } from 'node:net';
import { checkServerIdentity as checkNames, type PeerCertificate } from 'node:tls';

const unverified = 'tls: failed to verify certificate: x509';

/** For `tls.connect`, whose own check takes a common name for a name of the server. */
export function checkServerIdentity(host: string, certificate: PeerCertificate): Error | undefined {
  const problem = checkNames(host, certificate);
  if (problem !== undefined || isIP(host) !== 0) return problem;
  const { subjectaltname } = certificate;
  if (subjectaltname === undefined)
    return new Error(`${unverified}: certificate relies on legacy Common Name field, use SANs instead`);
  if (subjectaltname.split(', ').some((name) => name.startsWith('DNS:'))) return undefined;
  return new Error(`${unverified}: certificate is not valid for any names, but wanted to match ${host}`);
}
