import type { Logger } from '../../base/logger.ts';
import { unauthorized } from '../../machinery/status.ts';
import {
  anonymousUser,
  type Identity,
  type RequestAuthenticator,
  withAuthenticatedGroup,
} from '../../auth/authentication/authenticator.ts';
import type { Caller } from '../../server/exchange.ts';
import type { AuthenticationMetrics, AuthenticationResult } from '../authn/metrics.ts';
import type { ApiRequest, Filter } from '../request/request.ts';

const noAnnotations: Readonly<Record<string, string>> = {};

/**
 * Authenticates the request. The reason of a failure is for the log: the client learns only that its credential is
 * invalid.
 */
export function authenticate(
  authenticator: RequestAuthenticator,
  log: Pick<Logger, 'debug'>,
  metrics: Pick<AuthenticationMetrics, 'authenticated'>,
): Filter {
  return async (request, next) => {
    const identity = await identify(authenticator, request, log, metrics);
    if (identity === undefined) {
      request.closes = true;
      throw unauthorized();
    }
    // An unauthenticated client gets no connection on which it could open any number of streams (CVE-2023-44487).
    if (identity.user.name === anonymousUser) request.closes = true;
    request.user = identity.user;
    if (identity.warning !== undefined) request.warn(identity.warning);
    for (const [key, value] of Object.entries(identity.annotations ?? noAnnotations)) request.annotate(key, value);
    return next();
  };
}

/** A sender that the program around knows is as good as one with a credential. */
const given = ({ user }: Caller): Identity | undefined =>
  user === undefined ? undefined : withAuthenticatedGroup({ user });

async function identify(
  authenticator: RequestAuthenticator,
  request: ApiRequest,
  log: Pick<Logger, 'debug'>,
  metrics: Pick<AuthenticationMetrics, 'authenticated'>,
): Promise<Identity | undefined> {
  const begun = performance.now();
  const tell = (result: AuthenticationResult, user?: string): void =>
    metrics.authenticated(result, user, (performance.now() - begun) / 1000);
  try {
    const pending = request.caller === undefined ? authenticator.authenticate(request) : given(request.caller);
    const identity = pending instanceof Promise ? await pending : pending;
    tell(identity === undefined ? 'failure' : 'success', identity?.user.name);
    return identity;
  } catch (error) {
    tell('error');
    log.debug(
      {
        reason: error instanceof Error ? error.message : String(error),
        auditId: request.auditId,
        from: request.exchange.remoteAddress,
      },
      'a request was not authenticated',
    );
    return undefined;
  }
}
