/**
 * Remembers for a short time whose a token is: signatures, lookups and webhooks are too slow for every request. Tokens
 * are kept as keyed hashes, beside the last one of each open connection, and callers that bring the same token at once
 * wait for one answer.
 */
import { createHmac, randomBytes } from 'node:crypto';
import { BoundedCache, textBytes } from '../../base/bounded-cache.ts';
import { systemClock, type Clock } from '../../base/clock.ts';
import { constantTimeEqual } from '../../base/constant-time-compare.ts';
import type { Identity, MaybePromise, TokenAuthenticator } from './authenticator.ts';

/** What a cache of tokens tells of itself. */
export interface TokenCacheObserver {
  /** @param seconds from the question to the answer */
  asked(status: 'hit' | 'miss', seconds: number): void;
  /** The authenticator behind the cache is asked from now on. @returns what to call with how it went */
  fetching(): (status: 'ok' | 'error') => void;
  /** A question waits for the answer to the same one of another request. @returns what to call when it is there */
  waiting(): () => void;
}

export interface TokenCacheOptions {
  readonly tokens: TokenAuthenticator;
  /** How long an owner is remembered, never beyond the token's own end. 0: not at all. */
  readonly successTtlMs: number;
  /** How long unknown tokens are cached. Errors are not cached. */
  readonly failureTtlMs: number;
  /** Of all answers, as estimated; the oldest go first. */
  readonly maxBytes?: number;
  readonly observer?: TokenCacheObserver;
  readonly clock?: Clock;
  /** Milliseconds since 1970. */
  readonly now?: () => number;
}

interface Entry {
  readonly identity: Identity | undefined;
  /** In the clock's time. */
  readonly until: number;
}

/**
 * What a connection brought last: mostly its next request brings the same, and need not wait for another hash of it.
 */
interface Brought {
  readonly token: Buffer;
  readonly audiences: readonly string[];
  readonly key: string;
}

/** Twenty thousand users of 1.5 kB. */
const defaultMaxBytes = 32 * 1024 * 1024;
/** Of keyed hashes. */
const maxKeyLength = 32;
const identityBytes = 500;

/** As estimated. */
function bytesOf({ identity }: Entry): number {
  if (identity === undefined) return 0;
  const {
    user: { name, uid = '', groups, extra = {} },
    annotations = {},
  } = identity;
  return [name, uid, ...groups, ...Object.entries(extra).flat(2), ...Object.entries(annotations).flat()].reduce(
    (sum, text) => sum + textBytes(text) + perText,
    identityBytes,
  );
}

const perText = 24;

const noObserver: TokenCacheObserver = {
  asked: () => undefined,
  fetching: () => () => undefined,
  waiting: () => () => undefined,
};

export function cachedTokens({
  tokens,
  successTtlMs,
  failureTtlMs,
  maxBytes = defaultMaxBytes,
  observer = noObserver,
  clock = systemClock,
  now = Date.now,
}: TokenCacheOptions): TokenAuthenticator {
  const secret = randomBytes(32);
  const entries = new BoundedCache<Entry>({ maxBytes, maxKeyLength, bytesOf });
  const pending = new Map<string, Promise<Identity | undefined>>();
  const lastOf = new WeakMap<object, Brought>();
  const keyOf = (token: string, audiences: readonly string[]): string =>
    createHmac('sha256', secret)
      .update(`${audiences.length === 0 ? '' : JSON.stringify(audiences)}\n${token}`)
      .digest('binary');

  const remember = (key: string, identity: Identity | undefined): void => {
    const ttl =
      identity === undefined ? failureTtlMs : Math.min(successTtlMs, (identity.expiresAt ?? Infinity) - now());
    if (ttl <= 0) return;
    entries.set(key, { identity, until: clock.now() + ttl });
  };

  const fetch = (token: string, audiences: readonly string[]): MaybePromise<Identity | undefined> =>
    settling(() => tokens.authenticateToken(token, audiences), observer.fetching());

  const ask = (key: string, token: string, audiences: readonly string[]): MaybePromise<Identity | undefined> => {
    const waiting = pending.get(key);
    if (waiting !== undefined) return waiting.finally(observer.waiting());
    const answer = fetch(token, audiences);
    if (!(answer instanceof Promise)) {
      remember(key, answer);
      return answer;
    }
    const shared = answer
      .then((identity) => {
        remember(key, identity);
        return identity;
      })
      .finally(() => pending.delete(key));
    pending.set(key, shared);
    return shared;
  };

  return {
    name: tokens.name,
    authenticateToken(token, audiences, connection) {
      const last = connection === undefined ? undefined : lastOf.get(connection);
      const isSame = last !== undefined && last.audiences === audiences && constantTimeEqual(last.token, token);
      const key = isSame ? last.key : keyOf(token, audiences);
      const entry = entries.get(key);
      const begun = performance.now();
      if (entry !== undefined && entry.until > clock.now()) {
        // Only what was good: a stranger's tokens are not kept for as long as the connection lasts.
        if (!isSame && connection !== undefined && entry.identity !== undefined)
          lastOf.set(connection, { token: Buffer.from(token), audiences, key });
        observer.asked('hit', (performance.now() - begun) / 1000);
        return entry.identity;
      }
      if (entry !== undefined) entries.delete(key);
      return settling(
        () => ask(key, token, audiences),
        () => observer.asked('miss', (performance.now() - begun) / 1000),
      );
    },
  };
}

/** Tells how work went, whether it takes its time or not. */
function settling<T>(work: () => MaybePromise<T>, done: (status: 'ok' | 'error') => void): MaybePromise<T> {
  let result: MaybePromise<T>;
  try {
    result = work();
  } catch (error) {
    done('error');
    throw error;
  }
  if (result instanceof Promise)
    result.then(
      () => done('ok'),
      () => done('error'),
    );
  else done('ok');
  return result;
}
