import { expect, test } from 'vitest';
import { createApiClientMetrics } from './api-client-metrics.ts';
import { allMetrics, MetricRegistry } from './metric-registry.ts';

test('Requests are counted under the names and labels of the reference', async () => {
  const registry = new MetricRegistry(allMetrics);
  const metrics = createApiClientMetrics(registry);
  const get = { method: 'GET', host: 'a:1' };
  metrics.answered(get, 200, 3);
  metrics.answered(get, 200, 30);
  metrics.answered({ method: 'POST', host: 'a:1' }, undefined, 1);
  metrics.limited(700, get);
  metrics.retried(get, 429);
  metrics.sent(get, 0);
  metrics.received(get, 5000);
  const lines = (await registry.metrics()).split('\n');
  for (const line of [
    'rest_client_requests_total{code="200",host="a:1",method="GET"} 2',
    'rest_client_requests_total{code="<error>",host="a:1",method="POST"} 1',
    'rest_client_request_retries_total{code="429",host="a:1",verb="GET"} 1',
    'rest_client_request_duration_seconds_bucket{le="0.005",verb="GET",host="a:1"} 1',
    'rest_client_request_duration_seconds_count{verb="GET",host="a:1"} 2',
    'rest_client_rate_limiter_duration_seconds_bucket{le="0.5",verb="GET",host="a:1"} 0',
    'rest_client_rate_limiter_duration_seconds_sum{verb="GET",host="a:1"} 0.7',
    'rest_client_request_size_bytes_bucket{le="64",verb="GET",host="a:1"} 1',
    'rest_client_response_size_bytes_bucket{le="4096",verb="GET",host="a:1"} 0',
    'rest_client_response_size_bytes_bucket{le="16384",verb="GET",host="a:1"} 1',
  ])
    expect(lines).toContain(line);
});
