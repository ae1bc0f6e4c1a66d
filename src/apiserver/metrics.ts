/**
 * The server's metrics, under the reference's names and labels, in a registry of its own: two servers in one process
 * share nothing.
 * @see {@link https://kubernetes.io/docs/reference/instrumentation/metrics/ | Kubernetes metrics reference}
 */
import { Gauge, Registry, collectDefaultMetrics } from 'prom-client';
import { AuditMetrics } from './audit/metrics.ts';
import { AuthorizationMetrics } from './authz/metrics.ts';
import type { AdmissionObserver } from '../registry/admission.ts';
import { createAdmissionMetrics } from './admission-metrics.ts';
import type { ApiRequest, ApiResponse } from './request.ts';
import { type CounterSeries, SeriesCounter } from './series-counter.ts';
import { type HistogramSeries, SeriesHistogram } from './series-histogram.ts';

const durationBuckets = [0.005, 0.025, 0.05, 0.1, 0.2, 0.4, 0.6, 0.8, 1, 1.25, 1.5, 2, 3, 4, 5, 6, 8, 10, 15, 20, 30, 45, 60];
const sizeBuckets = [1000, 10_000, 100_000, 1e6, 1e7, 1e8, 1e9];
const plainLabels = ['verb', 'group', 'version', 'resource', 'subresource', 'scope', 'component'] as const;

interface RequestSeries {
  readonly total: CounterSeries;
  readonly duration: HistogramSeries;
  /** There once the length of an answer was known. */
  size: HistogramSeries | undefined;
}

/** Names in labels come from requests: what no resource of ours answers to is counted under one name, or callers could make series without end. */
const unknown = 'other';

/** The reference sees no code of a connection that it hands over, and counts it so. */
const switchingProtocols = 101;
const noCode = 0;

export class Metrics {
  readonly registry = new Registry();
  readonly #total: SeriesCounter;
  readonly #duration: SeriesHistogram;
  readonly #size: SeriesHistogram;
  readonly #longRunning: Gauge;
  readonly #inFlight: Gauge;
  readonly #running = new Map<'readOnly' | 'mutating', number>();
  /** Labels are worked out once per kind of request. */
  readonly #series = new Map<string, RequestSeries>();
  readonly #isServed: (apiVersion: string, resource: string) => boolean;
  readonly objects: Gauge;
  readonly storageSize: Gauge;
  readonly #deprecated: Gauge;
  readonly admission: AdmissionObserver;
  readonly authorization: AuthorizationMetrics;
  readonly audit: AuditMetrics;

  constructor(options: { readonly isServed: (apiVersion: string, resource: string) => boolean; readonly serverId: string }) {
    const { registry } = this;
    const registers = [registry];
    this.#isServed = options.isServed;
    this.#total = new SeriesCounter({ name: 'apiserver_request_total', help: 'Requests by verb, resource and answer code.', registry });
    this.#duration = new SeriesHistogram({ name: 'apiserver_request_duration_seconds', help: 'Time from a request to its answer, in seconds.', buckets: durationBuckets, registry });
    this.#size = new SeriesHistogram({ name: 'apiserver_response_sizes', help: 'Bytes of answers.', buckets: sizeBuckets, registry });
    this.#longRunning = new Gauge({ name: 'apiserver_longrunning_requests', help: 'Watches and other long-running requests that are open.', labelNames: plainLabels, registers });
    this.#inFlight = new Gauge({ name: 'apiserver_current_inflight_requests', help: 'Requests in work, by kind.', labelNames: ['request_kind'], registers, collect: () => this.#showInFlight() });
    this.objects = new Gauge({ name: 'apiserver_storage_objects', help: 'Stored objects at the last count, by resource.', labelNames: ['resource'], registers });
    this.storageSize = new Gauge({ name: 'apiserver_storage_size_bytes', help: 'Size of the store on disk, in bytes.', labelNames: ['storage_cluster_id'], registers });
    this.#deprecated = new Gauge({ name: 'apiserver_requested_deprecated_apis', help: 'Deprecated APIs that were asked for.', labelNames: ['group', 'version', 'resource', 'subresource', 'removed_release'], registers });
    this.admission = createAdmissionMetrics(this.registry);
    this.authorization = new AuthorizationMetrics(this.registry, options.serverId);
    this.audit = new AuditMetrics(this.registry);
    collectDefaultMetrics({ register: this.registry });
  }

