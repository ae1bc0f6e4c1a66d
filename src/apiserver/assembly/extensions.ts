/** What extends the API: custom resources, and group versions that other servers answer. */
import { type Aggregation, setUpAggregation } from '../aggregation/setup.ts';
import { createConversionMetrics } from '../metrics/conversion-metrics.ts';
import { type CustomResourceParts, setUpCustomResources } from '../custom-resources/setup.ts';
import type { Endpoints } from './endpoints.ts';
import { forwardingOf } from './forwarding.ts';
import type { SharedDependencies } from './shared-dependencies.ts';
import type { Loopback } from './loopback.ts';
import type { Resources } from './resources.ts';
import type { ResourceStorage } from './storage.ts';

export interface Extensions {
  readonly aggregation: Aggregation;
  readonly customResources: CustomResourceParts;
}

/** They begin to work, and end, as post-start hooks. */
export function createExtensions(
  { config, metrics, groupVersions }: SharedDependencies,
  { objects, resolve, webhooks, writer }: Loopback,
  { open }: ResourceStorage,
  { registry, admission }: Resources,
  { apis, serve, requestMetrics }: Endpoints,
): Extensions {
  const { log } = config;
  const aggregation = setUpAggregation({
    config: config.aggregation,
    forwarding: forwardingOf(config),
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
    log,
  });
  const customResources = setUpCustomResources({
    registry,
    apis,
    admission,
    writer,
    serve,
    log,
    storePrefix: config.storage.prefix,
    apiServerCount: config.services.apiServerCount,
    openStorage: open,
    webhooks,
    observeConversions: createConversionMetrics(metrics.registry),
  });
  return { aggregation, customResources };
}
