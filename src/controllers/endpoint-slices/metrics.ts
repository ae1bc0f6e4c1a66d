/** What the controller of EndpointSlices counts. */
import type { Service } from '../../api/gen/types/core-v1.ts';
import type { MetricRegistry } from '../../server/metrics/metric-registry.ts';
import { SliceMetrics } from '../shared/slice-metrics.ts';
import { isTopologyAware, trafficDistributionOf } from './hints.ts';
import type { SyncResult } from './sync.ts';

/** Those that client libraries of Prometheus have when no others are given. */
const defaultBuckets = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

export class SliceReport {
  readonly metrics: SliceMetrics;
  readonly #distributions = new Map<string, string>();
  readonly #addressTypes = new Map<string, Set<string>>();

  constructor(registry: MetricRegistry | undefined) {
    this.metrics = new SliceMetrics(registry, 'endpoint_slice_controller');
  }

  synced(isSuccess: boolean): void {
    this.metrics.count('syncs', 'Looks at services.', { result: isSuccess ? 'success' : 'error' });
  }

  result(
    key: string,
    service: Service,
    { addressType, changes, endpoints, wantedSlices, ...counts }: SyncResult,
  ): void {
    const { added, removed } = counts;
    this.metrics.synced({ added, removed, updated: 0 }, ['added', 'removed']);
    const { create, update, unchanged } = changes;
    const slices = create.length + update.length + unchanged.length;
    const types = this.#addressTypes.get(key) ?? new Set();
    this.#addressTypes.set(key, types.add(addressType));
    this.metrics.totals(`${key}/${addressType}`, { endpoints, slices, wantedSlices });
    this.#distribution(key, trafficDistributionOf(service));
  }

  written(service: Service, writes: number): void {
    const labels = {
      topology: isTopologyAware(service) ? 'Auto' : 'Disabled',
      traffic_distribution: trafficDistributionOf(service) ?? '',
    };
    const help = 'EndpointSlices that a sync changed.';
    this.metrics.observe('endpointslices_changed_per_sync', help, writes, defaultBuckets, labels);
  }

  forget(key: string): void {
    for (const addressType of this.#addressTypes.get(key) ?? [])
      this.metrics.totals(`${key}/${addressType}`, undefined);
    this.#addressTypes.delete(key);
    this.#distribution(key, undefined);
  }

  forgetAll(): void {
    for (const key of [...this.#addressTypes.keys()]) this.forget(key);
  }

  #distribution(key: string, now: string | undefined): void {
    const before = this.#distributions.get(key);
    if (before === now) return;
    const change = (distribution: string, by: number): void =>
      this.metrics.gauge(
        'services_count_by_traffic_distribution',
        'Services that ask for a traffic distribution.',
        by,
        { traffic_distribution: distribution },
      );
    if (before !== undefined) change(before, -1);
    if (now !== undefined) change(now, 1);
    if (now === undefined) this.#distributions.delete(key);
    else this.#distributions.set(key, now);
  }
}
