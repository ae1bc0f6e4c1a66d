import { expect, test } from 'vitest';
import { allMetrics, MetricRegistry } from '../../server/metrics/metric-registry.ts';
import { LoadBalancerMetrics } from './metrics.ts';

test('What load balancers are told is shown under the names of the reference', async () => {
  const registry = new MetricRegistry(allMetrics);
  const metrics = new LoadBalancerMetrics(registry);
  metrics.configured();
  metrics.nodesFailed();
  metrics.nodesTold(3000);
  metrics.hostsUpdated(1500);
  const lines = (await registry.metrics()).split('\n').filter((line) => line.startsWith('service_controller_'));
  expect(lines.filter((line) => !line.includes('_bucket{') || /le="(2|4|16384)"/.test(line))).toEqual([
    'service_controller_loadbalancer_sync_total 1',
    'service_controller_nodesync_error_total 1',
    'service_controller_nodesync_latency_seconds_bucket{le="2"} 0',
    'service_controller_nodesync_latency_seconds_bucket{le="4"} 1',
    'service_controller_nodesync_latency_seconds_bucket{le="16384"} 1',
    'service_controller_nodesync_latency_seconds_sum 3',
    'service_controller_nodesync_latency_seconds_count 1',
    'service_controller_update_loadbalancer_host_latency_seconds_bucket{le="2"} 1',
    'service_controller_update_loadbalancer_host_latency_seconds_bucket{le="4"} 1',
    'service_controller_update_loadbalancer_host_latency_seconds_bucket{le="16384"} 1',
    'service_controller_update_loadbalancer_host_latency_seconds_sum 1.5',
    'service_controller_update_loadbalancer_host_latency_seconds_count 1',
  ]);
});
