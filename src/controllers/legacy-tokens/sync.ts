/** Which secrets with tokens that were made for accounts of old are no longer used. */
import type { Secret, ServiceAccount } from '../../api/gen/types/core-v1.ts';
import { accountAnnotations, accountTokenType, legacyTokenLabels } from '../../auth/service-accounts/legacy-claims.ts';

export interface TokenUse {
  readonly secret: Secret;
  /** The account that the secret names. */
  readonly account: ServiceAccount | undefined;
  /** Whether a pod refers to the secret. Asked for last. */
  readonly isMounted: () => boolean;
  /** Milliseconds since 1970. */
  readonly nowMs: number;
  /** How long it must not have been used. */
  readonly periodMs: number;
}

/** `invalidate`: the token is refused from now on, and deleted after another period, unless that is taken back. */
export type Verdict = 'keep' | 'invalidate' | 'delete';

export function verdictOn({ secret, account, isMounted, nowMs, periodMs }: TokenUse): Verdict {
  const { metadata, type } = secret;
  if (type !== accountTokenType || metadata.deletionTimestamp !== undefined) return 'keep';
  if (Date.parse(metadata.creationTimestamp ?? '') >= nowMs - periodMs) return 'keep';
  const usedSince = dateOf(nowMs - periodMs);
  const lastUsed = metadata.labels?.[legacyTokenLabels.lastUsed];
  if (lastUsed !== undefined && (!isDate(lastUsed) || lastUsed >= usedSince)) return 'keep';
  if (account === undefined || !isMadeFor(secret, account) || isMounted()) return 'keep';
  const invalidSince = metadata.labels?.[legacyTokenLabels.invalidSince] ?? '';
  if (!isDate(invalidSince)) return 'invalidate';
  return invalidSince >= usedSince ? 'keep' : 'delete';
}

/** Only tokens that a controller made for an account are cleaned up: it lists them. */
const isMadeFor = ({ metadata }: Secret, account: ServiceAccount): boolean => {
  const uid = metadata.annotations?.[accountAnnotations.uid] ?? '';
  return (
    (uid === '' || uid === account.metadata.uid) &&
    (account.secrets?.some(({ name }) => name === metadata.name) ?? false)
  );
};

/** When uses of a whole period are known. @param since date from which on they are noted. Undefined for no date */
export function knownFromMs(since: string | undefined, periodMs: number): number | undefined {
  return since === undefined || !isDate(since) ? undefined : Date.parse(since) + dayMs + periodMs;
}

const dayMs = 24 * 3600 * 1000;

/** `2026-01-31`, in UTC. */
export const dateOf = (ms: number): string => new Date(ms).toISOString().slice(0, 10);

const isDate = (text: string): boolean => /^\d{4}-\d\d-\d\d$/.test(text) && !Number.isNaN(Date.parse(text));
