/** Metrics of priority and fairness. */
import type { MetricRegistry } from '../../server/metrics/metric-registry.ts';
import { type MetricValue, showValues } from '../../server/metrics/series.ts';
import { SeriesCounter } from '../../server/metrics/series-counter.ts';
import { SeriesGauge } from '../../server/metrics/series-gauge.ts';
import { SeriesHistogram } from '../../server/metrics/series-histogram.ts';
import type { FlowObserver } from './fair-queue.ts';
import type { PriorityLevel } from './priority-level.ts';

/** What is counted of the requests of one flow schema in its level. */
export interface FlowSeries extends FlowObserver {
  estimated(seats: number): void;
  refused(reason: string): void;
  waited(seconds: number, isExecuted: boolean): void;
  executed(seconds: number, type: 'regular' | 'watch'): void;
}

const seconds = [0, 0.005, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 15, 30];
const prefix = 'apiserver_flowcontrol_';

export class FlowControlMetrics {
  readonly #registry: MetricRegistry;
  readonly #gauges: Record<'executingRequests' | 'executingSeats' | 'queuedRequests' | 'queuedSeats', SeriesGauge>;
  readonly #counters: Record<'dispatched' | 'rejected' | 'notAccommodated', SeriesCounter>;
  readonly #histograms: Record<'waited' | 'executed' | 'queueLength' | 'seats', SeriesHistogram>;
  readonly #series = new Map<string, FlowSeries>();
  fairFraction = 0;

  constructor(registry: MetricRegistry) {
    this.#registry = registry;
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
    };
  }

  /** Shows the state of levels whenever it is asked for. */
  show(levels: () => readonly PriorityLevel[]): void {
    for (const [name, { help, of }] of Object.entries(levelGauges)) {
      showValues({ name: `${prefix}${name}`, help, type: 'gauge', registry: this.#registry }, () =>
        levels().map((level): MetricValue => ({ labels: { priority_level: level.name }, value: of(level) })),
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
    const queuedRequests = gauges.queuedRequests.series(labels);
    const queuedSeats = gauges.queuedSeats.series(labels);
    const dispatched = counters.dispatched.series(labels);
    const notAccommodated = counters.notAccommodated;
    const queueLength = histograms.queueLength.series(labels);
    const waited = {
      true: histograms.waited.series({ ...labels, execute: 'true' }),
      false: histograms.waited.series({ ...labels, execute: 'false' }),
    };
    const executed = {
      regular: histograms.executed.series({ ...labels, type: 'regular' }),
      watch: histograms.executed.series({ ...labels, type: 'watch' }),
    };
    const seats = histograms.seats.series(labels);
    return {
      queued(requests, count) {
        queuedRequests.add(requests);
        queuedSeats.add(count);
      },
      running(requests, count) {
        executingRequests.add(requests);
        executingSeats.add(count);
        if (requests > 0) dispatched.inc();
      },
      enqueued: (length) => queueLength.observe(length),
      notAccommodated: () => notAccommodated.series(labels).inc(),
      estimated: (count) => seats.observe(count),
      refused: (reason) => counters.rejected.series({ ...labels, reason }).inc(),
      waited: (time, isExecuted) => waited[isExecuted ? 'true' : 'false'].observe(time),
      executed: (time, type) => executed[type].observe(time),
    };
  }
}

interface LevelGauge {
  readonly help: string;
  readonly of: (level: PriorityLevel) => number;
}

const levelGauges: Readonly<Record<string, LevelGauge>> = {
  nominal_limit_seats: { help: 'Seats of a level by its shares.', of: ({ bounds }) => bounds.nominal },
  lower_limit_seats: { help: 'Seats that a level does not lend.', of: ({ bounds }) => bounds.lower },
  upper_limit_seats: { help: 'Seats of a level with all that it may borrow.', of: ({ bounds }) => bounds.upper },
  current_limit_seats: { help: 'Seats that a level may use now.', of: ({ queues }) => queues.limit },
  target_seats: { help: 'Seats that a level should have had at the last adjustment.', of: ({ target }) => target },
  demand_seats_high_watermark: {
    help: 'Most seats that a level could have used before the last adjustment.',
    of: ({ queues }) => queues.demand.highWatermark,
  },
  demand_seats_average: {
    help: 'Seats on average that a level could have used before the last adjustment.',
    of: ({ queues }) => queues.demand.average,
  },
  demand_seats_stdev: {
    help: 'Standard deviation of the seats that a level could have used before the last adjustment.',
    of: ({ queues }) => queues.demand.deviation,
  },
  demand_seats_smoothed: {
    help: 'Seats that a level could have used, over several adjustments.',
    of: ({ queues }) => queues.demand.smoothed,
  },
  current_r: {
    help: 'Virtual time of a level, in seat-seconds of each queue.',
    of: ({ queues }) => queues.virtualTime / 1000,
  },
};
