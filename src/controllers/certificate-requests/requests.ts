/** What the approver and the signers share. */
import type { CertificateSigningRequest } from '../../api/gen/types/certificates-v1.ts';
import type { Clock } from '../../base/clock.ts';
import { DerError } from '../../pki/der-reader.ts';
import { requestDetails, type RequestDetails } from '../../pki/request-details.ts';
import { TerminalError } from '../../reconcile/controller.ts';
import {
  ExponentialRateLimiter,
  MaxOfRateLimiter,
  type RateLimiter,
  TokenBucketRateLimiter,
} from '../../reconcile/rate-limiter.ts';
import { pemOf } from './conditions.ts';

/** Refused reviews are asked again seldom: 200 ms to 1,000 s for a request. */
export const certificateRateLimiter = (clock: Clock): RateLimiter =>
  new MaxOfRateLimiter([
    new ExponentialRateLimiter({ firstMs: 200, maxMs: 1_000_000 }),
    new TokenBucketRateLimiter({ perSecond: 10, burst: 100 }, clock),
  ]);

/** Throws a TerminalError for what cannot be read: a request never changes. */
export function detailsOf(request: CertificateSigningRequest): RequestDetails {
  try {
    return requestDetails(pemOf(request));
  } catch (error) {
    if (!(error instanceof DerError)) throw error;
    throw new TerminalError(`unable to parse csr "${request.metadata.name}": ${error.message}`);
  }
}
