/**
 * What stands in a token that a secret holds, and what the secret says of its use.
 * @see {@link
 *   https://kubernetes.io/docs/concepts/configuration/secret/#serviceaccount-token-secrets | ServiceAccount token
 *   Secrets}
 */
import { userNameOf } from './claims.ts';

export const legacyIssuer = 'kubernetes/serviceaccount';

/** Of a secret with a token; both are dates such as `2026-01-31`. */
export const legacyTokenLabels = {
  lastUsed: 'kubernetes.io/legacy-token-last-used',
  invalidSince: 'kubernetes.io/legacy-token-invalid-since',
} as const;

/** Of a secret with a token: whose it is. */
export const accountAnnotations = {
  name: 'kubernetes.io/service-account.name',
  uid: 'kubernetes.io/service-account.uid',
} as const;

export const accountTokenType = 'kubernetes.io/service-account-token';

/** In `kube-system`: since when the use of tokens is noted, as the date `data.since`. */
export const trackingConfigMap = 'kube-apiserver-legacy-service-account-token-tracking';

/** What the claims are called in messages. */
export const legacyClaimNames = {
  'kubernetes.io/serviceaccount/namespace': 'namespace',
  'kubernetes.io/serviceaccount/secret.name': 'secretName',
  'kubernetes.io/serviceaccount/service-account.name': 'serviceAccountName',
  'kubernetes.io/serviceaccount/service-account.uid': 'serviceAccountUID',
} as const;

export type LegacyClaims = Readonly<Record<(typeof legacyClaimNames)[keyof typeof legacyClaimNames], string>>;

/** The claims of a token, members sorted by name. It does not end by itself. */
export function legacyClaims(about: LegacyClaims): Readonly<Record<string, string>> {
  const named = Object.entries(legacyClaimNames).map(([claim, name]) => [claim, about[name]]);
  return {
    iss: legacyIssuer,
    ...Object.fromEntries(named),
    sub: userNameOf(about.namespace, about.serviceAccountName),
  };
}
