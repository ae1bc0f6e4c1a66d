/**
 * Rights to approve, sign or attest for a signer: verbs on `signers`, by the name of the signer or by `domain/*`.
 * @see {@link https://kubernetes.io/docs/reference/access-authn-authz/certificate-signing-requests/#authorization |
 *   Certificate signing requests: authorization}
 */
import type { ClusterTrustBundle } from '../../api/gen/types/certificates-v1alpha1.ts';
import type { CertificateSigningRequest } from '../../api/gen/types/certificates-v1.ts';
import { type RequestSubject, requestSubject } from '../../pki/request-subject.ts';
import { isEqual } from '../../machinery/equal.ts';
import { goQuote } from '../../machinery/go-quote.ts';
import type { UserInfo } from '../../machinery/user.ts';
import type { AdmissionAttributes, AdmissionPlugin } from '../../registry/admission.ts';
import { isOnlyForCollection } from '../../registry/generic/collection-change.ts';
import { type Authorizer, privilegedGroup } from '../../auth/authorization/authorizer.ts';
import { isAbout, refused } from './attributes.ts';

const group = 'certificates.k8s.io';
const clientSigner = 'kubernetes.io/kube-apiserver-client';

export interface SignerOptions {
  readonly authorizer: Authorizer;
}

const isAboutRequest = ({ resource, subresource }: AdmissionAttributes, wanted: string): boolean =>
  resource.group === group && resource.resource === 'certificatesigningrequests' && subresource === wanted;

/** The signer is that of the stored request: what the update says of it does not count. */
const signerOf = ({ oldObject }: AdmissionAttributes): string =>
  (oldObject as CertificateSigningRequest).spec.signerName ?? '';

export const createCertificateApproval = ({ authorizer }: SignerOptions): AdmissionPlugin => ({
  name: 'CertificateApproval',
  handles: (operation) => operation === 'UPDATE',
  async validate(attributes) {
    if (!isAboutRequest(attributes, 'approval')) return;
    const signer = signerOf(attributes);
    if (!(await maySign(authorizer, attributes.user, 'approve', signer)))
      throw refused(attributes, `user not permitted to approve requests with signerName ${goQuote(signer)}`);
  },
});

export const createCertificateSigning = ({ authorizer }: SignerOptions): AdmissionPlugin => ({
  name: 'CertificateSigning',
  handles: (operation) => operation === 'UPDATE',
  async validate(attributes) {
    if (!isAboutRequest(attributes, 'status')) return;
    const { status } = attributes.object as CertificateSigningRequest;
    const before = (attributes.oldObject as CertificateSigningRequest).status;
    if ((status.certificate ?? '') === (before.certificate ?? '') && isEqual(status.conditions, before.conditions))
      return;
    const signer = signerOf(attributes);
    if (!(await maySign(authorizer, attributes.user, 'sign', signer)))
      throw refused(attributes, `user not permitted to sign requests with signerName ${goQuote(signer)}`);
  },
});

export const createClusterTrustBundleAttest = ({ authorizer }: SignerOptions): AdmissionPlugin => ({
  name: 'ClusterTrustBundleAttest',
  handles: (operation) => operation === 'CREATE' || operation === 'UPDATE',
  async validate(attributes) {
    if (!isAbout(attributes, group, 'clustertrustbundles')) return;
    const { object, oldObject } = attributes;
    const signer = (object as ClusterTrustBundle).spec.signerName ?? '';
    if (signer === '' || (oldObject !== undefined && isOnlyForCollection(object!, oldObject))) return;
    if (!(await maySign(authorizer, attributes.user, 'attest', signer)))
      throw refused(attributes, `user not permitted to attest for signerName ${goQuote(signer)}`);
  },
});

/** A request with group `system:masters` is refused, so that approving it by mistake cannot create an administrator. */
export const certificateSubjectRestriction: AdmissionPlugin = {
  name: 'CertificateSubjectRestriction',
  handles: (operation) => operation === 'CREATE',
  validate(attributes) {
    if (!isAboutRequest(attributes, '')) return;
    const { spec } = attributes.object as CertificateSigningRequest;
    if (spec.signerName !== clientSigner) return;
    if (subjectOf(attributes, spec.request ?? '').organizations.includes(privilegedGroup))
      throw refused(attributes, `use of ${clientSigner} signer with ${privilegedGroup} group is not allowed`);
  },
};

function subjectOf(attributes: AdmissionAttributes, base64: string): RequestSubject {
  try {
    return requestSubject(Buffer.from(base64, 'base64').toString('latin1'));
  } catch (error) {
    throw refused(attributes, `failed to parse CSR: ${(error as Error).message}`);
  }
}

async function maySign(
  authorizer: Authorizer,
  user: UserInfo,
  verb: 'approve' | 'sign' | 'attest',
  signer: string,
): Promise<boolean> {
  const names = [signer, `${signer.split('/', 1)[0]}/*`];
  for (const name of names) {
    const attributes = {
      user,
      verb,
      group,
      version: '*',
      resource: 'signers',
      subresource: '',
      namespace: '',
      name,
      path: '',
      isResourceRequest: true,
    };
    if ((await authorizer.authorize(attributes)).decision === 'allow') return true;
  }
  return false;
}
