/**
 * Secrets with the tokens with which nodes join.
 * @see {@link https://kubernetes.io/docs/reference/access-authn-authz/bootstrap-tokens/#bootstrap-token-secret-format |
 *   Bootstrap token Secret format}
 */
import type { Secret } from '../../api/gen/types/core-v1.ts';

export const bootstrapTokenType = 'bootstrap.kubernetes.io/token';
export const bootstrapTokenNamespace = 'kube-system';
export const bootstrapTokenPrefix = 'bootstrap-token-';

/** A value of the secret; empty without one. */
export const tokenText = ({ data }: Secret, key: string): string => Buffer.from(data?.[key] ?? '', 'base64').toString();

const rfc3339 = /^\d{4}-\d\d-\d\d[Tt]\d\d:\d\d:\d\d(?:\.\d+)?(?:[Zz]|[+-]\d\d:\d\d)$/;

/** When the token ends, in milliseconds since 1970. An end that cannot be read has passed. */
export function tokenExpiryMs(secret: Secret): number {
  const text = tokenText(secret, 'expiration');
  if (text === '') return Infinity;
  return rfc3339.test(text) ? Date.parse(text) || -Infinity : -Infinity;
}
