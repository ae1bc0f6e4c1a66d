import type { ApiResponse, Caller, Exchange } from '../../server/exchange.ts';
import type { Tracer } from '../../server/tracing/tracer.ts';
import type { AuditTrail } from '../audit/trail.ts';
import { createRouter } from '../endpoints/router.ts';
import { requestChain } from '../request-chain.ts';
import type { Handler } from '../request/request.ts';
import type { Endpoints } from './endpoints.ts';
import type { FairQueuing } from '../flow-control/flow-control.ts';
import type { Extensions } from './extensions.ts';
import type { SharedDependencies } from './shared-dependencies.ts';
import type { Security } from './security.ts';

export type RequestHandler = (exchange: Exchange, caller?: Caller) => Promise<ApiResponse>;

/** Steps of the chain that need not be there. */
interface OptionalSteps {
  readonly tracer: Tracer | undefined;
  readonly fairQueuing: FairQueuing | undefined;
}

/** What every request passes, however it came. */
export function createRequestHandler(
  { config, metrics, lifecycle }: SharedDependencies,
  audit: AuditTrail | undefined,
  { authentication, authorization }: Security,
  { context, apis, requestMetrics }: Endpoints,
  { aggregation, peers }: Extensions,
  nonResources: Handler,
  { tracer, fairQueuing }: OptionalSteps,
): RequestHandler {
  const { serving, inFlight, log } = config;
  return requestChain({
    authenticator: authentication.requests,
    authorizer: authorization.authorizer,
    audit,
    requestTimeoutMs: serving.requestTimeoutMs,
    lifecycle,
    shutdown: serving.shutdown,
    cors: serving.cors,
    goAwayChance: serving.goAwayChance,
    inFlight,
    flowControl: fairQueuing?.control,
    log,
    metrics,
    requestMetrics,
    peerProxy: peers.filter,
    aggregationProxy: aggregation.aggregationProxy,
    storageVersions: peers.barrier,
    resources: createRouter(context, apis),
    nonResources,
    tracer,
  });
}
