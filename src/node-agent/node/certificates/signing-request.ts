/**
 * Asks the API server for a certificate, and waits until it is signed.
 * @see {@link https://kubernetes.io/docs/reference/access-authn-authz/certificate-signing-requests/ | Certificates and
 *   Certificate Signing Requests}
 */
import { createHash, createPrivateKey, createPublicKey, X509Certificate } from 'node:crypto';
import type { CertificateSigningRequest } from '../../../api/gen/types/certificates-v1.ts';
import { isStatusError } from '../../../machinery/status.ts';
import type { Client } from '../../../client/client.ts';
import { createCertificateRequest } from '../../../pki/create-certificate-request.ts';
import type { KeyPair } from '../../../pki/pki.ts';
import { requestDetails } from '../../../pki/request-details.ts';
import type { ServingNames } from '../../../pki/serving-names.ts';

export type CertificateUse = 'client auth' | 'server auth';

export interface WantedCertificate {
  readonly nodeName: string;
  readonly use: CertificateUse;
  /** Of a serving certificate. */
  readonly names?: ServingNames;
  /** PEM. */
  readonly key: string;
}

const signers: Readonly<Record<CertificateUse, string>> = {
  'client auth': 'kubernetes.io/kube-apiserver-client-kubelet',
  'server auth': 'kubernetes.io/kubelet-serving',
};

/** Its signer, or the operator who approves, said no. */
export class RequestRefused extends Error {}

/**
 * A request of the same key is taken up again, so that an agent that starts anew waits for the same approval.
 *
 * @param signal how long to wait
 */
export async function obtainCertificate(
  client: Client,
  wanted: WantedCertificate,
  signal: AbortSignal,
): Promise<KeyPair> {
  const requests = client.certificates.v1.certificatesigningrequests;
  const made = await makeRequest(client, wanted, signal);
  const fieldSelector = `metadata.name=${made.metadata.name}`;
  for await (const { type, object } of requests.watch({ fieldSelector, signal })) {
    if (type === 'BOOKMARK') continue;
    if (object.metadata.uid !== made.metadata.uid || type === 'DELETED')
      throw new RequestRefused(`certificate signing request ${made.metadata.name} was deleted`);
    const certificate = certificateOf(object);
    if (certificate === undefined) continue;
    if (!isOfKey(certificate, wanted.key))
      throw new RequestRefused('the certificate that was signed is not for the key that was asked for');
    return { certificate, key: wanted.key };
  }
  signal.throwIfAborted();
  throw new Error(`certificate signing request ${made.metadata.name} was not answered`);
}

async function makeRequest(
  client: Client,
  wanted: WantedCertificate,
  signal: AbortSignal,
): Promise<CertificateSigningRequest> {
  const requests = client.certificates.v1.certificatesigningrequests;
  const { nodeName, use, names, key } = wanted;
  const subject = { commonName: `system:node:${nodeName}`, organization: 'system:nodes' };
  const request = createCertificateRequest({ subject, key: createPrivateKey(key), ...names });
  const name = nameOf(wanted);
  const spec = {
    request: Buffer.from(request).toString('base64'),
    signerName: signers[use],
    usages: ['digital signature' as const, 'key encipherment' as const, use],
  };
  try {
    return await requests.create({ metadata: { name }, spec }, { signal });
  } catch (error) {
    if (!isStatusError(error) || error.reason !== 'AlreadyExists') throw error;
    const before = await requests.get(name, { signal });
    const asked = Buffer.from(before.spec.request ?? '', 'base64').toString();
    if (before.spec.signerName !== spec.signerName || !requestDetails(asked).publicKey.equals(publicKey(key)))
      throw new RequestRefused(`certificate signing request ${name} is another one`, { cause: error });
    return before;
  }
}

/** The same for the same key and names. */
function nameOf({ nodeName, use, names, key }: WantedCertificate): string {
  const hash = createHash('sha256')
    .update(publicKey(key))
    .update(JSON.stringify([nodeName, use, names]));
  return `${use === 'client auth' ? 'node-csr' : 'csr'}-${hash.digest('hex').slice(0, 40)}`;
}

const publicKey = (pem: string): Buffer =>
  createPublicKey(createPrivateKey(pem)).export({ type: 'spki', format: 'der' });

const isOfKey = (certificate: string, key: string): boolean =>
  new X509Certificate(certificate).checkPrivateKey(createPrivateKey(key));

/** PEM; undefined while nothing is decided. */
function certificateOf({ metadata, status }: CertificateSigningRequest): string | undefined {
  for (const { type, reason = '', message = '' } of status?.conditions ?? []) {
    if (type === 'Denied' || type === 'Failed')
      throw new RequestRefused(
        `certificate signing request ${metadata.name} is ${type.toLowerCase()}, reason: ${reason}, message: ${message}`,
      );
  }
  const { certificate = '' } = status ?? {};
  return certificate === '' ? undefined : Buffer.from(certificate, 'base64').toString();
}
