/**
 * What the scheduler shows of its work, under upstream's names.
 * @see {@link https://kubernetes.io/docs/reference/instrumentation/metrics/ | Kubernetes metrics reference}
 */
import type { MetricRegistry } from '../server/metrics/metric-registry.ts';
import { type Labels, type MetricValue, showValues } from '../server/metrics/series.ts';
import { SeriesCounter } from '../server/metrics/series-counter.ts';
import { SeriesHistogram } from '../server/metrics/series-histogram.ts';
import type { SchedulerObserver } from './framework/observer.ts';

/** What is shown as it is when it is asked for. */
export interface SchedulerCounts {
  /** Pods by queue: `active`, `backoff`, `unschedulable` and `gated`. */
  readonly pending: () => Readonly<Record<string, number>>;
  readonly unschedulable: () => Iterable<{ readonly plugin: string; readonly profile: string; readonly count: number }>;
  readonly cache: () => { readonly nodes: number; readonly pods: number; readonly assumed_pods: number };
  /** By their label. */
  readonly inFlightEvents: () => Readonly<Record<string, number>>;
  readonly bindings: () => number;
}

export interface SchedulerMetrics extends SchedulerObserver {
  /** Shows the counts of this scheduler from now on, in place of one before it. */
  show(counts: SchedulerCounts): void;
}

const powers = (first: number, factor: number, count: number): number[] =>
  Array.from({ length: count }, (_, i) => first * factor ** i);

const attemptBuckets = powers(0.001, 2, 15);
const pointBuckets = powers(0.0001, 2, 12);
const podBuckets = powers(0.01, 2, 20);
const pluginBuckets = [
  1e-5, 1.5000000000000002e-5, 2.2500000000000005e-5, 3.375000000000001e-5, 5.062500000000001e-5, 7.593750000000002e-5,
  0.00011390625000000003, 0.00017085937500000006, 0.0002562890625000001, 0.00038443359375000017, 0.0005766503906250003,
  0.0008649755859375004, 0.0012974633789062506, 0.0019461950683593758, 0.0029192926025390638, 0.004378938903808595,
  0.006568408355712893, 0.009852612533569338, 0.014778918800354007, 0.02216837820053101,
];
/** More attempts are counted as so many. */
const maxAttemptsShown = 15;

export function createSchedulerMetrics(registry: MetricRegistry): SchedulerMetrics {
  const counter = (name: string, help: string): SeriesCounter =>
    new SeriesCounter({ name: `scheduler_${name}`, help, registry });
  const histogram = (name: string, help: string, buckets: readonly number[]): SeriesHistogram =>
    new SeriesHistogram({ name: `scheduler_${name}`, help, buckets, registry });
  const attempts = counter('schedule_attempts_total', 'Attempts to schedule pods, by result.');
  const incoming = counter('queue_incoming_pods_total', 'Pods that came into a queue, by what brought them there.');
  const preemptions = counter('preemption_attempts_total', 'Attempts to preempt pods.');
  const evaluations = counter('plugin_evaluation_total', 'How often a plugin was asked about a pod.');
  const attemptSeconds = histogram(
    'scheduling_attempt_duration_seconds',
    'Time of an attempt with its binding, in seconds.',
    attemptBuckets,
  );
  const algorithmSeconds = histogram(
    'scheduling_algorithm_duration_seconds',
    'Time in which a node was chosen, in seconds.',
    attemptBuckets,
  );
  const permitSeconds = histogram(
    'permit_wait_duration_seconds',
    'Time a pod waited to be permitted, in seconds.',
    attemptBuckets,
  );
  const pointSeconds = histogram(
    'framework_extension_point_duration_seconds',
    'Time of all plugins of an extension point, in seconds.',
    pointBuckets,
  );
  const pluginSeconds = histogram(
    'plugin_execution_duration_seconds',
    'Time of one plugin at an extension point, in seconds.',
    pluginBuckets,
  );
  const podAttempts = histogram('pod_scheduling_attempts', 'Attempts until a pod was scheduled.', [1, 2, 4, 8, 16]);
  const victims = histogram('preemption_victims', 'Pods that gave way at once.', powers(1, 2, 7));
  const sliSeconds = histogram(
    'pod_scheduling_sli_duration_seconds',
    'Time from when a pod came into the queue until it was scheduled, in seconds.',
    podBuckets,
  );
  const podSeconds = histogram(
    'pod_scheduling_duration_seconds',
    'Time from the first attempt to schedule a pod until it was scheduled, in seconds.',
    podBuckets,
  );
  const eventSeconds = histogram(
    'event_handling_duration_seconds',
    'Time in which a change of the cluster was taken in, in seconds.',
    pointBuckets,
  );
  const hintSeconds = histogram(
    'queueing_hint_execution_duration_seconds',
    'Time in which a plugin judged whether a change helps a pod, in seconds.',
    pluginBuckets,
  );
  const volumeFailures = counter('volume_scheduling_stage_error_total', 'Failures to bind the volumes of a pod.');
  const series = {
    attempts: byLabels(attempts, 'profile', 'result'),
    attemptSeconds: byLabels(attemptSeconds, 'profile', 'result'),
    sliSeconds: byLabels(sliSeconds, 'attempts'),
    podSeconds: byLabels(podSeconds, 'attempts'),
    pointSeconds: byLabels(pointSeconds, 'extension_point', 'profile', 'status'),
    pluginSeconds: byLabels(pluginSeconds, 'extension_point', 'plugin', 'status'),
    evaluations: byLabels(evaluations, 'extension_point', 'plugin', 'profile'),
    permitSeconds: byLabels(permitSeconds, 'result'),
    incoming: byLabels(incoming, 'event', 'queue'),
    eventSeconds: byLabels(eventSeconds, 'event'),
    hintSeconds: byLabels(hintSeconds, 'event', 'hint', 'plugin'),
    volumeFailures: byLabels(volumeFailures, 'operation'),
  };
  const once = {
    algorithm: algorithmSeconds.series({}),
    attempts: podAttempts.series({}),
    victims: victims.series({}),
  };
  const preemption = preemptions.series({});
  const shown: { counts?: SchedulerCounts } = {};
  showCounts(shown, registry);
  return {
    attempted(profile, result, seconds) {
      series.attempts(profile, result).inc();
      series.attemptSeconds(profile, result).observe(seconds);
    },
    scheduled({ attempts: count, seconds, sinceCreated }) {
      const shownCount = String(Math.min(count, maxAttemptsShown));
      once.attempts.observe(count);
      series.sliSeconds(shownCount).observe(sinceCreated);
      series.podSeconds(shownCount).observe(seconds);
    },
    algorithm: (seconds) => once.algorithm.observe(seconds),
    extensionPoint: (point, profile, status, seconds) => series.pointSeconds(point, profile, status).observe(seconds),
    plugin: (point, plugin, status, seconds) => series.pluginSeconds(point, plugin, status).observe(seconds),
    evaluated: (point, plugin, profile) => series.evaluations(point, plugin, profile).inc(),
    permitWaited: (result, seconds) => series.permitSeconds(result).observe(seconds),
    preempted: (count) => once.victims.observe(count),
    preemptionAttempted: () => preemption.inc(),
    incoming: (queue, event) => series.incoming(event, queue).inc(),
    eventHandled: (event, seconds) => series.eventSeconds(event).observe(seconds),
    hinted: (plugin, event, hint, seconds) => series.hintSeconds(event, hint, plugin).observe(seconds),
    volumesFailed: (operation) => series.volumeFailures(operation).inc(),
    show: (counts) => void (shown.counts = counts),
  };
}

