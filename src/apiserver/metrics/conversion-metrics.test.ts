import { expect, test } from 'vitest';
import { allMetrics, MetricRegistry } from '../../server/metrics/metric-registry.ts';
import { createConversionMetrics } from './conversion-metrics.ts';

test('Calls of conversion webhooks are counted by result, and by definition and versions', async () => {
  const registry = new MetricRegistry(allMetrics);
  const called = createConversionMetrics(registry)('crontabs.example.com');
  const versions = { fromVersion: 'example.com/v1', toVersion: 'example.com/v2' };
  called({ seconds: 0.003, ...versions, error: undefined });
  called({ seconds: 3, ...versions, error: new Error('away') });
  const text = await registry.metrics();
  expect(text).toContain('apiserver_conversion_webhook_request_total{result="success",failure_type=""} 1');
  expect(text).toContain(
    'apiserver_conversion_webhook_duration_seconds_sum{result="failure",failure_type="webhook_call_failure"} 3',
  );
  expect(text).toContain(
    'apiserver_crd_conversion_webhook_duration_seconds_bucket{le="0.004",crd_name="crontabs.example.com",' +
      'from_version="v1",to_version="v2",succeeded="true"} 1',
  );
});
