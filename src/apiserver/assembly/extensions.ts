/** What extends the API: custom resources, group versions that other servers answer, and what peers serve. */
import type { CleanupStack } from '../../base/cleanup-stack.ts';
import type { ServingPort } from '../../server/serving-port.ts';
import type { ForwardingOptions } from '../aggregation/forwarded-headers.ts';
import { type Aggregation, setUpAggregation } from '../aggregation/setup.ts';
import { createConversionMetrics } from '../metrics/conversion-metrics.ts';
import { type CustomResourceParts, setUpCustomResources } from '../custom-resources/setup.ts';
import type { Endpoints } from './endpoints.ts';
import { forwardingOf } from './forwarding.ts';
import { createPeers, type Peers } from './peers.ts';
import type { SharedDependencies } from './shared-dependencies.ts';
import type { Loopback } from './loopback.ts';
import type { Resources } from './resources.ts';
import type { ResourceStorage } from './storage.ts';

export interface Extensions {
  readonly aggregation: Aggregation;
  readonly customResources: CustomResourceParts;
  readonly peers: Peers;
}

/** They begin to work, and end, as post-start hooks. */
export function createExtensions(
  dependencies: SharedDependencies,
  loopback: Loopback,
  { open }: ResourceStorage,
  resources: Resources,
  endpoints: Endpoints,
  serving: ServingPort,
  cleanup: CleanupStack,
): Extensions {
  const { config, metrics } = dependencies;
  const { webhooks, writer } = loopback;
  const { registry, admission } = resources;
  const { apis, serve } = endpoints;
  const forwarding = forwardingOf(config);
  const aggregation = createAggregation(dependencies, loopback, resources, endpoints, forwarding);
  const customResources = setUpCustomResources({
    registry,
    apis,
    admission,
    writer,
    serve,
    log: config.log,
    storePrefix: config.storage.prefix,
    apiServerCount: config.services.apiServerCount,
    openStorage: open,
    webhooks,
    enabled: dependencies.featureEnabled,
    observeConversions: createConversionMetrics(metrics.registry),
    observer: metrics.customObjects,
    timesCompared: metrics.timesCompared,
  });
  const peers = createPeers(dependencies, resources, endpoints, { forwarding, serving }, cleanup);
  return { aggregation, customResources, peers };
}

const createAggregation = (
  { config, metrics, groupVersions }: SharedDependencies,
  { objects, resolve, writer }: Loopback,
  { registry }: Resources,
  { apis, requestMetrics }: Endpoints,
  forwarding: ForwardingOptions,
): Aggregation =>
  setUpAggregation({
    config: config.aggregation,
    forwarding,
    requestTimeoutMs: config.serving.requestTimeoutMs,
    registry,
    objects,
    resolve,
    apis,
    writer,
    groupVersions,
    metricRegistry: metrics.registry,
    metrics: requestMetrics,
    dial: config.egress?.dialers.cluster,
    log: config.log,
  });
