/** Puts together what group versions of other servers need of this one. */
import type { GroupVersionInfo } from '../../api/resources.ts';
import { type Clock, sleep, systemClock } from '../../base/clock.ts';
import type { Dialer } from '../../base/dialer.ts';
import { Latch } from '../../base/latch.ts';
import type { Logger } from '../../base/logger.ts';
import type { RegistryCatalog } from '../../registry/catalog.ts';
import type { MetricRegistry } from '../../server/metrics/metric-registry.ts';
import type { RequestMetrics } from '../metrics/request-metrics.ts';
import type { CachedObjects } from '../loopback/cached-objects.ts';
import type { LoopbackClient } from '../loopback/loopback-client.ts';
import type { RemoteOpenApi } from '../nonresource/openapi.ts';
import { onEveryChange } from '../../reconcile/handlers.ts';
import type { Informer } from '../../reconcile/informer.ts';
import { createStoreInformer } from '../../registry/store-source.ts';
import type { StoredObject } from '../../storage/objects.ts';
import type { Filter } from '../request/request.ts';
import type { ServedApis } from '../served-apis.ts';
import { createWorkQueueMetrics } from '../../server/metrics/work-queue-metrics.ts';
import { isPair } from '../../base/key-pair.ts';
import { ApiServices, apiServicesResource } from './api-services.ts';
import { Availability } from './availability.ts';
import { createAvailabilityMetrics } from './availability-metrics.ts';
import { Backends, type ClientPair } from './backends.ts';
import { RemoteDocuments } from './remote-documents.ts';
import { createFetch } from './fetch.ts';
import type { ForwardingOptions } from './forwarded-headers.ts';
import { createProxy, aggregationProxy } from './proxy.ts';
import { CustomRegistrations, registerBuiltIn } from './auto-registration.ts';
import type { ServiceResolver } from '../webhooks/service-resolver.ts';

export interface AggregationConfig {
  /** `--proxy-client-cert-file`, `--proxy-client-key-file`: how this server proves itself to others. */
  readonly client: ClientPair | undefined;
  /** `--enable-aggregator-routing`: services are reached at their endpoints, those of webhooks too. */
  readonly toEndpoints: boolean;
  /** `--aggregator-reject-forwarding-redirect` */
  readonly rejectRedirects: boolean;
}

export interface AggregationSetup {
  readonly config: AggregationConfig;
  readonly forwarding: ForwardingOptions;
  readonly requestTimeoutMs: number;
  readonly registry: Pick<RegistryCatalog, 'storeOf'>;
  readonly objects: CachedObjects;
  readonly resolve: ServiceResolver;
  readonly apis: ServedApis;
  readonly writer: LoopbackClient;
  /** Built-in, for whose APIServices the start sees. */
  readonly groupVersions: readonly GroupVersionInfo[];
  readonly metricRegistry: MetricRegistry;
  readonly metrics: Pick<RequestMetrics, 'terminated' | 'aborted'>;
  readonly log: Logger;
  /** The way to services of the cluster, where it is not straight. */
  readonly dial?: Dialer | undefined;
  readonly clock?: Clock;
}

export interface Aggregation {
  /** The last step of the chain. */
  readonly aggregationProxy: Filter;
  readonly openApi: RemoteOpenApi;
  start(): void;
  /** Resolves when the APIServices of the start are known. */
  known(): Promise<void>;
  /**
   * Makes the APIServices of what is served here, and keeps those of custom resources. Resolves when the first round is
   * done, or the signal aborts.
   */
  register(signal: AbortSignal): Promise<void>;
  /** Resolves when `register` has done its first round. */
  readonly registered: Promise<void>;
  /** Ends all watches and background requests; requests of clients go on. */
  stop(): Promise<void>;
  /** Ends connections, with what is under way on them. */
  close(): void;
}

const retryMs = 1000;

export function setUpAggregation(setup: AggregationSetup): Aggregation {
  const stop = new AbortController();
  const {
    config,
    forwarding,
    registry,
    objects,
    resolve,
    apis,
    groupVersions,
    metricRegistry,
    metrics,
    log,
    clock = systemClock,
  } = setup;
  const writer = setup.writer.until(stop.signal);
  const services = new ApiServices(registry.storeOf(apiServicesResource.group, apiServicesResource.resource), log);
  const backends = new Backends(config.client, isPair, setup.dial);
  const queueOf = createWorkQueueMetrics(metricRegistry);
  const availability = new Availability({
    services,
    writer,
    objects,
    resolve,
    backends,
    observer: createAvailabilityMetrics(metricRegistry),
    queue: queueOf('AvailableConditionController'),
    log,
  });
  const documents = new RemoteDocuments({
    services,
    apis,
    fetch: createFetch({ backends, resolve }),
    queue: queueOf('DiscoveryController'),
    log,
  });
  const registrations = new CustomRegistrations({ writer, services, apis, queue: queueOf('autoregister'), log });
  const proxy = createProxy({
    backends,
    resolve,
    forwarding,
    rejectRedirects: config.rejectRedirects,
    requestTimeoutMs: setup.requestTimeoutMs,
    onRefusal: (request, code) => metrics.terminated(request, code, 'aggregator'),
    onAbort: (request) => metrics.aborted(request),
    log,
  });
  const backing = watchBackends(setup, services, availability);
  services.onChange(() => backends.keepOnly(services.remotes));
  apis.waitFor(() => services.known());

  const registered = new Latch();
  return {
    aggregationProxy: aggregationProxy(services, apis, proxy),
    openApi: {
      parts: () => documents.parts(),
      paths: () => documents.openApiPaths(),
      answer: (request, key) => proxy(request, services.remote(key.slice('apis/'.length))!),
    },
    start: () => services.start(),
    known: () => services.known(),
    async register(signal) {
      if (!writer.isServed(apiServicesResource)) return registered.open();
      while (!signal.aborted && !registered.isOpen) {
        try {
          await registerBuiltIn(writer, groupVersions);
          await registrations.start();
          registered.open();
        } catch (error) {
          if (signal.aborted) return;
          log.warn(
            { err: error },
            'the APIServices of this server could not be brought up to date and are tried again',
          );
          await sleep(clock, retryMs, signal);
        }
      }
    },
    registered: registered.wait(),
    async stop() {
      stop.abort();
      await Promise.all([availability.stop(), documents.stop(), registrations.stop(), backing.stop(), services.stop()]);
    },
    close: () => backends.close(),
  };
}

/** Few clusters have an API that is not local: the informers of services and endpoints begin once there is one. */
function watchBackends(
  { registry, log }: AggregationSetup,
  services: ApiServices,
  availability: Availability,
): { stop(): Promise<void> } {
  const informers: Informer<StoredObject>[] = [];
  services.onChange(() => {
    if (!services.hasRemotes || informers.length > 0) return;
    for (const resource of ['services', 'endpoints']) {
      const store = registry.storeOf('', resource);
      if (store === undefined) continue;
      const informer = createStoreInformer({ store, freshness: 'any', log });
      informer.addHandler(
        onEveryChange((before, after) =>
          availability.recheck((after ?? before)!.attributes.namespace, (after ?? before)!.attributes.name),
        ),
      );
      informers.push(informer);
      informer.start();
    }
  });
  return { stop: async () => void (await Promise.all(informers.map((informer) => informer.stop()))) };
}
