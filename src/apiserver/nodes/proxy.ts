/**
 * The subresource `proxy` of pods, services and nodes: the request goes on as it is but for the credentials of the
 * caller, and the answer comes back as it is but for URLs, which lead through this server again.
 */
import path from 'node:path';
import type { PodProxyOptions } from '../../api/gen/types/core-v1.ts';
import { serviceUnavailable } from '../../machinery/status.ts';
import { copyStream } from '../../server/copy-stream.ts';
import type { ApiResponse, Exchange, HeaderMap } from '../../server/exchange.ts';
import type { BackendRequest, BackendResponse } from '../aggregation/backend-session.ts';
import { answerHeaders, type ForwardingOptions } from '../aggregation/forwarded-headers.ts';
import { escapedPath } from '../request/escaped-path.ts';
import { subresourcePath } from '../request/subresource-path.ts';
import type { ConnectHandler } from '../served/served-resource.ts';
import { authorityOf } from '../webhooks/service-resolver.ts';
import { NodeConnectionError } from './connection-errors.ts';
import type { NodeTransport, Target } from './node-transport.ts';
import { type ProxiedPlace, proxiedUrl } from './proxied-urls.ts';
import type { FindTarget } from './proxy-targets.ts';
import { dialFailed } from './stream-errors.ts';
import { upgradedAnswer } from './relay-upgraded.ts';
import { hostOf, relayedHeaders, wishFor } from './relayed-headers.ts';
import { rewrittenBody } from './rewrite-body.ts';
import type { Throttling } from './throttle.ts';

export interface ProxyOptions {
  readonly transport: Pick<NodeTransport, 'send' | 'upgrade'>;
  readonly forwarding: ForwardingOptions;
  /** Of connections that have changed their protocol. */
  readonly throttling: Throttling;
}

export function createProxy(
  findTarget: FindTarget,
  { transport, forwarding, throttling }: ProxyOptions,
): ConnectHandler {
  return async (served, request, options) => {
    const target = await findTarget(served, request);
    const { exchange, info, method, path: wholePath, signal } = request;
    const [prefix] = subresourcePath(info, wholePath);
    const location = cleanPath((options as PodProxyOptions).path ?? '', wholePath.endsWith('/'));
    const isUpgrade = exchange.canChangeProtocol === true && exchange.upgrade !== undefined;
    // Relative links of a page would lead elsewhere without the last slash.
    if (location === '' && !isUpgrade && (method === 'GET' || method === 'HEAD'))
      return { status: 301, headers: { location: `${escapedPath(wholePath)}/${queryOf(exchange)}` } };
    const requestHost = hostOf(exchange);
    const headers = relayedHeaders(exchange, forwarding);
    const call: BackendRequest = {
      method,
      target: `${escapedPath(location === '' ? '/' : location)}${queryOf(exchange)}`,
      headers,
      body: undefined,
      signal,
    };
    if (isUpgrade) return upgrade({ transport, throttling }, target, call, exchange);
    headers.set('x-forwarded-uri', [escapedPath(`${prefix}${location}`)]);
    const place = { prefix, authority: authorityOf(target.address), requestHost };
    try {
      return proxied(await transport.send(target, { ...call, body: exchange.bodyStream() }), place);
    } catch (error) {
      if (!(error instanceof NodeConnectionError)) throw error;
      throw serviceUnavailable(`error trying to reach service: ${error.message}`);
    }
  };
}

async function upgrade(
  { transport, throttling }: Pick<ProxyOptions, 'transport' | 'throttling'>,
  target: Target,
  call: BackendRequest,
  exchange: Exchange,
): Promise<ApiResponse> {
  const headers = new Map([...call.headers, ...wishFor(exchange.headerValues('upgrade'))]);
  const answer = await transport.upgrade(target, { ...call, headers }).catch(dialFailed);
  return upgradedAnswer(answer, throttling);
}

/** Without `.` and `..`: what was authorized is below the proxy, and so is what is asked for. */
function cleanPath(text: string, endsWithSlash: boolean): string {
  if (text === '') return endsWithSlash ? '/' : '';
  const clean = path.posix.normalize(`/${text}`);
  return endsWithSlash && !clean.endsWith('/') ? `${clean}/` : clean;
}

/**
 * As it was sent, with its question mark.
 *
 * @NOTE differs from upstream, which drops it where the connection changes its protocol.
 */
function queryOf({ target }: Exchange): string {
  const mark = target.indexOf('?');
  return mark < 0 ? '' : target.slice(mark);
}

function proxied(answer: BackendResponse, place: ProxiedPlace): ApiResponse {
  const { 'content-length': length, ...headers } = answerHeaders(answer.headers);
  const replace = (url: string): string => proxiedUrl(url, place);
  const location = answer.headers.get('location')?.[0] ?? '';
  if (location !== '') headers['location'] = replace(location);
  const isPage = location === '' && mediaTypeOf(answer) === 'text/html';
  const encoding = answer.headers.get('content-encoding')?.[0] ?? '';
  const rewritten = isPage ? rewrittenBody(answer.body, encoding, replace) : undefined;
  const kept: HeaderMap =
    rewritten === undefined && length !== undefined ? { ...headers, 'content-length': length } : headers;
  const body = rewritten ?? answer.body;
  return {
    status: answer.status,
    headers: kept,
    stream: (sink) =>
      copyStream(body, sink, () => {
        body.destroy();
        answer.body.destroy();
      }),
  };
}

const mediaTypeOf = ({ headers }: BackendResponse): string =>
  (headers.get('content-type')?.[0] ?? '').split(';', 1)[0]!.trim();