  /** An API that is going away was asked for. */
  deprecatedUse({ group, version, name }: { readonly group: string; readonly version: string; readonly name: string }, subresource: string, removedRelease: string): void {
    this.#deprecated.set({ group, version, resource: name, subresource, removed_release: removedRelease }, 1);
  }

  inFlight(kind: 'readOnly' | 'mutating', count: number): void {
    this.#running.set(kind, count);
  }

  #showInFlight(): void {
    for (const [kind, count] of this.#running) this.#inFlight.set({ request_kind: kind }, count);
  }

  /** Counts an answered request. @param bytes undefined where the length is not known */
  observe(request: ApiRequest, response: ApiResponse, seconds: number, bytes: number | undefined): void {
    const series = this.#seriesOf(request, response.status === switchingProtocols ? noCode : response.status);
    series.total.inc();
    series.duration.observe(seconds);
    if (bytes !== undefined) (series.size ??= this.#sizesOf(request)).observe(bytes);
  }

  /** Call with 1 when a long-running request begins and -1 when it ends. */
  longRunning(request: ApiRequest, change: 1 | -1): void {
    const { dry_run: _, ...labels } = this.#labelsOf(request);
    this.#longRunning.inc(labels, change);
  }

  #seriesOf(request: ApiRequest, code: number): RequestSeries {
    const { info } = request;
    const key = `${code} ${info.verb} ${info.group}/${info.version}/${info.resource}/${info.subresource} ${info.namespace === '' ? '' : 'n'}${info.name === '' ? '' : 'o'} ${request.query.has('dryRun') ? 'd' : ''}`;
    const known = this.#series.get(key);
    if (known !== undefined) return known;
    const labels = this.#labelsOf(request);
    const series = { total: this.#total.series({ ...labels, code: String(code) }), duration: this.#duration.series(labels), size: undefined };
    if (this.#series.size < 10_000) this.#series.set(key, series);
    return series;
  }

  #sizesOf(request: ApiRequest): HistogramSeries {
    const { dry_run: _, ...labels } = this.#labelsOf(request);
    return this.#size.series(labels);
  }

  #labelsOf({ info, query }: ApiRequest): Record<(typeof plainLabels)[number] | 'dry_run', string> {
    const served = !info.isResourceRequest || this.#isServed(info.group === '' ? info.version : `${info.group}/${info.version}`, info.resource);
    const scope = !info.isResourceRequest ? '' : info.name !== '' ? 'resource' : info.namespace !== '' ? 'namespace' : 'cluster';
    return {
      verb: verbLabel(info.verb), dry_run: query.has('dryRun') ? 'All' : '',
      group: served ? info.group : unknown, version: served ? info.version : unknown, resource: served ? info.resource : unknown,
      subresource: served ? (info.isResourceRequest ? info.subresource : firstSegment(info.path)) : unknown, scope, component: 'apiserver',
    };
  }
}

const knownVerbs = new Set(['get', 'list', 'watch', 'create', 'update', 'patch', 'delete', 'deletecollection', 'post', 'put', 'head', 'options', 'connect']);

const verbLabel = (verb: string): string => (knownVerbs.has(verb) ? verb.toUpperCase() : 'other');

const knownPaths = new Set(['api', 'apis', 'healthz', 'livez', 'readyz', 'version', 'openapi', 'metrics']);

/** Non-resource requests are told apart by where they go, so far as that is a place of ours. */
function firstSegment(path: string): string {
  const first = path.split('/', 2)[1] ?? '';
  return knownPaths.has(first) ? `/${first}` : '';
}
