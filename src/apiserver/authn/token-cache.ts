/**
 * Remembers for a short time whose a token is: signatures, lookups and webhooks are too slow for every request. Tokens
 * are kept as keyed hashes, beside the last one of each open connection, and callers that bring the same token at once
 * wait for one answer.
 */
import { createHmac, randomBytes } from 'node:crypto';
import { systemClock, type Clock } from '../../base/clock.ts';
import { isSameSecret } from '../../base/same-secret.ts';
import type { Identity, MaybePromise, TokenAuthenticator } from './authenticator.ts';

export interface TokenCacheOptions {
  readonly tokens: TokenAuthenticator;
  /** How long an owner is remembered, never beyond the token's own end. 0: not at all. */
  readonly successTtlMs: number;
  /** How long it is remembered that nobody is known. What was found wrong is not. */
  readonly failureTtlMs: number;
  /** Most answers at once; the oldest go first. */
  readonly maxEntries?: number;
  readonly clock?: Clock;
  /** Milliseconds since 1970. */
  readonly now?: () => number;
}

interface Entry {
  readonly identity: Identity | undefined;
  /** In the clock's time. */
  readonly until: number;
}

/** What a connection brought last: mostly its next request brings the same, and need not wait for another hash of it. */
interface Brought {
  readonly token: Buffer;
  readonly audiences: readonly string[];
  readonly key: string;
}

const defaultMaxEntries = 20_000;

export function cachedTokens({ tokens, successTtlMs, failureTtlMs, maxEntries = defaultMaxEntries, clock = systemClock, now = Date.now }: TokenCacheOptions): TokenAuthenticator {
  const secret = randomBytes(32);
  const entries = new Map<string, Entry>();
  const pending = new Map<string, Promise<Identity | undefined>>();
  const lastOf = new WeakMap<object, Brought>();
  const keyOf = (token: string, audiences: readonly string[]): string => createHmac('sha256', secret).update(`${audiences.length === 0 ? '' : JSON.stringify(audiences)}\n${token}`).digest('binary');

  const remember = (key: string, identity: Identity | undefined): void => {
    const ttl = identity === undefined ? failureTtlMs : Math.min(successTtlMs, (identity.expiresAt ?? Infinity) - now());
    if (ttl <= 0) return;
    entries.delete(key);
    if (entries.size >= maxEntries) entries.delete(entries.keys().next().value!);
    entries.set(key, { identity, until: clock.now() + ttl });
  };

  const ask = (key: string, token: string, audiences: readonly string[]): MaybePromise<Identity | undefined> => {
    const waiting = pending.get(key);
    if (waiting !== undefined) return waiting;
    const answer = tokens.authenticateToken(token, audiences);
    if (!(answer instanceof Promise)) {
      remember(key, answer);
      return answer;
    }
    const shared = answer.then((identity) => {
      remember(key, identity);
      return identity;
    }).finally(() => pending.delete(key));
    pending.set(key, shared);
    return shared;
  };

  return {
    name: tokens.name,
    authenticateToken(token, audiences, connection) {
      const last = connection === undefined ? undefined : lastOf.get(connection);
      const isSame = last !== undefined && last.audiences === audiences && isSameSecret(last.token, token);
      const key = isSame ? last.key : keyOf(token, audiences);
      const entry = entries.get(key);
      if (entry !== undefined && entry.until > clock.now()) {
        // Only what was good: a stranger's tokens are not kept for as long as the connection lasts.
        if (!isSame && connection !== undefined && entry.identity !== undefined) lastOf.set(connection, { token: Buffer.from(token), audiences, key });
        return entry.identity;
      }
      if (entry !== undefined) entries.delete(key);
      return ask(key, token, audiences);
    },
  };
}
