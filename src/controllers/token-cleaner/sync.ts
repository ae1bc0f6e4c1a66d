/** When a bootstrap token is looked at again, and when it goes. */
import type { Secret } from '../../api/gen/types/core-v1.ts';
import {
  bootstrapTokenNamespace,
  bootstrapTokenType,
  tokenExpiryMs,
} from '../../auth/authentication/bootstrap-token-secrets.ts';

/** Timers reach no further than 24 days, and clocks are set. */
const longestMs = 24 * 3_600_000;

export const isBootstrapToken = ({ metadata, type }: Secret): boolean =>
  metadata.namespace === bootstrapTokenNamespace && type === bootstrapTokenType;

/** @returns milliseconds until the next look; undefined for a token without an end */
export function verdictOn(secret: Secret, nowMs: number): 'delete' | number | undefined {
  const remainingMs = tokenExpiryMs(secret) - nowMs;
  if (remainingMs === Infinity) return undefined;
  return remainingMs <= 0 ? 'delete' : Math.min(remainingMs, longestMs);
}
