import type { MetricRegistry } from '../../server/metrics/metric-registry.ts';
import { SeriesCounter } from '../../server/metrics/series-counter.ts';
import { SeriesGauge } from '../../server/metrics/series-gauge.ts';
import { SeriesHistogram } from '../../server/metrics/series-histogram.ts';
import { perRegistry } from '../shared/per-registry.ts';

const prefix = 'node_ipam_controller';
const triesBuckets = [1, 5, 25, 125, 625];

export const rangeMetrics = perRegistry((registry) => new RangeMetrics(registry));

/** By the range of the cluster. */
export class RangeMetrics {
  readonly #allocations: SeriesCounter;
  readonly #releases: SeriesCounter;
  readonly #tries: SeriesHistogram;
  readonly #usage: SeriesGauge;
  readonly #sizes: SeriesGauge;
  readonly #known = new Map<string, { size: number; used: number }>();

  constructor(registry: MetricRegistry) {
    const named = (name: string, help: string) => ({ name: `${prefix}_${name}`, help, registry });
    this.#allocations = new SeriesCounter(named('cidrset_cidrs_allocations_total', 'Ranges given to nodes.'));
    this.#releases = new SeriesCounter(named('cidrset_cidrs_releases_total', 'Ranges of nodes given back.'));
    this.#usage = new SeriesGauge(named('cidrset_usage_cidrs', 'Part of the ranges that is in use.'));
    this.#sizes = new SeriesGauge(named('cirdset_max_cidrs', 'Ranges for nodes.'));
    this.#tries = new SeriesHistogram({
      ...named('cidrset_allocation_tries_per_request', 'Ranges looked at for one that is free.'),
      buckets: triesBuckets,
    });
  }

  /** Of a set that is empty: that of an earlier run of the controller is over. */
  size(clusterCIDR: string, size: number): void {
    const before = this.#known.get(clusterCIDR) ?? { size: 0, used: 0 };
    this.#sizes.series({ clusterCIDR }).add(size - before.size);
    this.#usage.series({ clusterCIDR }).add(-before.used);
    this.#known.set(clusterCIDR, { size, used: 0 });
  }

  used(clusterCIDR: string, change: number): void {
    const known = this.#known.get(clusterCIDR);
    if (known !== undefined) known.used += change;
    this.#usage.series({ clusterCIDR }).add(change);
  }

  allocated(clusterCIDR: string, tries: number): void {
    this.#allocations.series({ clusterCIDR }).inc();
    this.#tries.series({ clusterCIDR }).observe(tries);
  }

  released(clusterCIDR: string): void {
    this.#releases.series({ clusterCIDR }).inc();
  }
}
