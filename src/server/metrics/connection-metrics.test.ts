import { expect, test } from 'vitest';
import { type ConnectionMetrics, createConnectionMetrics } from './connection-metrics.ts';
import { allMetrics, MetricRegistry } from './metric-registry.ts';

async function shownAfter(use: (metrics: ConnectionMetrics) => void): Promise<string[]> {
  const registry = new MetricRegistry(allMetrics);
  use(createConnectionMetrics(registry));
  return (await registry.metrics()).split('\n').filter((line) => line.startsWith('rest_client_'));
}

test('Connections of clients are counted while they are there, and by whether they were there before', async () => {
  const lines = await shownAfter((metrics) => {
    metrics.opened();
    metrics.opened();
    metrics.shared();
    metrics.closed();
  });
  expect(lines).toEqual([
    'rest_client_transport_cache_entries 1',
    'rest_client_transport_create_calls_total{result="miss"} 2',
    'rest_client_transport_create_calls_total{result="hit"} 1',
  ]);
});

test('The time in which names are looked up is shown by host', async () => {
  const lines = await shownAfter((metrics) => metrics.resolved('api.example.com', 300));
  expect(lines).toContain('rest_client_dns_resolution_duration_seconds_bucket{le="0.25",host="api.example.com"} 0');
  expect(lines).toContain('rest_client_dns_resolution_duration_seconds_bucket{le="0.5",host="api.example.com"} 1');
});

test('Hosts beyond a thousand whose names are looked up are shown together', async () => {
  const lines = await shownAfter((metrics) => {
    for (let i = 0; i < 1100; i++) metrics.resolved(`host-${i}`, 1);
  });
  const counts = lines.filter((line) => line.includes('_count{'));
  expect(counts).toHaveLength(1001);
  expect(counts.at(-1)).toBe('rest_client_dns_resolution_duration_seconds_count{host="other"} 100');
});
