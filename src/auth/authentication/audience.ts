import { type Identity, intersect, type TokenAuthenticator } from './authenticator.ts';

/**
 * Tokens without an audience count as tokens for this server.
 * @param own `--api-audiences`
 */
export function forOwnAudiences(tokens: TokenAuthenticator, own: readonly string[]): TokenAuthenticator {
  return {
    name: tokens.name,
    authenticateToken(token, audiences) {
      if (audiences.length === 0) return tokens.authenticateToken(token, audiences);
      const shared = intersect(audiences, own);
      if (shared.length === 0) return undefined;
      const name = (identity: Identity | undefined): Identity | undefined =>
        identity === undefined ? undefined : { ...identity, audiences: shared };
      const found = tokens.authenticateToken(token, shared);
      return found instanceof Promise ? found.then(name) : name(found);
    },
  };
}
