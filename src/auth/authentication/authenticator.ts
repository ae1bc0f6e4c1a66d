/** The interface of authenticators. A leaf: filters, endpoints and the authenticators import it. */
import type { UserInfo } from '../../machinery/user.ts';
import type { RequestFacts } from '../request-facts.ts';

export type MaybePromise<T> = Promise<T> | T;

/** What a credential proves. */
export interface Identity {
  readonly user: UserInfo;
  /** Which of the audiences asked for the credential is for; absent where none are asked for. */
  readonly audiences?: readonly string[];
  /** When the credential ends, milliseconds since 1970. It is not remembered beyond. */
  readonly expiresAt?: number;
  /** For the audit log. */
  readonly annotations?: Readonly<Record<string, string>>;
  /** Told to the caller. */
  readonly warning?: string;
}

/** One kind of credential. Undefined: the request has none of it. Throws when the credential is invalid. */
export interface RequestAuthenticator {
  readonly name: string;
  authenticate(request: RequestFacts): MaybePromise<Identity | undefined>;
}

/**
 * Knows the owners of one kind of bearer tokens. Undefined: not one of its kind. Throws when it is of its kind and not
 * good.
 */
export interface TokenAuthenticator {
  readonly name: string;
  /**
   * @param audiences for one of which the token must be; none where audiences do not matter
   * @param connection that the token came on: what is worked out about the token may be kept with it
   */
  authenticateToken(
    token: string,
    audiences: readonly string[],
    connection?: object,
  ): MaybePromise<Identity | undefined>;
}

export const groups = { authenticated: 'system:authenticated', unauthenticated: 'system:unauthenticated' } as const;
export const anonymousUser = 'system:anonymous';

/** The same object for the same user: what is made of a user later can be kept with it. */
const grouped = new WeakMap<UserInfo, UserInfo>();

/** Every authenticated user is in group system:authenticated too. */
export function withAuthenticatedGroup(identity: Identity): Identity {
  const { user } = identity;
  if (
    user.name === anonymousUser ||
    user.groups.includes(groups.authenticated) ||
    user.groups.includes(groups.unauthenticated)
  )
    return identity;
  let member = grouped.get(user);
  if (member === undefined) grouped.set(user, (member = { ...user, groups: [...user.groups, groups.authenticated] }));
  return { ...identity, user: member };
}

/** The members of `left` that are in `right`, in the order of `left`. */
export const intersect = (left: readonly string[], right: readonly string[]): string[] =>
  left.filter((item) => right.includes(item));
