/**
 * Tokens of secrets in kube-system with which nodes join.
 * @see {@link https://kubernetes.io/docs/reference/access-authn-authz/bootstrap-tokens/ | Authenticating with Bootstrap
 *   Tokens}
 */
import type { Secret } from '../../api/gen/types/core-v1.ts';
import { constantTimeEqual } from '../../base/constant-time-compare.ts';
import type { Identity, TokenAuthenticator } from '../../auth/authentication/authenticator.ts';
import {
  bootstrapTokenNamespace,
  bootstrapTokenPrefix,
  bootstrapTokenType,
  tokenExpiryMs,
  tokenText,
} from '../../auth/authentication/bootstrap-token-secrets.ts';
import type { ObjectReader } from './object-reader.ts';

const servedVersion = /^([a-z0-9]{6})\.([a-z0-9]{16})$/;
const extraGroup = /^system:bootstrappers:[a-z0-9:-]{0,255}[a-z0-9]$/;

export function bootstrapTokens(objects: ObjectReader, now: () => number = Date.now): TokenAuthenticator {
  return {
    name: 'bootstrap',
    async authenticateToken(token) {
      const [, id, secret] = servedVersion.exec(token) ?? [];
      if (id === undefined || secret === undefined) return undefined;
      const name = `${bootstrapTokenPrefix}${id}`;
      // One that was made a moment ago may not be in the cache yet.
      const found =
        (await objects.find<Secret>('', 'secrets', bootstrapTokenNamespace, name)) ??
        (await objects.findFresh<Secret>('', 'secrets', bootstrapTokenNamespace, name));
      return found === undefined ? undefined : ownerOf(found, id, secret, now());
    },
  };
}

/** Undefined whatever is wrong: a client without a valid token learns nothing about the secret. */
function ownerOf(object: Secret, id: string, secret: string, now: number): Identity | undefined {
  const text = (key: string): string => tokenText(object, key);
  const expires = tokenExpiryMs(object);
  const isGood =
    constantTimeEqual(text('token-secret'), secret) &&
    text('token-id') === id &&
    object.type === bootstrapTokenType &&
    object.metadata?.deletionTimestamp === undefined &&
    expires > now &&
    text('usage-bootstrap-authentication') === 'true';
  const extraGroups = text('auth-extra-groups');
  const extra = extraGroups === '' ? [] : extraGroups.split(',');
  if (!isGood || !extra.every((group) => extraGroup.test(group))) return undefined;
  const groups = [...new Set(['system:bootstrappers', ...extra])].sort();
  return { user: { name: `system:bootstrap:${id}`, groups }, ...(expires === Infinity ? {} : { expiresAt: expires }) };
}
