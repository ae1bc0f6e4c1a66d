/**
 * Several authenticators as one: the first success wins, and what the others found wrong is kept for when there is
 * none.
 */
import type { RequestFacts } from '../request-facts.ts';
import {
  type Identity,
  type MaybePromise,
  type RequestAuthenticator,
  type TokenAuthenticator,
  withAuthenticatedGroup,
} from './authenticator.ts';

/** No authenticator accepted the credential; the message joins their errors. */
export class AuthenticationError extends Error {
  override readonly name = 'AuthenticationError';
  readonly messages: readonly string[];

  constructor(messages: readonly string[]) {
    const distinct = [...new Set(messages)];
    super(distinct.length === 1 ? distinct[0]! : `[${distinct.join(', ')}]`);
    this.messages = distinct;
  }
}

type Attempt = () => MaybePromise<Identity | undefined>;

/**
 * Undefined when none of them is used. Throws {@link AuthenticationError} when none succeeds and one found something
 * wrong.
 */
function firstSuccess(
  attempts: readonly Attempt[],
  from = 0,
  problems: string[] = [],
): MaybePromise<Identity | undefined> {
  for (let at = from; at < attempts.length; at++) {
    try {
      const pending = attempts[at]!();
      // An await costs every request a microtask: only requests that need it pay.
      if (pending instanceof Promise) return goOn(pending, attempts, at + 1, problems);
      if (pending !== undefined) return pending;
    } catch (error) {
      problems.push(...messagesOf(error));
    }
  }
  if (problems.length > 0) throw new AuthenticationError(problems);
  return undefined;
}

async function goOn(
  pending: Promise<Identity | undefined>,
  attempts: readonly Attempt[],
  next: number,
  problems: string[],
): Promise<Identity | undefined> {
  try {
    const identity = await pending;
    if (identity !== undefined) return identity;
  } catch (error) {
    problems.push(...messagesOf(error));
  }
  return firstSuccess(attempts, next, problems);
}

const messagesOf = (error: unknown): readonly string[] =>
  error instanceof AuthenticationError ? error.messages : [error instanceof Error ? error.message : String(error)];

export function unionOfTokens(authenticators: readonly TokenAuthenticator[]): TokenAuthenticator {
  return {
    name: 'tokens',
    authenticateToken: (token, audiences) =>
      firstSuccess(authenticators.map((authenticator) => () => authenticator.authenticateToken(token, audiences))),
  };
}

/**
 * @param last asked only when no other authenticator failed: an invalid credential must not become anonymous
 */
export function unionOfRequests(
  authenticators: readonly RequestAuthenticator[],
  last: RequestAuthenticator | undefined,
): RequestAuthenticator {
  const finish = (request: RequestFacts, identity: Identity | undefined): MaybePromise<Identity | undefined> =>
    identity === undefined ? last?.authenticate(request) : withAuthenticatedGroup(identity);
  return {
    name: 'all',
    authenticate(request) {
      const found = firstSuccess(authenticators.map((authenticator) => () => authenticator.authenticate(request)));
      return found instanceof Promise ? found.then((identity) => finish(request, identity)) : finish(request, found);
    },
  };
}
