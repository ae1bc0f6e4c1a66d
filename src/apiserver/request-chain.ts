/** What every request passes: the order of the filters is the list in `requestChain`. */
import { randomUUID } from 'node:crypto';
import { systemClock } from '../base/clock.ts';
import type { Logger } from '../base/logger.ts';
import { limitInFlight, type InFlightLimits } from './filters/in-flight-limit.ts';
import { queueFairly } from './filters/priority-and-fairness.ts';
import type { FlowControl } from './flow-control/flow-control.ts';
import type { Authorizer } from '../auth/authorization/authorizer.ts';
import { authorize } from './filters/authorization.ts';
import type { RequestAuthenticator } from '../auth/authentication/authenticator.ts';
import { authenticate } from './filters/authentication.ts';
import { type CorsOptions, cors } from './filters/cors.ts';
import { goAwayAtTimes } from './filters/goaway.ts';
import { checkWebSocketOrigin } from './filters/websocket-origin.ts';
import { impersonate } from './filters/impersonation.ts';
import { renderErrors } from './filters/error-rendering.ts';
import { limitTime } from './filters/request-timeout.ts';
import { responseHeaders } from './filters/response-headers.ts';
import { countRequests, followWatches, sendRetryAfter } from './filters/shutdown.ts';
import type { Lifecycle } from '../server/lifecycle.ts';
import type { ShutdownConfig } from './lifecycle/graceful-shutdown.ts';
import { canonicalPath, usesOrchNames } from './request/orch-names.ts';
import { parseQuery } from './request/query.ts';
import { parseRequestInfo } from './request/request-info.ts';
import type { ApiResponse, Caller, Exchange } from '../server/exchange.ts';
import { compose } from '../server/middleware.ts';
import { ApiRequest, type Filter, type Handler } from './request/request.ts';
import { traceRequests, traceVerbs } from './filters/tracing.ts';
import type { Tracer } from '../server/tracing/tracer.ts';
import type { AuditTrail } from './audit/trail.ts';
import type { RequestMetrics } from './metrics/request-metrics.ts';
import type { Metrics } from './metrics/metrics.ts';
import { awaitStorageVersions, type PendingStorageVersions } from './filters/storage-version-precondition.ts';
import { recordRefused, recordRequests } from './filters/audit.ts';
import { measure, timed } from './filters/metrics.ts';

export interface RequestChainOptions {
  readonly authenticator: RequestAuthenticator;
  readonly authorizer: Authorizer;
  /** Undefined: nothing is recorded. */
  readonly audit: AuditTrail | undefined;
  readonly requestTimeoutMs: number;
  readonly lifecycle: Lifecycle;
  readonly shutdown: ShutdownConfig;
  readonly inFlight: InFlightLimits;
  /** Undefined: only the limits above. */
  readonly flowControl: FlowControl | undefined;
  readonly cors: CorsOptions;
  readonly goAwayChance: number;
  readonly log: Logger;
  readonly metrics: Pick<Metrics, 'authentication' | 'authorization'>;
  readonly requestMetrics: RequestMetrics;
  /** Hands over what only another server of the cluster serves. Undefined: nothing. */
  readonly peerProxy: Filter | undefined;
  /** Hands over what another server answers. */
  readonly aggregationProxy: Filter;
  /** Which resources must not be written yet. Undefined: any may be. */
  readonly storageVersions: PendingStorageVersions | undefined;
  /** Resource requests, and everything else. */
  readonly resources: Handler;
  readonly nonResources: Handler;
  /** Undefined: nothing is traced. */
  readonly tracer: Tracer | undefined;
}

/** Every request, upgraded connections included, passes these in this order. */
export function requestChain(
  options: RequestChainOptions,
): (exchange: Exchange, caller?: Caller) => Promise<ApiResponse> {
  const { audit, lifecycle, shutdown, requestMetrics: metrics } = options;
  const { flowControl, requestTimeoutMs } = options;
  const sending = { clock: systemClock, requestTimeoutMs };
  const fairness =
    flowControl === undefined
      ? limitInFlight(options.inFlight, metrics, sending)
      : timed('priorityandfairness', queueFairly({ control: flowControl, ...sending }, metrics), metrics);
  const filters: readonly Filter[] = [
    ...(options.tracer === undefined ? [] : [traceRequests(options.tracer)]),
    // outside of all: nothing is done for what comes too late
    ...(shutdown.sendRetryAfter ? [sendRetryAfter(lifecycle)] : []),
    responseHeaders, // the headers every answer has; the client's spelling of names
    goAwayAtTimes(options.goAwayChance),
    cors(options.cors), // a preflight carries no credentials; refusals are told to the page too
    ...(shutdown.watchGraceMs > 0 ? [followWatches(lifecycle)] : []),
    countRequests(lifecycle), // what is in here the server answers before it ends
    measure(metrics), // counts also what the steps below refuse
    renderErrors(options.log, metrics), // from here on errors are Status objects
    // failed logins; outside of the filters below, to see their result
    ...(audit === undefined ? [] : [recordRefused(audit)]),
    limitTime(options.requestTimeoutMs, metrics), // before authentication: a slow webhook counts too
    timed('authentication', authenticate(options.authenticator, options.log, options.metrics.authentication), metrics),
    // after authentication: the policy matches users
    ...(audit === undefined ? [] : [timed('audit', recordRequests(audit), metrics)]),
    checkWebSocketOrigin(options.cors.allowedOrigins), // recorded, with the user of the browser
    timed('impersonation', impersonate(options.authorizer), metrics), // the user from here on
    fairness, // after authentication: it needs the user
    // before the body is read
    timed('authorization', authorize(options.authorizer, options.metrics.authorization), metrics),
    ...(options.peerProxy === undefined ? [] : [options.peerProxy]), // what another server of the cluster knows
    options.aggregationProxy, // from here on only what this server answers itself
    ...(options.storageVersions === undefined ? [] : [awaitStorageVersions(options.storageVersions)]),
  ];
  const resources = options.tracer === undefined ? options.resources : traceVerbs(options.resources);
  const endpoint: Handler = (request) =>
    request.info.isResourceRequest ? resources(request) : options.nonResources(request);
  const handle = compose(filters, endpoint);
  return (exchange, caller) => {
    const request = describe(exchange);
    request.caller = caller;
    return handle(request);
  };
}

/**
 * A client may name its request itself.
 *
 * @NOTE differs from upstream: the name goes into a header and into every event, so it has an end.
 */
const clientAuditId = /^[\x20-\x7e]{1,1024}$/;

/** The request description. A path that cannot be decoded is no path of ours. */
function describe(exchange: Exchange): ApiRequest {
  const { target } = exchange;
  const mark = target.indexOf('?');
  const rawPath = mark < 0 ? target : target.slice(0, mark);
  const decoded = rawPath.includes('%') ? decodePath(rawPath) : rawPath;
  const path = canonicalPath(decoded);
  const query = parseQuery(mark < 0 ? '' : target.slice(mark + 1));
  const sent = exchange.header('audit-id');
  const auditId = sent !== undefined && clientAuditId.test(sent) ? sent : randomUUID();
  const request = new ApiRequest(exchange, path, query, auditId, performance.now());
  request.orchNames = path !== decoded || usesOrchNames(exchange.header('accept') ?? '');
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
