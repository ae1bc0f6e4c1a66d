/**
 * In front of everything that an agent serves by TLS: who the caller is, and whether the caller may. Paths that the
 * agent has not are not there for any caller.
 */
import path from 'node:path';
import type { Identity, RequestAuthenticator } from '../../auth/authentication/authenticator.ts';
import type { AuthorizationDecision, Authorizer } from '../../auth/authorization/authorizer.ts';
import type { Logger } from '../../base/logger.ts';
import type { UserInfo } from '../../machinery/user.ts';
import { anonymousUser } from '../../auth/authentication/authenticator.ts';
import type { ApiResponse, Exchange } from '../../server/exchange.ts';
import { notFoundPage } from '../../server/not-found-page.ts';
import { attributesOf } from './attributes.ts';

export interface AgentGuards {
  readonly nodeName: string;
  readonly authenticator: RequestAuthenticator;
  readonly authorizer: Authorizer;
  /** Feature gate KubeletFineGrainedAuthz. */
  readonly isFine: boolean;
  /** Whether anything is served there. */
  readonly isKnown: (path: string) => boolean;
  readonly log: Logger;
}

type Handle = (exchange: Exchange) => Promise<ApiResponse>;

/** Never rejects unless the handler does. */
export function guardAgent(handle: Handle, guards: AgentGuards): Handle {
  return async (exchange) => {
    const asked = pathOf(exchange.target);
    if (asked === undefined) return leaving(exchange, text(400, 'Bad Request'));
    const clean = cleaned(asked);
    if (clean !== asked) return moved(clean, exchange.target);
    if (!guards.isKnown(asked)) return notFoundPage;
    const identity = await identify(exchange, asked, guards);
    if (identity === undefined) return leaving(exchange, text(401, 'Unauthorized'));
    const refused = await refusal(exchange.method, asked, identity.user, guards);
    const answer = refused ?? (await handle(exchange));
    // A client that is not known gets no connection on which it could open any number of streams (CVE-2023-44487).
    return identity.user.name === anonymousUser ? leaving(exchange, answer) : answer;
  };
}

async function identify(
  exchange: Exchange,
  asked: string,
  { authenticator, log }: AgentGuards,
): Promise<Identity | undefined> {
  try {
    return await authenticator.authenticate({
      path: asked,
      exchange,
      header: (name) => exchange.header(name),
      warn: () => undefined,
    });
  } catch (error) {
    log.debug({ reason: (error as Error).message, from: exchange.remoteAddress }, 'a request was not authenticated');
    return undefined;
  }
}

async function refusal(
  method: string,
  asked: string,
  user: UserInfo,
  { authorizer, nodeName, isFine, log }: AgentGuards,
): Promise<ApiResponse | undefined> {
  const { verb, subresources } = attributesOf(method, asked, isFine);
  for (const subresource of subresources) {
    const attributes = { ...ofNode, user, verb, subresource, name: nodeName, path: asked };
    const { decision, error } = await judge(authorizer, attributes);
    if (decision === 'allow') return undefined;
    if (error === undefined) continue;
    log.error({ err: error, user: user.name, path: asked }, 'a request could not be authorized');
    const about = `user=${user.name}, verb=${verb}, resource=nodes, subresource=${subresource}`;
    return text(500, `Authorization error (${about})`);
  }
  const about = `user=${user.name}, verb=${verb}, resource=nodes, subresource(s)=[${subresources.join(' ')}]`;
  return text(403, `Forbidden (${about})\n`);
}

/** What an authorizer throws allows nothing. */
async function judge(
  authorizer: Authorizer,
  attributes: Parameters<Authorizer['authorize']>[0],
): Promise<AuthorizationDecision> {
  try {
    return await authorizer.authorize(attributes);
  } catch (error) {
    return { decision: 'noOpinion', reason: '', error: error instanceof Error ? error.message : String(error) };
  }
}

const ofNode = { isResourceRequest: true, group: '', version: 'v1', namespace: '', resource: 'nodes' };

function pathOf(target: string): string | undefined {
  if (!target.startsWith('/')) return undefined;
  try {
    return decodeURIComponent(target.split('?', 1)[0]!);
  } catch {
    return undefined;
  }
}

/** Without `.`, `..` and empty segments: routes below may read these in another way. */
const cleaned = (asked: string): string => path.posix.normalize(asked);

function moved(clean: string, target: string): ApiResponse {
  const query = target.includes('?') ? target.slice(target.indexOf('?')) : '';
  const location = encodeURI(clean) + query;
  const body = `<a href="${location.replace(/&/g, '&amp;').replace(/"/g, '&#34;')}">Moved Permanently</a>.\n\n`;
  return { status: 301, headers: { 'content-type': 'text/html; charset=utf-8', location }, body };
}

export const text = (status: number, body: string): ApiResponse => ({
  status,
  headers: { 'content-type': 'text/plain; charset=utf-8', 'x-content-type-options': 'nosniff' },
  body,
});

const leaving = ({ httpVersion }: Exchange, answer: ApiResponse): ApiResponse =>
  httpVersion === '2.0' ? { ...answer, headers: { ...answer.headers, connection: 'close' } } : answer;
