import { expect, test } from 'vitest';
import { allMetrics, MetricRegistry } from '../../server/metrics/metric-registry.ts';
import { nodeMetrics } from './metrics.ts';

test('Metrics of nodes tell the health of each zone, also of one whose nodes are gone', async () => {
  const registry = new MetricRegistry(allMetrics);
  const metrics = nodeMetrics(registry)!;
  const text = async (): Promise<string> => registry.metrics();
  metrics.zones(
    new Map([
      ['a', { ready: 3, notReady: 1 }],
      ['b', { ready: 0, notReady: 2 }],
    ]),
  );
  metrics.evicted('b');
  metrics.lookedAtNode(3);
  metrics.lookedAtAll(100);
  const first = await text();
  for (const line of [
    'node_collector_zone_size{zone="a"} 4',
    'node_collector_unhealthy_nodes_in_zone{zone="a"} 1',
    'node_collector_zone_health{zone="a"} 75',
    'node_collector_zone_health{zone="b"} 0',
    'node_collector_evictions_total{zone="b"} 1',
    'node_collector_update_node_health_duration_seconds_bucket{le="0.004"} 1',
    'node_collector_update_all_nodes_health_duration_seconds_bucket{le="0.16"} 1',
  ])
    expect(first).toContain(line);
  metrics.zones(new Map([['a', { ready: 4, notReady: 0 }]]));
  const second = await text();
  for (const line of ['zone_size{zone="b"} 0', 'unhealthy_nodes_in_zone{zone="b"} 0', 'zone_health{zone="b"} 100'])
    expect(second).toContain(`node_collector_${line}`);
});
