import { describe, expect, it, vi } from 'vitest';
import { allMetrics, MetricRegistry } from '../../server/metrics/metric-registry.ts';
import { RequestMetrics } from '../metrics/request-metrics.ts';
import type { ApiResponse } from '../../server/exchange.ts';
import type { ApiRequest } from '../request/request.ts';
import { timed } from './metrics.ts';

const request = {} as ApiRequest;
const response: ApiResponse = { status: 200, headers: {} };
const refusal = new Error('no');

/** Sum and number of what was observed of the filter. */
async function observed(registry: MetricRegistry): Promise<readonly (string | undefined)[]> {
  const text = await registry.getSingleMetricAsString('apiserver_request_filter_duration_seconds');
  return ['sum', 'count'].map((part) => new RegExp(`_${part}\\{filter="tested"\\} (.*)`).exec(text)?.[1]);
}

describe('the duration of a filter', () => {
  it.each([
    {
      name: 'is the time until it passes a request on',
      filter: (next: () => Promise<ApiResponse>) => (vi.advanceTimersByTime(20), next()),
      expected: ['0.02', '1'],
    },
    {
      name: 'is not that of a refusal',
      filter: () => (vi.advanceTimersByTime(20), Promise.reject(refusal)),
      expected: ['0', '0'],
    },
  ])('The duration of a filter: $name', async ({ filter, expected }) => {
    vi.useFakeTimers({ toFake: ['performance'] });
    const registry = new MetricRegistry(allMetrics);
    const metrics = new RequestMetrics(registry, { knows: () => 'subresource' });
    const handle = timed('tested', (_, next) => filter(next), metrics);
    await handle(request, () => (vi.advanceTimersByTime(500), Promise.resolve(response))).catch((error: unknown) =>
      expect(error).toBe(refusal),
    );
    vi.useRealTimers();
    expect(await observed(registry)).toEqual(expected);
  });
});
