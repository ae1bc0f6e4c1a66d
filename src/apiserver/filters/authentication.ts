import { unauthorized } from '../../machinery/status.ts';
import type { UserInfo } from '../../machinery/user.ts';
import type { ApiRequest, Filter } from '../request.ts';

/** One way to say who is calling. Undefined: the request does not use it. Throws when it is used wrongly. */
export interface Authenticator {
  readonly name: string;
  authenticate(request: ApiRequest): Promise<UserInfo | undefined> | UserInfo | undefined;
  /** Whose token this is, for authenticators of bearer tokens. Undefined or throwing: not one of its own. */
  authenticateToken?(token: string): Promise<UserInfo | undefined> | UserInfo | undefined;
}

export const allAuthenticated = 'system:authenticated';

/** The first authenticator that knows the caller decides; an error of one is remembered, and is final when nobody else knows. */
export function authenticate(authenticators: readonly Authenticator[]): Filter {
  return async (request, next) => {
    const user = await identify(request, authenticators);
    if (user === undefined) throw unauthorized();
    request.user = user;
    return next(request);
  };
}

async function identify(request: ApiRequest, authenticators: readonly Authenticator[]): Promise<UserInfo | undefined> {
  let failed = false;
  for (const authenticator of authenticators) {
    // A credential that is wrong must not become anonymous.
    if (failed && authenticator.name === 'anonymous') break;
    try {
      const pending = authenticator.authenticate(request);
      const user = pending instanceof Promise ? await pending : pending;
      if (user !== undefined) return user;
    } catch {
      failed = true;
    }
  }
  return undefined;
}
