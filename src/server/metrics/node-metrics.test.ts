import perfHooks from 'node:perf_hooks';
import { Registry } from 'prom-client';
import { expect, onTestFinished, test, vi } from 'vitest';
import { collectNodeMetrics } from './node-metrics.ts';

test('The lag of the event loop is sampled ten times per second, so that an idle process sleeps', () => {
  const sampled = vi.spyOn(perfHooks, 'monitorEventLoopDelay');
  onTestFinished(() => void sampled.mockRestore());
  const registry = new Registry();
  collectNodeMetrics(registry);
  expect(sampled.mock.calls).toEqual([[{ resolution: 100 }]]);
  expect(registry.getSingleMetric('nodejs_eventloop_lag_p99_seconds')).toBeDefined();
  sampled.mock.results[0]!.value.disable();
});
