/**
 * Authentication and authorization in front of what a daemon serves of itself. All that it has are paths: the verb of a
 * request is its method in lower case.
 */
import { anonymousUser, type Identity, type RequestAuthenticator } from '../auth/authentication/authenticator.ts';
import type { AuthorizationAttributes, AuthorizationDecision, Authorizer } from '../auth/authorization/authorizer.ts';
import { forbiddenRequest } from '../auth/authorization/forbidden.ts';
import type { RequestFacts } from '../auth/request-facts.ts';
import { badRequest, internalError, type StatusError, unauthorized } from '../machinery/status.ts';
import type { ApiResponse, Exchange } from './exchange.ts';

export interface Guards {
  readonly authenticator: RequestAuthenticator;
  readonly authorizer: Authorizer;
  readonly log: GuardLog;
}

export interface GuardLog {
  debug(details: object, message: string): void;
  error(details: object, message: string): void;
}

type Handle = (exchange: Exchange) => Promise<ApiResponse>;

/** Answers 401, 403, or what the handler answers. */
export function guardedHandler(handle: Handle, { authenticator, authorizer, log }: Guards): Handle {
  return async (exchange) => {
    const path = pathOf(exchange.target);
    if (path === undefined) return statusAnswer(badRequest('the target of the request is no path'));
    const identity = await identify(authenticator, exchange, path, log);
    if (identity === undefined) return leaving(exchange, statusAnswer(unauthorized()));
    const { user } = identity;
    const attributes = { ...noResource, user, verb: exchange.method.toLowerCase(), path };
    const { decision, reason, error } = await judge(authorizer, attributes);
    const answer =
      decision === 'allow'
        ? await handle(exchange)
        : statusAnswer(
            error === undefined ? forbiddenRequest(attributes, reason) : refusedByError(error, log, attributes.path),
          );
    // A client that is not known gets no connection on which it could open any number of streams (CVE-2023-44487).
    return user.name === anonymousUser ? leaving(exchange, answer) : answer;
  };
}

/** What an authorizer throws allows nothing. The listener's handler must not reject. */
async function judge(authorizer: Authorizer, attributes: AuthorizationAttributes): Promise<AuthorizationDecision> {
  try {
    return await authorizer.authorize(attributes);
  } catch (error) {
    return { decision: 'noOpinion', reason: '', error: error instanceof Error ? error.message : String(error) };
  }
}

const noResource = {
  isResourceRequest: false,
  group: '',
  version: '',
  namespace: '',
  resource: '',
  subresource: '',
  name: '',
};

/** As upstream: whether it may be asked for could not be found out. */
function refusedByError(error: string, log: GuardLog, path: string): StatusError {
  log.error({ err: error, path }, 'a request could not be authorized');
  return internalError('the request could not be authorized');
}

/** Without the query, decoded. Undefined for what is no path: routes might read it in another way. */
function pathOf(target: string): string | undefined {
  if (!target.startsWith('/')) return undefined;
  try {
    return decodeURIComponent(target.split('?', 1)[0]!);
  } catch {
    return undefined;
  }
}

async function identify(
  authenticator: RequestAuthenticator,
  exchange: Exchange,
  path: string,
  log: GuardLog,
): Promise<Identity | undefined> {
  const facts: RequestFacts = {
    path,
    exchange,
    header: (name) => exchange.header(name),
    warn: () => undefined,
  };
  try {
    return await authenticator.authenticate(facts);
  } catch (error) {
    log.debug(
      { reason: error instanceof Error ? error.message : String(error), from: exchange.remoteAddress },
      'a request was not authenticated',
    );
    return undefined;
  }
}

const statusAnswer = (error: StatusError): ApiResponse => ({
  status: error.code,
  headers: { 'content-type': 'application/json', 'x-content-type-options': 'nosniff' },
  body: `${JSON.stringify(error.toStatus())}\n`,
});

const leaving = ({ httpVersion }: Exchange, answer: ApiResponse): ApiResponse =>
  httpVersion === '2.0' ? { ...answer, headers: { ...answer.headers, connection: 'close' } } : answer;
