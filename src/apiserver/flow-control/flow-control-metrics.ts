/** Metrics of priority and fairness. */
import type { MetricRegistry } from '../../server/metrics/metric-registry.ts';
import { type Labels, type MetricValue, showValues } from '../../server/metrics/series.ts';
import { SeriesCounter } from '../../server/metrics/series-counter.ts';
import { SeriesGauge } from '../../server/metrics/series-gauge.ts';
import { type HistogramSeries, SeriesHistogram } from '../../server/metrics/series-histogram.ts';
import { SeriesTimingHistogram, type TimingRatio } from '../../server/metrics/series-timing-histogram.ts';
import type { FlowObserver } from './fair-queue.ts';
import { levelGauges, startBounds } from './level-gauges.ts';
import type { LevelRatios } from './level-usage.ts';
import type { PriorityLevel } from './priority-level.ts';

/** What is counted of the requests of one flow schema in its level. */
export interface FlowSeries extends FlowObserver {
  estimated(seats: number): void;
  refused(reason: string): void;
  waited(seconds: number, isExecuted: boolean): void;
  executed(seconds: number, type: 'regular' | 'watch'): void;
  /** @param watches of what a request is to change */
  watched(watches: number): void;
}

export type RequestKind = 'readOnly' | 'mutating';
export type RequestPhase = 'waiting' | 'executing';

const seconds = [0, 0.005, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 15, 30];
const prefix = 'apiserver_flowcontrol_';

export class FlowControlMetrics {
  readonly #registry: MetricRegistry;
  readonly #gauges: Record<'executingRequests' | 'executingSeats' | 'queuedRequests' | 'queuedSeats', SeriesGauge>;
  readonly #counters: Record<'dispatched' | 'rejected' | 'notAccommodated', SeriesCounter>;
  readonly #histograms: Record<'waited' | 'executed' | 'queueLength' | 'seats' | 'watches', SeriesHistogram>;
  readonly #timing: Record<'demand' | 'requests' | 'seats', SeriesTimingHistogram>;
  /** Only where deprecated metrics are shown. */
  readonly #concurrency: SeriesGauge | undefined;
  readonly #now: () => number;
  /** How many requests wait and run, of all levels. */
  readonly current: Readonly<Record<RequestKind, Readonly<Record<RequestPhase, TimingRatio>>>>;
  readonly #series = new Map<string, FlowSeries>();
  fairFraction = 0;

