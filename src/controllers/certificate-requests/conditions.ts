/** What has been decided about a certificate request. */
import type { CertificateSigningRequest } from '../../api/gen/types/certificates-v1.ts';

export const hasCertificate = ({ status }: CertificateSigningRequest): boolean => (status.certificate ?? '') !== '';

export const isApproved = (request: CertificateSigningRequest): boolean =>
  hasCondition(request, 'Approved') && !hasCondition(request, 'Denied');

/** Denied, or approved: the approver has no more to say. */
export const isDecided = (request: CertificateSigningRequest): boolean =>
  hasCondition(request, 'Approved') || hasCondition(request, 'Denied');

export const isFailed = ({ status }: CertificateSigningRequest): boolean =>
  status.conditions?.some(({ type, status: value = '' }) => type === 'Failed' && (value === '' || value === 'True')) ===
  true;

const hasCondition = ({ status }: CertificateSigningRequest, wanted: string): boolean =>
  status.conditions?.some(({ type }) => type === wanted) === true;

/** The request in PEM. */
export const pemOf = ({ spec }: CertificateSigningRequest): string =>
  Buffer.from(spec.request ?? '', 'base64').toString('latin1');
