/**
 * Metrics of the controllers that keep EndpointSlices. How many slices there are is compared with how few would do.
 * @see {@link https://kubernetes.io/docs/reference/instrumentation/metrics/ | Metrics}
 */
import type { MetricRegistry } from '../../server/metrics/metric-registry.ts';
import { SeriesCounter } from '../../server/metrics/series-counter.ts';
import { SeriesGauge } from '../../server/metrics/series-gauge.ts';
import { SeriesHistogram } from '../../server/metrics/series-histogram.ts';
import { metricOf } from './metrics.ts';

export interface SliceTotals {
  readonly endpoints: number;
  readonly slices: number;
  /** The fewest that hold the endpoints. */
  readonly wantedSlices: number;
}

const none: SliceTotals = { endpoints: 0, slices: 0, wantedSlices: 0 };

/** 2, 4, 8 to 32,768 endpoints. */
const countBuckets = Array.from({ length: 15 }, (_, power) => 2 ** (power + 1));

export class SliceMetrics {
  readonly #registry: MetricRegistry | undefined;
  readonly #prefix: string;
  readonly #totals = new Map<string, SliceTotals>();

  /** @param prefix of the names, such as `endpoint_slice_controller` */
  constructor(registry: MetricRegistry | undefined, prefix: string) {
    this.#registry = registry;
    this.#prefix = prefix;
  }

  changed(operation: 'create' | 'update' | 'delete'): void {
    this.count('changes', 'Writes of EndpointSlices.', { operation });
  }

  /** @param counts endpoints that one sync added, removed and so on */
  synced(
    counts: Readonly<Record<'added' | 'removed' | 'updated', number>>,
    names: readonly (keyof typeof counts)[],
  ): void {
    for (const name of names)
      this.observe(`endpoints_${name}_per_sync`, `Endpoints ${name} in a sync.`, counts[name], countBuckets);
  }

  /** What there is for a service and address type; undefined when it is gone. */
  totals(key: string, now: SliceTotals | undefined): void {
    const before = this.#totals.get(key) ?? none;
    if (now === undefined) this.#totals.delete(key);
    else this.#totals.set(key, now);
    const { endpoints, slices, wantedSlices } = now ?? none;
    this.gauge('endpoints_desired', 'Endpoints that there should be.', endpoints - before.endpoints);
    this.gauge('num_endpoint_slices', 'EndpointSlices that there are.', slices - before.slices);
    this.gauge('desired_endpoint_slices', 'EndpointSlices that would do.', wantedSlices - before.wantedSlices);
  }

  /** Of services of which this process knows no more. */
  forgetAll(): void {
    for (const key of [...this.#totals.keys()]) this.totals(key, undefined);
  }

  count(name: string, help: string, labels: Readonly<Record<string, string>> = {}): void {
    const registry = this.#registry;
    if (registry === undefined) return;
    metricOf(registry, this.#name(name), (full) => new SeriesCounter({ name: full, help, registry }))
      .series(labels)
      .inc();
  }

  gauge(name: string, help: string, change: number, labels: Readonly<Record<string, string>> = {}): void {
    const registry = this.#registry;
    if (registry === undefined) return;
    metricOf(registry, this.#name(name), (full) => new SeriesGauge({ name: full, help, registry }))
      .series(labels)
      .add(change);
  }

  observe(
    name: string,
    help: string,
    value: number,
    buckets: readonly number[] = countBuckets,
    labels: Readonly<Record<string, string>> = {},
  ): void {
    const registry = this.#registry;
    if (registry === undefined) return;
    metricOf(registry, this.#name(name), (full) => new SeriesHistogram({ name: full, help, buckets, registry }))
      .series(labels)
      .observe(value);
  }

  #name(name: string): string {
    return `${this.#prefix}_${name}`;
  }
}
