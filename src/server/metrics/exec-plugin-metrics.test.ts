import { expect, test } from 'vitest';
import { createExecPluginMetrics, type ExecPluginMetrics } from './exec-plugin-metrics.ts';
import { allMetrics, MetricRegistry } from './metric-registry.ts';

async function shownAfter(use: (metrics: ExecPluginMetrics) => void): Promise<string[]> {
  const registry = new MetricRegistry(allMetrics);
  use(createExecPluginMetrics(registry, () => 1_000_000));
  const lines = (await registry.metrics()).split('\n');
  return lines.filter((line) => line.startsWith('rest_client_') && !line.includes('_bucket'));
}

test('Without credential plugins their certificates never expire', async () => {
  expect(await shownAfter(() => undefined)).toEqual([
    'rest_client_exec_plugin_certificate_rotation_age_sum 0',
    'rest_client_exec_plugin_certificate_rotation_age_count 0',
    'rest_client_exec_plugin_ttl_seconds +Inf',
  ]);
});

test('Credential plugins are shown by how they ended, and with the certificate that expires first', async () => {
  const lines = await shownAfter((metrics) => {
    metrics.called({ status: 'no_error', code: 0 });
    metrics.called({ status: 'plugin_execution_error', code: 3 });
    metrics.rotated(5000);
    metrics.holds('a', 1_090_000);
    metrics.holds('b', 1_060_000);
    metrics.holds('c', 1_001_000);
    metrics.holds('c', undefined);
  });
  expect(lines).toEqual([
    'rest_client_exec_plugin_call_total{call_status="no_error",code="0"} 1',
    'rest_client_exec_plugin_call_total{call_status="plugin_execution_error",code="3"} 1',
    'rest_client_exec_plugin_certificate_rotation_age_sum 5',
    'rest_client_exec_plugin_certificate_rotation_age_count 1',
    'rest_client_exec_plugin_ttl_seconds 60',
  ]);
});

test('A certificate of a credential plugin that has expired is shown with the time since then', async () => {
  expect(await shownAfter((metrics) => metrics.holds('a', 990_000))).toContain(
    'rest_client_exec_plugin_ttl_seconds -10',
  );
});