type SeriesFinder<S> = (first: string, second?: string, third?: string) => S;

/**
 * Finds a series by the values of up to three labels. They are few, and asked for dozens of times per pod: nothing is
 * made for it.
 */
function byLabels<S>(set: { series(labels: Labels): S }, ...names: [string, string?, string?]): SeriesFinder<S> {
  const found = new Map<string, Map<string, Map<string, S>>>();
  return (first, second = '', third = '') => {
    let ofFirst = found.get(first);
    if (ofFirst === undefined) found.set(first, (ofFirst = new Map()));
    let ofSecond = ofFirst.get(second);
    if (ofSecond === undefined) ofFirst.set(second, (ofSecond = new Map()));
    let series = ofSecond.get(third);
    if (series === undefined) {
      const values = [first, second, third];
      series = set.series(Object.fromEntries(names.map((name, i) => [name, values[i]!])));
      ofSecond.set(third, series);
    }
    return series;
  };
}

/** Nothing is shown before there is a scheduler. */
function showCounts(shown: { readonly counts?: SchedulerCounts }, registry: MetricRegistry): void {
  const gauge = (name: string, help: string, valuesOf: (counts: SchedulerCounts) => readonly MetricValue[]): void =>
    showValues({ name: `scheduler_${name}`, help, type: 'gauge', registry }, () =>
      shown.counts === undefined ? [] : valuesOf(shown.counts),
    );
  const byLabel = (label: string, values: object): MetricValue[] =>
    Object.entries(values).map(([name, value]) => ({ labels: { [label]: name }, value: value as number }));
  gauge('pending_pods', 'Pods that have no node yet, by queue.', ({ pending }) => byLabel('queue', pending()));
  gauge('unschedulable_pods', 'Pods that a plugin refused.', ({ unschedulable }) =>
    [...unschedulable()].map(({ plugin, profile, count }) => ({ labels: { plugin, profile }, value: count })),
  );
  gauge('scheduler_cache_size', 'Nodes, pods and assumed pods that are known.', ({ cache }) =>
    byLabel('type', cache()),
  );
  gauge('inflight_events', 'Events that are kept for pods that are being scheduled.', ({ inFlightEvents }) =>
    byLabel('event', inFlightEvents()),
  );
  gauge('goroutines', 'Bindings under way.', ({ bindings }) => [
    { labels: { operation: 'binding' }, value: bindings() },
  ]);
}
