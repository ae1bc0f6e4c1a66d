import { createHash } from 'node:crypto';
import { allAuthenticated, type Authenticator } from '../filters/authentication.ts';

/**
 * Client certificates signed by `--client-ca-file`: the common name is the user, organizations are the groups.
 * @see {@link https://kubernetes.io/docs/reference/access-authn-authz/authentication/#x509-client-certificates | X.509 client certificates}
 */
export const clientCertificate: Authenticator = {
  name: 'x509',
  authenticate(request) {
    const certificate = request.exchange.peerCertificate();
    if (certificate === undefined) return undefined;
    if (!certificate.verified) throw new Error(`client certificate is not trusted: ${certificate.error ?? 'unknown reason'}`);
    const credentialId = `X509SHA256=${createHash('sha256').update(certificate.raw).digest('hex')}`;
    return { name: certificate.commonName, groups: [...certificate.organizations, allAuthenticated], extra: { 'authentication.kubernetes.io/credential-id': [credentialId] } };
  },
};
