import { expect, test } from 'vitest';
import { allMetrics, MetricRegistry } from '../../server/metrics/metric-registry.ts';
import { evictionMetrics } from './metrics.ts';

test('Pods that are deleted for a taint are counted, with the time that they were late', async () => {
  const registry = new MetricRegistry(allMetrics);
  evictionMetrics(registry)!.deleted(700);
  // A controller that is started again counts on.
  evictionMetrics(registry)!.deleted(-1);
  const lines = (await registry.metrics()).split('\n');
  for (const line of [
    'taint_eviction_controller_pod_deletions_total 2',
    'taint_eviction_controller_pod_deletion_duration_seconds_bucket{le="0.5"} 1',
    'taint_eviction_controller_pod_deletion_duration_seconds_sum 0.7',
    'taint_eviction_controller_pod_deletion_duration_seconds_count 2',
  ])
    expect(lines).toContain(line);
});