  /** @param now milliseconds of the clock of the levels */
  constructor(registry: MetricRegistry, now: () => number) {
    this.#registry = registry;
    this.#now = now;
    const gauge = (name: string, help: string): SeriesGauge =>
      new SeriesGauge({ name: `${prefix}${name}`, help, registry });
    const counter = (name: string, help: string): SeriesCounter =>
      new SeriesCounter({ name: `${prefix}${name}`, help, registry });
    const histogram = (name: string, help: string, buckets: readonly number[]): SeriesHistogram =>
      new SeriesHistogram({ name: `${prefix}${name}`, help, buckets, registry });
    this.#gauges = {
      executingRequests: gauge('current_executing_requests', 'Requests that run, watches only until they have begun.'),
      executingSeats: gauge('current_executing_seats', 'Seats that requests use.'),
      queuedRequests: gauge('current_inqueue_requests', 'Requests that wait for seats.'),
      queuedSeats: gauge('current_inqueue_seats', 'Seats that requests wait for.'),
    };
    this.#concurrency = registry.shows(`${prefix}request_concurrency_in_use`)
      ? gauge('request_concurrency_in_use', 'Seats that requests use.')
      : undefined;
    this.#counters = {
      dispatched: counter('dispatched_requests_total', 'Requests that were let run.'),
      rejected: counter('rejected_requests_total', 'Requests that were refused, by reason.'),
      notAccommodated: counter(
        'request_dispatch_no_accommodation_total',
        'How often the next request needed more seats than were free.',
      ),
    };
    this.#histograms = {
      waited: histogram('request_wait_duration_seconds', 'Time that requests waited for seats, in seconds.', seconds),
      executed: histogram('request_execution_seconds', 'Time that requests ran, in seconds.', seconds),
      queueLength: histogram(
        'request_queue_length_after_enqueue',
        'Length of the queue that a request entered, with it.',
        [0, 10, 25, 50, 100, 250, 500, 1000],
      ),
      seats: histogram('work_estimated_seats', 'Seats that requests are estimated to need.', [1, 2, 4, 10]),
      watches: histogram(
        'watch_count_samples',
        'Watches of what a request changes, for each write.',
        [0, 1, 10, 100, 1000, 10_000],
      ),
    };
    const timing = (name: string, help: string, buckets: readonly number[]): SeriesTimingHistogram =>
      new SeriesTimingHistogram({ name: `${prefix}${name}`, help, buckets, registry, now });
    this.#timing = {
      demand: timing(
        'demand_seats',
        'Seats that a level could use, as a part of its nominal seats, at the end of each nanosecond.',
        [0.2, 0.4, 0.6, 0.8, 1, 1.2, 1.4, 1.7, 2, 2.8, 4, 6],
      ),
      requests: timing(
        'priority_level_request_utilization',
        'Requests of a level that wait, of those that may, or run, by its seats, at the end of each nanosecond.',
        [0, 0.001, 0.003, 0.01, 0.03, 0.1, 0.25, 0.5, 0.75, 1],
      ),
      seats: timing(
        'priority_level_seat_utilization',
        'Part of the seats of a level that is in use, at the end of each nanosecond.',
        [0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99, 1],
      ),
    };
    const current = timing(
      'read_vs_write_current_requests',
      'Requests that wait or run, by the seats of the server, at the end of each nanosecond.',
      [0, 0.001, 0.01, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99, 1],
    );
    const phases = (kind: RequestKind): Record<RequestPhase, TimingRatio> => ({
      waiting: current.ratio({ phase: 'waiting', request_kind: kind }),
      executing: current.ratio({ phase: 'executing', request_kind: kind }),
    });
    this.current = { readOnly: phases('readOnly'), mutating: phases('mutating') };
    // Virtual time is a number that has no end: it is never set back.
    counter('epoch_advance_total', 'How often the virtual time of a level was set back.');
  }

  /** Shows the state of levels whenever it is asked for. */
  show(levels: () => readonly PriorityLevel[]): void {
    for (const [name, { help, of }] of Object.entries(levelGauges)) {
      showValues({ name: `${prefix}${name}`, help, type: 'gauge', registry: this.#registry }, () =>
        levels().map((level): MetricValue => ({ labels: { priority_level: level.name }, value: of(level) })),
      );
    }
    for (const [name, { help, of }] of Object.entries(startBounds)) {
      showValues({ name: `${prefix}${name}`, help, type: 'gauge', registry: this.#registry }, () =>
        levels().flatMap((level): MetricValue[] =>
          Object.entries(of(level)).map(([bound, value]) => ({
            labels: { bound, priority_level: level.name },
            value: value / 1000,
          })),
        ),
      );
    }
    showValues(
      {
        name: `${prefix}seat_fair_frac`,
        help: 'Part of its target that each level gets that is at none of its bounds.',
        type: 'gauge',
        registry: this.#registry,
      },
      () => [{ labels: {}, value: this.fairFraction }],
    );
  }

  /** @param seats of all levels together */
  setLimit(seats: number): void {
    for (const phases of Object.values(this.current))
      for (const ratio of Object.values(phases)) ratio.setDenominator(seats, this.#now());
  }

  ratiosOf(level: string): LevelRatios {
    const labels = { priority_level: level };
    const { demand, requests, seats } = this.#timing;
    return {
      demand: demand.ratio(labels),
      waiting: requests.ratio({ phase: 'waiting', ...labels }),
      executing: requests.ratio({ phase: 'executing', ...labels }),
      seats: seats.ratio({ phase: 'executing', ...labels }),
    };
  }

  seriesOf(flowSchema: string, level: string): FlowSeries {
    const key = `${level}\0${flowSchema}`;
    let series = this.#series.get(key);
    if (series === undefined) this.#series.set(key, (series = this.#make(flowSchema, level)));
    return series;
  }

  /** A level is gone. Its counters stay, as counters do. */
  forget(level: string): void {
    for (const key of this.#series.keys()) if (key.startsWith(`${level}\0`)) this.#series.delete(key);
  }

  #make(flowSchema: string, level: string): FlowSeries {
    const labels = { flow_schema: flowSchema, priority_level: level };
    const [gauges, counters, histograms] = [this.#gauges, this.#counters, this.#histograms];
    const executingRequests = gauges.executingRequests.series(labels);
    const executingSeats = gauges.executingSeats.series(labels);
    const concurrency = this.#concurrency?.series(labels);
    const queuedRequests = gauges.queuedRequests.series(labels);
    const queuedSeats = gauges.queuedSeats.series(labels);
    const dispatched = counters.dispatched.series(labels);
    const notAccommodated = counters.notAccommodated;
    const queueLength = atFirstUse(histograms.queueLength, labels);
    const waited = {
      true: atFirstUse(histograms.waited, { ...labels, execute: 'true' }),
      false: atFirstUse(histograms.waited, { ...labels, execute: 'false' }),
    };
    const executed = {
      regular: atFirstUse(histograms.executed, { ...labels, type: 'regular' }),
      watch: atFirstUse(histograms.executed, { ...labels, type: 'watch' }),
    };
    const seats = atFirstUse(histograms.seats, labels);
    const watches = atFirstUse(histograms.watches, labels);
    return {
      queued(requests, count) {
        queuedRequests.add(requests);
        queuedSeats.add(count);
      },
      running(requests, count) {
        executingRequests.add(requests);
        executingSeats.add(count);
        concurrency?.add(count);
        if (requests > 0) dispatched.inc();
      },
      enqueued: (length) => queueLength.observe(length),
      notAccommodated: () => notAccommodated.series(labels).inc(),
      estimated: (count) => seats.observe(count),
      refused: (reason) => counters.rejected.series({ ...labels, reason }).inc(),
      waited: (time, isExecuted) => waited[isExecuted ? 'true' : 'false'].observe(time),
      executed: (time, type) => executed[type].observe(time),
      watched: (count) => watches.observe(count),
    };
  }
}

/** A series that is shown from its first value on, as upstream shows its own. */
function atFirstUse(histogram: SeriesHistogram, labels: Labels): HistogramSeries {
  let series: HistogramSeries | undefined;
  return { observe: (value) => (series ??= histogram.series(labels)).observe(value) };
}
