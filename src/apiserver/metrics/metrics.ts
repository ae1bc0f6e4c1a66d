/**
 * The server's metrics, under the reference's names and labels, in a registry of its own: two servers in one process
 * share nothing. Those of requests are in `request-metrics.ts`.
 * @see {@link https://kubernetes.io/docs/reference/instrumentation/metrics/ | Kubernetes metrics reference}
 */
import { Gauge } from 'prom-client';
import { AuditMetrics } from '../audit/metrics.ts';
import { AuthenticationMetrics } from '../authn/metrics.ts';
import { AuthorizationMetrics } from '../authz/metrics.ts';
import type { AdmissionObserver } from '../../registry/admission.ts';
import { createAdmissionMetrics } from '../admission/metrics.ts';
import { createConditionMetrics } from '../admission/matching/metrics.ts';
import { createPodSecurityMetrics } from '../admission/pod-security/metrics.ts';
import type { ObservePodSecurity } from '../admission/pod-security/observations.ts';
import { createPolicyMetrics } from '../admission/policies/metrics.ts';
import type { ObservePolicy } from '../admission/policies/observations.ts';
import { createWebhookMetrics } from '../admission/webhooks/metrics.ts';
import type { ObserveWebhook } from '../admission/webhooks/observations.ts';
import type { ObserveDial } from '../egress/dialers.ts';
import { createEgressMetrics } from '../egress/metrics.ts';
import type { CustomObserver } from '../../api/apiextensions/custom-observer.ts';
import type { ObserveIssued } from '../../registry/certificates/certificate-signing-requests/hooks.ts';
import type { ObserveComparison } from '../../registry/generic/resource-store.ts';
import { createCustomMetrics } from './custom-metrics.ts';
import { createComparisonMetrics, createIssuedMetrics } from './write-metrics.ts';
import { allMetrics, MetricRegistry, type MetricSettings } from '../../server/metrics/metric-registry.ts';
import { collectNodeMetrics } from '../../server/metrics/node-metrics.ts';
import { type CounterSeries, SeriesCounter } from '../../server/metrics/series-counter.ts';
import { SeriesHistogram } from '../../server/metrics/series-histogram.ts';
import type { Evicted } from '../../server/report-evictions.ts';
import { type CallObserver } from '../../client/call-observer.ts';
import { createRestClientMetrics } from '../../server/metrics/rest-client-metrics.ts';

const eventBuckets = [1024, 2048, 4096, 8192, 16_384, 32_768, 65_536, 131_072];

export class Metrics {
  readonly registry: MetricRegistry;
  readonly #handshakeErrors: CounterSeries;
  readonly #aggregations: CounterSeries;
  readonly #evictions: Readonly<Record<Evicted, CounterSeries>>;
  readonly #watchEvents: SeriesCounter;
  readonly #watchEventSizes: SeriesHistogram;
  readonly objects: Gauge;
  readonly storageSize: Gauge;
  readonly #deprecated: Gauge;
  readonly admission: AdmissionObserver;
  readonly admissionWebhooks: ObserveWebhook;
  readonly admissionPolicies: ObservePolicy;
  readonly podSecurity: ObservePodSecurity;
  readonly customObjects: CustomObserver;
  readonly certificateIssued: ObserveIssued;
  readonly timesCompared: ObserveComparison;
  /** Of connections through tunnels. */
  readonly dials: ObserveDial;
  readonly authentication: AuthenticationMetrics;
  readonly authorization: AuthorizationMetrics;
  readonly audit: AuditMetrics;
  /** Calls that this server makes itself. */
  readonly calls: CallObserver;

  constructor(options: {
    readonly settings?: MetricSettings;
    readonly serverId: string;
  }) {
    const registry = (this.registry = new MetricRegistry(options.settings ?? allMetrics));
    const registers = [registry];
    this.#handshakeErrors = new SeriesCounter({
      name: 'apiserver_tls_handshake_errors_total',
      help: 'Connections that failed in their TLS handshake.',
      registry,
    }).series({});
    this.#aggregations = new SeriesCounter({
      name: 'aggregator_discovery_aggregation_count_total',
      help: 'Documents of aggregated discovery that were made.',
      registry,
    }).series({});
    const evictions = new SeriesCounter({
      name: 'orch_transport_evictions_total',
      help:
        'Answers that were broken off, and connections closed for their heads, to keep the memory of all clients ' +
        'within its limits.',
      registry,
    });
    this.#evictions = { answer: evictions.series({ kind: 'answer' }), head: evictions.series({ kind: 'head' }) };
    this.#watchEvents = new SeriesCounter({
      name: 'apiserver_watch_events_total',
      help: 'Events sent to watches.',
      registry,
    });
    this.#watchEventSizes = new SeriesHistogram({
      name: 'apiserver_watch_events_sizes',
      help: 'Bytes of events sent to watches.',
      buckets: eventBuckets,
      registry,
    });
    this.objects = new Gauge({
      name: 'apiserver_storage_objects',
      help: 'Stored objects at the last count, by resource.',
      labelNames: ['resource'],
      registers,
    });
    this.storageSize = new Gauge({
      name: 'apiserver_storage_size_bytes',
      help: 'Size of the store on disk, in bytes.',
      labelNames: ['storage_cluster_id'],
      registers,
    });
    this.#deprecated = new Gauge({
      name: 'apiserver_requested_deprecated_apis',
      help: 'Deprecated APIs that were asked for.',
      labelNames: ['group', 'version', 'resource', 'subresource', 'removed_release'],
      registers,
    });
    this.admission = createAdmissionMetrics(this.registry);
    const conditions = createConditionMetrics(this.registry);
    this.admissionWebhooks = createWebhookMetrics(this.registry, conditions);
    this.admissionPolicies = createPolicyMetrics(this.registry, conditions);
    this.podSecurity = createPodSecurityMetrics(this.registry);
    this.customObjects = createCustomMetrics(this.registry);
    this.certificateIssued = createIssuedMetrics(this.registry);
    this.timesCompared = createComparisonMetrics(this.registry);
    this.dials = createEgressMetrics(this.registry);
    this.authentication = new AuthenticationMetrics(this.registry, options.serverId);
    this.authorization = new AuthorizationMetrics(this.registry, options.serverId);
    this.audit = new AuditMetrics(this.registry);
    this.calls = createRestClientMetrics(this.registry);
    collectNodeMetrics(this.registry);
  }

  /** An API that is going away was asked for. */
  deprecatedUse(
    { group, version, name }: { readonly group: string; readonly version: string; readonly name: string },
    subresource: string,
    removedRelease: string,
  ): void {
    this.#deprecated.set({ group, version, resource: name, subresource, removed_release: removedRelease }, 1);
  }

  handshakeFailed(): void {
    this.#handshakeErrors.inc();
  }

  discoveryAggregated(): void {
    this.#aggregations.inc();
  }

  evicted(kind: Evicted): void {
    this.#evictions[kind].inc();
  }

  /** For one watch: told of the bytes of each event. */
  watchEvents(group: string, version: string, kind: string): (bytes: number) => void {
    const labels = { group, version, kind };
    const total = this.#watchEvents.series(labels);
    const sizes = this.#watchEventSizes.series(labels);
    return (bytes) => {
      total.inc();
      sizes.observe(bytes);
    };
  }
}
