/**
 * Requests for certificates. @see {@link
 * https://kubernetes.io/docs/reference/access-authn-authz/certificate-signing-requests/ | Certificates and Certificate
 * Signing Requests}
 */
import type { CertificateSigningRequest, CertificateSigningRequestSpec } from '../../gen/types/certificates-v1.ts';
import { duplicate, forbidden, invalid, notSupported, required } from '../../../machinery/field-error.ts';
import type { FieldErrors } from '../../../machinery/field-errors.ts';
import { FieldPath } from '../../../machinery/field-path.ts';
import { goBytes } from '../../../machinery/go-quote.ts';
import { repeatedAt } from '../../meta/checks.ts';
import { pathSegmentName } from '../../meta/name-rules.ts';
import { validateBuiltInMeta, validateBuiltInMetaUpdate } from '../../meta/object-meta.ts';
import { certificateChainProblem } from '../../../pki/issued-certificate.ts';
import { certificateRequestProblem } from '../../../pki/certificate-request.ts';
import { checkDecisions, checkRequestConditions } from '../request-conditions.ts';
import { checkSignerName } from '../signer-name.ts';

const specPath = FieldPath.of('spec');
const certificatePath = FieldPath.of('status', 'certificate');
const minExpirationSeconds = 600;
const legacySigner = 'kubernetes.io/legacy-unknown';

const usages = [
  'any',
  'cert sign',
  'client auth',
  'code signing',
  'content commitment',
  'crl sign',
  'data encipherment',
  'decipher only',
  'digital signature',
  'email protection',
  'encipher only',
  'ipsec end system',
  'ipsec tunnel',
  'ipsec user',
  'key agreement',
  'key encipherment',
  'microsoft sgc',
  'netscape sgc',
  'ocsp signing',
  's/mime',
  'server auth',
  'signing',
  'timestamping',
];

export function validateSigningRequest(request: CertificateSigningRequest): FieldErrors {
  const errors = validateBuiltInMeta(request.metadata, { namespaced: false, validateName: pathSegmentName });
  checkSpec(request.spec, errors);
  checkRequestConditions(request.status.conditions ?? [], errors);
  checkCertificate(request.status.certificate ?? '', errors);
  return errors;
}

function checkSpec(spec: CertificateSigningRequestSpec, errors: FieldErrors): void {
  const bytes = Buffer.from(spec.request ?? '', 'base64');
  const problem = certificateRequestProblem(bytes.toString('latin1'));
  if (problem !== undefined) errors.push(invalid(specPath.child('request'), goBytes(bytes), problem));
  checkUsages(spec.usages ?? [], specPath.child('usages'), errors);
  const { signerName = '', expirationSeconds } = spec;
  if (signerName === legacySigner)
    errors.push(
      invalid(specPath.child('signerName'), signerName, 'the legacy signerName is not allowed via this API version'),
    );
  else checkSignerName(signerName, specPath.child('signerName'), errors);
  if (expirationSeconds !== undefined && expirationSeconds < minExpirationSeconds) {
    errors.push(
      invalid(
        specPath.child('expirationSeconds'),
        expirationSeconds,
        'may not specify a duration less than 600 seconds (10 minutes)',
      ),
    );
  }
}

function checkUsages(list: readonly string[], path: FieldPath, errors: FieldErrors): void {
  if (list.length === 0) errors.push(required(path));
  list.forEach((usage, i) => {
    if (!usages.includes(usage)) errors.push(notSupported(path.index(i), usage, usages));
  });
  for (const i of repeatedAt(list)) errors.push(duplicate(path.index(i), list[i]));
}

function checkCertificate(base64: string, errors: FieldErrors): void {
  if (base64 === '') return;
  const problem = certificateChainProblem(Buffer.from(base64, 'base64').toString('latin1'));
  if (problem !== undefined) errors.push(invalid(certificatePath, '<certificate data>', problem));
}

export interface SigningRequestRights {
  readonly mayApprove?: boolean;
  readonly mayIssue?: boolean;
}

/** The spec is kept by every update, so it is not judged again: older servers took more than this one. */
export function validateSigningRequestUpdate(
  request: CertificateSigningRequest,
  old: CertificateSigningRequest,
  { mayApprove = false, mayIssue = false }: SigningRequestRights = {},
): FieldErrors {
  const errors = validateBuiltInMeta(request.metadata, { namespaced: false, validateName: pathSegmentName });
  const { conditions = [], certificate = '' } = request.status;
  const before = old.status.certificate ?? '';
  checkRequestConditions(conditions, errors);
  if (certificate !== before) checkCertificate(certificate, errors);
  errors.push(...validateBuiltInMetaUpdate(request.metadata, old.metadata));
  checkDecisions(conditions, old.status.conditions ?? [], mayApprove, errors);
  if (certificate !== before) {
    if (before !== '') errors.push(forbidden(certificatePath, 'updates may not modify existing certificate content'));
    else if (!mayIssue) errors.push(forbidden(certificatePath, 'updates may not set certificate content'));
  }
  return errors;
}
