/**
 * The API server: assembles stores, filters and endpoints, and owns what it opened. The order of the filters is the
 * list in `requestChain`.
 */
import { randomUUID } from 'node:crypto';
import type { Logger } from '../base/logger.ts';
import { chain } from './chain.ts';
import { limitInFlight, type InFlightLimits } from './filters/in-flight.ts';
import { authenticate, type Authenticator } from './filters/authentication.ts';
import { authorize, type Authorizer } from './filters/authorization.ts';
import { renderErrors } from './filters/panic.ts';
import { limitTime } from './filters/timeout.ts';
import { answerInKind } from './filters/headers.ts';
import { canonicalPath } from './names.ts';
import { parseRequestInfo } from './request-info.ts';
import { ApiRequest, type ApiResponse, type Exchange, type Filter, type Handler } from './request.ts';
import type { Metrics } from './metrics.ts';
import { measure } from './filters/metrics.ts';

export interface RequestChainOptions {
  readonly authenticators: readonly Authenticator[];
  readonly authorizer: Authorizer;
  readonly requestTimeoutMs: number;
  readonly inFlight: InFlightLimits;
  readonly log: Logger;
  readonly metrics: Metrics;
  /** Resource requests, and everything else. */
  readonly resources: Handler;
  readonly nonResources: Handler;
}

/** Every request, upgraded connections included, passes these in this order. */
export function requestChain(options: RequestChainOptions): (exchange: Exchange) => Promise<ApiResponse> {
  const filters: readonly Filter[] = [
    answerInKind,                                   // the headers every answer has; the client's spelling of names
    measure(options.metrics),                       // counts also what the steps below refuse
    renderErrors(options.log),                      // from here on errors are Status objects
    limitTime(options.requestTimeoutMs),            // before authentication: a slow webhook counts too
    authenticate(options.authenticators),
    limitInFlight(options.inFlight, options.metrics), // after authentication: it needs to know who is asking
    authorize(options.authorizer),                  // before the body is read
  ];
  const endpoint: Handler = (request) => (request.info.isResourceRequest ? options.resources(request) : options.nonResources(request));
  const handle = chain(filters, endpoint);
  return (exchange) => handle(describe(exchange));
}

/** The request description. A path that cannot be decoded is no path of ours. */
function describe(exchange: Exchange): ApiRequest {
  const { target } = exchange;
  const mark = target.indexOf('?');
  const rawPath = mark < 0 ? target : target.slice(0, mark);
  const path = canonicalPath(rawPath.includes('%') ? decodePath(rawPath) : rawPath);
  const query = new URLSearchParams(mark < 0 ? '' : target.slice(mark + 1));
  const sent = exchange.header('audit-id');
  const auditId = sent !== undefined && /^[\x21-\x7e]{1,64}$/.test(sent) ? sent : randomUUID();
  const request = new ApiRequest(exchange, path, query, auditId, performance.now());
  request.orchNames = path !== rawPath || (exchange.header('accept') ?? '').includes('orch');
  request.info = parseRequestInfo(exchange.method, path, query);
  return request;
}

function decodePath(raw: string): string {
  try {
    return decodeURIComponent(raw);
  } catch {
    return raw;
  }
}

