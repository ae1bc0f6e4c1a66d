/** @see {@link https://kubernetes.io/docs/reference/instrumentation/metrics/ | Kubernetes metrics reference} */
import type { MetricRegistry } from '../../server/metrics/metric-registry.ts';
import { showValues } from '../../server/metrics/series.ts';
import { SeriesCounter } from '../../server/metrics/series-counter.ts';
import { SeriesHistogram } from '../../server/metrics/series-histogram.ts';
import { perRegistry } from '../shared/per-registry.ts';
import type { ZoneCounts } from './zones.ts';

const quadrupled = (first: number): number[] => Array.from({ length: 8 }, (_, index) => first * 4 ** index);

export const nodeMetrics = perRegistry((registry) => new NodeMetrics(registry));

export class NodeMetrics {
  readonly #evictions: SeriesCounter;
  readonly #nodeSeconds: SeriesHistogram;
  readonly #allSeconds: SeriesHistogram;
  /** Zones that have nodes, or had some. */
  readonly #zones = new Map<string, ZoneCounts>();

  constructor(registry: MetricRegistry) {
    const named = (name: string, help: string) => ({ name: `node_collector_${name}`, help, registry });
    const shown = (name: string, help: string, value: (ready: number, size: number) => number): void =>
      showValues({ ...named(name, help), type: 'gauge' }, () =>
        [...this.#zones].map(([zone, { ready, notReady }]) => ({
          labels: { zone },
          value: value(ready, ready + notReady),
        })),
      );
    shown('zone_size', 'Nodes of a zone.', (_, size) => size);
    shown('unhealthy_nodes_in_zone', 'Nodes of a zone that are not ready.', (ready, size) => size - ready);
    shown('zone_health', 'Percentage of the nodes of a zone that are ready.', (ready, size) =>
      size === 0 ? 100 : (100 * ready) / size,
    );
    this.#evictions = new SeriesCounter(named('evictions_total', 'Nodes that were tainted so that pods leave them.'));
    this.#nodeSeconds = new SeriesHistogram({
      ...named('update_node_health_duration_seconds', 'Time that the look at one node takes.'),
      buckets: quadrupled(0.001),
    });
    this.#allSeconds = new SeriesHistogram({
      ...named('update_all_nodes_health_duration_seconds', 'Time that the look at all nodes takes.'),
      buckets: quadrupled(0.01),
    });
  }

  /** A zone that has no nodes any more is shown as empty and healthy. */
  zones(zones: ReadonlyMap<string, ZoneCounts>): void {
    for (const zone of this.#zones.keys()) this.#zones.set(zone, { ready: 0, notReady: 0 });
    for (const [zone, counts] of zones) this.#zones.set(zone, counts);
  }

  evicted(zone: string): void {
    this.#evictions.series({ zone }).inc();
  }

  lookedAtNode(ms: number): void {
    this.#nodeSeconds.series({}).observe(ms / 1000);
  }

  lookedAtAll(ms: number): void {
    this.#allSeconds.series({}).observe(ms / 1000);
  }
}
