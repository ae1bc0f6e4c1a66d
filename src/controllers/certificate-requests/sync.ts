/** What becomes of a request for a certificate: approved, failed, and from when to when its certificate is valid. */
import type {
  CertificateSigningRequest,
  CertificateSigningRequestCondition,
} from '../../api/gen/types/certificates-v1.ts';
import { type RequestDetails } from '../../pki/request-details.ts';
import { formatMs } from '../shared/times.ts';
import type { Validity } from '../../pki/signing-authority.ts';
import { hasCertificate, isApproved, isFailed } from './conditions.ts';
import { commonNameOf, requestProblem, type SignerName, signerNames } from './rules.ts';

const minuteMs = 60_000;
/** Clocks of those that verify may be behind. */
const backdateMs = 5 * minuteMs;
/** A certificate for less time than this is valid as long as was asked for, beside what it is backdated by. */
const shortMs = 8 * 60 * minuteMs;
const minDurationMs = 10 * minuteMs;

/** An approval that is asked for with a SubjectAccessReview of the user that made the request. */
export interface Approval {
  readonly subresource: 'selfnodeclient' | 'nodeclient';
  readonly message: string;
}

/** What the user of a request must be allowed, one of these; none where the request is not for the approver. */
export function approvalsFor({ spec }: CertificateSigningRequest, details: RequestDetails): Approval[] {
  if (spec.signerName !== signerNames.kubeletClient) return [];
  if (requestProblem(signerNames.kubeletClient, details, spec.usages ?? []) !== undefined) return [];
  const own: Approval = {
    subresource: 'selfnodeclient',
    message: 'Auto approving self kubelet client certificate after SubjectAccessReview.',
  };
  const other: Approval = {
    subresource: 'nodeclient',
    message: 'Auto approving kubelet client certificate after SubjectAccessReview.',
  };
  return spec.username === commonNameOf(details) ? [own, other] : [other];
}

export const withApproval = (request: CertificateSigningRequest, { message }: Approval): CertificateSigningRequest =>
  withCondition(request, { type: 'Approved', status: 'True', reason: 'AutoApproved', message });

export const isToBeSigned = (request: CertificateSigningRequest, signer: SignerName): boolean =>
  request.spec.signerName === signer && !hasCertificate(request) && isApproved(request) && !isFailed(request);

export const withFailure = (
  request: CertificateSigningRequest,
  message: string,
  nowMs: number,
): CertificateSigningRequest =>
  withCondition(request, {
    type: 'Failed',
    status: 'True',
    reason: 'SignerValidationFailure',
    message,
    lastUpdateTime: formatMs(nowMs),
  });

const withCondition = (
  request: CertificateSigningRequest,
  condition: CertificateSigningRequestCondition,
): CertificateSigningRequest => ({
  ...request,
  status: { ...request.status, conditions: [...(request.status.conditions ?? []), condition] },
});

/** As long as is asked for, between ten minutes and the longest that the signer gives. */
export function durationMsOf(expirationSeconds: number | undefined, maxMs: number): number {
  if (expirationSeconds === undefined) return maxMs;
  const wantedMs = expirationSeconds * 1000;
  if (wantedMs > maxMs) return maxMs;
  return Math.max(wantedMs, minDurationMs);
}

/** Never longer than its authority. Throws when that has expired. */
export function validityOf(nowMs: number, durationMs: number, authorityEnds: Date): Validity {
  const endMs = authorityEnds.getTime();
  if (endMs <= nowMs)
    throw new Error(`refusing to sign a certificate that expired in the past: NotAfter=${formatMs(endMs)}`);
  const startMs = nowMs - backdateMs;
  const wantedEndMs = durationMs < shortMs ? nowMs + durationMs : startMs + durationMs;
  return { notBefore: new Date(startMs), notAfter: new Date(Math.min(wantedEndMs, endMs)) };
}
