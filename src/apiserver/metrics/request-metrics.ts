/**
 * Metrics of requests, by what their paths name. They are made when the served APIs are known: a name that is not
 * served is counted under one name.
 */
import { BoundedCache } from '../../base/bounded-cache.ts';
import type { MetricRegistry } from '../../server/metrics/metric-registry.ts';
import type { ApiResponse } from '../../server/exchange.ts';
import type { ApiRequest } from '../request/request.ts';
import { dryRunLabel } from '../endpoints/write-parameters.ts';
import type { RequestInfo } from '../request/request-info.ts';
import type { ServedApis } from '../served-apis.ts';
import { type CounterSeries, SeriesCounter } from '../../server/metrics/series-counter.ts';
import { type GaugeSeries, SeriesGauge } from '../../server/metrics/series-gauge.ts';
import { type HistogramSeries, SeriesHistogram } from '../../server/metrics/series-histogram.ts';
import { type Labels, showValues } from '../../server/metrics/series.ts';
import { qualified } from '../../machinery/status.ts';
import { firstSegment, isRead, keyOf, scopeLabel, verbLabel } from './request-labels.ts';

const durationBuckets = [
  0.005, 0.025, 0.05, 0.1, 0.2, 0.4, 0.6, 0.8, 1, 1.25, 1.5, 2, 3, 4, 5, 6, 8, 10, 15, 20, 30, 45, 60,
];
const sliBuckets = durationBuckets.filter((seconds) => seconds >= 0.05);
/** Of a step of the chain: most take no time that one could name. */
const filterBuckets = [0.0001, 0.0003, 0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1, 5, 10, 15, 30];
const sizeBuckets = [1000, 10_000, 100_000, 1e6, 1e7, 1e8, 1e9];
const bodyBuckets = Array.from({ length: 31 }, (_, i) => 50_000 + i * 100_000);
const watchListBuckets = [0.05, 0.1, 0.2, 0.4, 0.6, 0.8, 1, 2, 4, 6, 8, 10, 15, 20, 30, 45, 60];
/** What `fieldValidation` may say; all else is shown under one name. */
const fieldValidations: ReadonlySet<string> = new Set(['', 'Ignore', 'Strict', 'Warn']);
const validatedVerbs: ReadonlySet<string> = new Set(['create', 'patch', 'update']);
type RequestKind = 'readOnly' | 'mutating';
type RequestLabel = 'verb' | 'group' | 'version' | 'resource' | 'subresource' | 'scope' | 'component' | 'dry_run';

/**
 * Series that are found without looking at labels. Paths come from requests, and what is not there is shown under one
 * name.
 */
const keptSeries = { maxBytes: 4 * 1024 * 1024, maxKeyLength: 1024, bytesOf: () => 100 };

interface RequestSeries {
  readonly total: CounterSeries;
  readonly duration: HistogramSeries;
  /** No webhook takes part in the response yet: the same time, in other buckets. */
  readonly sli: HistogramSeries;
  readonly slo: HistogramSeries | undefined;
  /** There once the length of an answer was known. */
  size: HistogramSeries | undefined;
}

/**
 * Names in labels come from requests: what is not there is counted under one name, or callers could make series without
 * end.
 */
const unknown = 'other';

/** The reference sees no code of a connection that it hands over, and counts it so. */
const switchingProtocols = 101;
const noCode = 0;

export class RequestMetrics {
  readonly #total: SeriesCounter;
  readonly #duration: SeriesHistogram;
  readonly #size: SeriesHistogram;
  readonly #sli: SeriesHistogram;
  readonly #slo: SeriesHistogram | undefined;
  readonly #filterDurations: SeriesHistogram;
  readonly #bodySizes: SeriesHistogram;
  readonly #fieldValidation: SeriesHistogram;
  /** By the parameter of the request. */
  readonly #validated = new Map<string, HistogramSeries>();
  /** By verb and resource. */
  readonly #bodies = new BoundedCache<HistogramSeries>(keptSeries);
  readonly #terminations: SeriesCounter;
  readonly #aborts: SeriesCounter;
  readonly #postTimeouts: SeriesCounter;
  readonly #longRunning: SeriesGauge;
  readonly #open = new BoundedCache<GaugeSeries>(keptSeries);
  readonly #watchLists: SeriesHistogram;
  readonly #running = new Map<RequestKind, number>();
  readonly #waiting = new Map<RequestKind, number>();
  /** Labels are worked out once per kind of request. */
  readonly #series = new BoundedCache<RequestSeries>(keptSeries);
  readonly #served: Pick<ServedApis, 'knows'>;

