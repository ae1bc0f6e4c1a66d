/** Which requests for certificates have been looked at long enough. */
import { X509Certificate } from 'node:crypto';
import type { CertificateSigningRequest } from '../../api/gen/types/certificates-v1.ts';
import { hasCertificate } from './conditions.ts';

const hourMs = 3_600_000;
const decidedMs = hourMs;
const pendingMs = 24 * hourMs;

/** Why a request is deleted; undefined when it is kept. Throws for a certificate that cannot be read. */
export function outdatedReason(request: CertificateSigningRequest, nowMs: number): string | undefined {
  const { metadata, status } = request;
  const conditions = status.conditions ?? [];
  const isOlder = (time: string | undefined, ms: number): boolean =>
    time !== undefined && nowMs - Date.parse(time) > ms;
  const isSince = (type: string): boolean =>
    conditions.some((each) => each.type === type && isOlder(each.lastUpdateTime, decidedMs));
  const isIssued = hasCertificate(request);
  if (isIssued && isSince('Approved')) return 'issued for an hour';
  if (isSince('Denied')) return 'denied for an hour';
  if (conditions.length === 0 && isOlder(metadata.creationTimestamp, pendingMs)) return 'pending for a day';
  const isApproved = conditions.some(({ type }) => type === 'Approved');
  if (isIssued && isApproved && nowMs > expiryMs(status.certificate!)) return 'expired';
  return undefined;
}

/** @param certificate as the API has it: PEM in base64 */
const expiryMs = (certificate: string): number =>
  Date.parse(new X509Certificate(Buffer.from(certificate, 'base64')).validTo);
