/** Conversions of custom resources by webhooks, under the reference's names. */
import type { MetricRegistry } from '../../server/metrics/metric-registry.ts';
import { SeriesCounter } from '../../server/metrics/series-counter.ts';
import { SeriesHistogram } from '../../server/metrics/series-histogram.ts';

export interface ConversionCall {
  readonly seconds: number;
  readonly fromVersion: string;
  readonly toVersion: string;
  /** Undefined: it was answered. */
  readonly error: unknown;
}

const webhookBuckets = [0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 30, 45, 60];
const definitionBuckets = Array.from({ length: 15 }, (_, i) => 0.001 * 2 ** i);

/** @returns what is told of the calls for one definition */
export function createConversionMetrics(
  registry: MetricRegistry,
): (definition: string) => (call: ConversionCall) => void {
  const durations = new SeriesHistogram({
    name: 'apiserver_conversion_webhook_duration_seconds',
    help: 'Time that calls of conversion webhooks took, in seconds, by result.',
    buckets: webhookBuckets,
    registry,
  });
  const requests = new SeriesCounter({
    name: 'apiserver_conversion_webhook_request_total',
    help: 'Calls of conversion webhooks, by result.',
    registry,
  });
  const byDefinition = new SeriesHistogram({
    name: 'apiserver_crd_conversion_webhook_duration_seconds',
    help: 'Time that conversions by webhook took, in seconds, by definition, versions and success.',
    buckets: definitionBuckets,
    registry,
  });
  return (definition) =>
    ({ seconds, fromVersion, toVersion, error }) => {
      const succeeded = error === undefined;
      const labels = {
        result: succeeded ? 'success' : 'failure',
        failure_type: succeeded ? '' : 'webhook_call_failure',
      };
      durations.series(labels).observe(seconds);
      requests.series(labels).inc();
      byDefinition
        .series({
          crd_name: definition,
          from_version: versionOf(fromVersion),
          to_version: versionOf(toVersion),
          succeeded: String(succeeded),
        })
        .observe(seconds);
    };
}

const versionOf = (apiVersion: string): string => apiVersion.split('/').at(-1)!;