  constructor(registry: MetricRegistry, served: Pick<ServedApis, 'knows'>) {
    this.#served = served;
    this.#total = new SeriesCounter({
      name: 'apiserver_request_total',
      help: 'Requests by verb, resource and answer code.',
      registry,
    });
    this.#duration = new SeriesHistogram({
      name: 'apiserver_request_duration_seconds',
      help: 'Time from a request to its answer, in seconds.',
      buckets: durationBuckets,
      registry,
    });
    this.#size = new SeriesHistogram({
      name: 'apiserver_response_sizes',
      help: 'Bytes of answers.',
      buckets: sizeBuckets,
      registry,
    });
    this.#sli = new SeriesHistogram({
      name: 'apiserver_request_sli_duration_seconds',
      help: 'Time from a request to its answer without what others took of it, in seconds.',
      buckets: sliBuckets,
      registry,
    });
    const slo = 'apiserver_request_slo_duration_seconds';
    const hidden = new SeriesHistogram({
      name: slo,
      help: 'The same as apiserver_request_sli_duration_seconds.',
      buckets: sliBuckets,
      registry,
    });
    this.#slo = registry.shows(slo) ? hidden : undefined;
    this.#filterDurations = new SeriesHistogram({
      name: 'apiserver_request_filter_duration_seconds',
      help: 'Time that a filter took before it passed a request on, in seconds.',
      buckets: filterBuckets,
      registry,
    });
    this.#bodySizes = new SeriesHistogram({
      name: 'apiserver_request_body_size_bytes',
      help: 'Bytes of the bodies of writes, by verb and resource.',
      buckets: bodyBuckets,
      registry,
    });
    this.#fieldValidation = new SeriesHistogram({
      name: 'field_validation_request_duration_seconds',
      help: 'Time from a write to its answer, in seconds, by how it wants unknown fields to be judged.',
      buckets: sliBuckets,
      registry,
    });
    this.#terminations = new SeriesCounter({
      name: 'apiserver_request_terminations_total',
      help: 'Requests that the server gave up to protect itself.',
      registry,
    });
    this.#aborts = new SeriesCounter({
      name: 'apiserver_request_aborts_total',
      help: 'Answers that the server broke off.',
      registry,
    });
    this.#postTimeouts = new SeriesCounter({
      name: 'apiserver_request_post_timeout_total',
      help: 'What became of requests after they had been answered with a timeout.',
      registry,
    });
    this.#longRunning = new SeriesGauge({
      name: 'apiserver_longrunning_requests',
      help: 'Watches and other long-running requests that are open.',
      registry,
    });
    this.#watchLists = new SeriesHistogram({
      name: 'apiserver_watch_list_duration_seconds',
      help: 'Time from a watch that begins with a list until the list is sent, in seconds.',
      buckets: watchListBuckets,
      registry,
    });
    const current = (name: string, help: string, counts: ReadonlyMap<RequestKind, number>): void =>
      showValues({ name, help, type: 'gauge', registry }, () =>
        [...counts].map(([kind, value]) => ({ labels: { request_kind: kind }, value })),
      );
    current('apiserver_current_inflight_requests', 'Requests in work, by kind.', this.#running);
    current('apiserver_current_inqueue_requests', 'Requests that wait for seats, by kind.', this.#waiting);
  }

  inFlight(kind: RequestKind, count: number): void {
    this.#running.set(kind, count);
  }

  inQueue(kind: RequestKind, count: number): void {
    this.#waiting.set(kind, count);
  }

  /** A watch that begins with a list has sent the list. */
  watchListed(request: ApiRequest): void {
    const { group, version, resource, scope } = this.#labelsOf(request);
    const seconds = (performance.now() - request.receivedAt) / 1000;
    this.#watchLists.series({ group, version, resource, scope }).observe(seconds);
  }

  /** Counts an answered request. @param bytes undefined where the length is not known */
  observe(request: ApiRequest, response: ApiResponse, seconds: number, bytes: number | undefined): void {
    const series = this.#seriesOf(request, response.status === switchingProtocols ? noCode : response.status);
    series.total.inc();
    series.duration.observe(seconds);
    series.sli.observe(seconds);
    series.slo?.observe(seconds);
    if (validatedVerbs.has(request.info.verb)) this.#validatedSeries(request).observe(seconds);
    if (bytes !== undefined && isRead(request)) (series.size ??= this.#sizesOf(request)).observe(bytes);
  }

  /** The body of a write to a resource that is served was read. */
  bodyRead({ info: { group, resource, verb } }: ApiRequest, bytes: number): void {
    const key = `${verb} ${group}/${resource}`;
    let series = this.#bodies.get(key);
    if (series === undefined) {
      series = this.#bodySizes.series({ resource: qualified({ group, resource }), verb });
      this.#bodies.set(key, series);
    }
    series.observe(bytes);
  }

  #validatedSeries({ query }: ApiRequest): HistogramSeries {
    const asked = query.get('fieldValidation') ?? '';
    const shown = fieldValidations.has(asked) ? asked : 'invalid';
    let series = this.#validated.get(shown);
    if (series === undefined)
      this.#validated.set(shown, (series = this.#fieldValidation.series({ field_validation: shown })));
    return series;
  }

  /** For one filter: told of the seconds until it passes a request on. */
  filterDuration(filter: string): HistogramSeries {
    return this.#filterDurations.series({ filter });
  }

  /** A long-running request begins. @returns what to call when it ends */
  longRunning(request: ApiRequest): () => void {
    const key = keyOf(request);
    let series = this.#open.get(key);
    if (series === undefined) {
      series = this.#longRunning.series(this.#plainLabelsOf(request));
      this.#open.set(key, series);
    }
    series.add(1);
    return () => series.add(-1);
  }

  /**
   * A request was refused or given up so that the server can go on: 429, 500, 504; or could not be passed on: 500, 503.
   */
  terminated(request: ApiRequest, code: number, component: 'apiserver' | 'aggregator' = 'apiserver'): void {
    this.#terminations.series({ ...this.#plainLabelsOf(request), component, code: String(code) }).inc();
  }

  /** An answer that had begun cannot be brought to its end. */
  aborted(request: ApiRequest): void {
    const { component: _, ...labels } = this.#plainLabelsOf(request);
    this.#aborts.series(labels).inc();
  }

  /** A request that had been answered with a timeout came to its end, or did not in five minutes. */
  endedAfterTimeout(status: 'ok' | 'panic' | 'pending'): void {
    this.#postTimeouts.series({ source: 'timeout-handler', status }).inc();
  }

  #seriesOf(request: ApiRequest, code: number): RequestSeries {
    const key = `${code} ${keyOf(request)}`;
    const known = this.#series.get(key);
    if (known !== undefined) return known;
    const labels = this.#labelsOf(request);
    const plain = this.#plainLabelsOf(request);
    const series = {
      total: this.#total.series({ ...labels, code: String(code) }),
      duration: this.#duration.series(labels),
      sli: this.#sli.series(plain),
      slo: this.#slo?.series(plain),
      size: undefined,
    };
    this.#series.set(key, series);
    return series;
  }

  #sizesOf(request: ApiRequest): HistogramSeries {
    return this.#size.series(this.#plainLabelsOf(request));
  }

  #plainLabelsOf(request: ApiRequest): Labels {
    const { dry_run: _, ...labels } = this.#labelsOf(request);
    return labels;
  }

  #labelsOf(request: ApiRequest): Record<RequestLabel, string> {
    const { info, query } = request;
    return {
      verb: verbLabel(request),
      dry_run: dryRunLabel(query),
      ...this.#namesOf(info),
      scope: scopeLabel(info),
      component: 'apiserver',
    };
  }

  #namesOf(info: RequestInfo): Record<'group' | 'version' | 'resource' | 'subresource', string> {
    const { group, version, resource, subresource } = info;
    if (!info.isResourceRequest) return { group, version, resource, subresource: firstSegment(info.path) };
    const known = this.#served.knows(group === '' ? version : `${group}/${version}`, resource, subresource);
    return {
      group: known === 'nothing' ? unknown : group,
      version: known === 'nothing' ? unknown : version,
      resource: known === 'resource' || known === 'subresource' ? resource : unknown,
      subresource: known === 'subresource' ? subresource : unknown,
    };
  }
}
