/** What answers requests that are about no resource: health, version, metrics, discovery, OpenAPI, OpenID. */
import type { HealthChecks } from '../../server/health.ts';
import type { ServingPort } from '../../server/serving-port.ts';
import { discoveryHandlers } from '../authn/service-accounts/discovery.ts';
import type { DebugPages } from '../nonresource/routes.ts';
import { createNonResource } from '../nonresource/nonresource.ts';
import { openApiHandlers } from '../nonresource/openapi.ts';
import type { Handler } from '../request/request.ts';
import type { Endpoints } from './endpoints.ts';
import type { FairQueuing } from '../flow-control/flow-control.ts';
import type { Extensions } from './extensions.ts';
import type { SharedDependencies } from './shared-dependencies.ts';
import type { Security } from './security.ts';

/** What has pages about itself. */
interface ShownParts {
  readonly debug: DebugPages;
  readonly fairQueuing: FairQueuing | undefined;
}

export function createNonResources(
  { config, metrics }: SharedDependencies,
  security: Security,
  { apis }: Endpoints,
  { aggregation }: Extensions,
  health: HealthChecks,
  servingPort: ServingPort,
  { debug, fairQueuing }: ShownParts,
): Handler {
  const serverAddress = (): string => `${config.serving.externalHostname}:${servingPort.port}`;
  return createNonResource({
    served: apis,
    version: config.version,
    log: config.log,
    health,
    serverAddress,
    registry: metrics.registry,
    aggregated: () => metrics.discoveryAggregated(),
    debug,
    flowControl: fairQueuing?.control,
    documents: new Map<string, Handler>([
      ...openApiHandlers(config.version, () => apis.ownGroupVersions, aggregation.openApi),
      ...issuerDiscovery(config.authentication, security, serverAddress),
    ]),
  });
}

function issuerDiscovery(
  { serviceAccounts }: SharedDependencies['config']['authentication'],
  { accountKeys }: Security,
  serverAddress: () => string,
): ReadonlyMap<string, Handler> {
  if (serviceAccounts === undefined || accountKeys === undefined) return new Map();
  const {
    issuers: [issuer = ''],
    jwksUri,
  } = serviceAccounts;
  return discoveryHandlers({ issuer, jwksUri, keys: accountKeys.keys, serverAddress });
}
