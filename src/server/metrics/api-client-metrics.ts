/** What a daemon's client of the API server tells of itself, under the names that every client of the reference has. */
import { type ConnectionMetrics, createConnectionMetrics } from './connection-metrics.ts';
import { createExecPluginMetrics, type ExecPluginMetrics } from './exec-plugin-metrics.ts';
import type { MetricRegistry } from './metric-registry.ts';
import { sizeBuckets } from './rest-client-metrics.ts';
import { type CounterSeries, SeriesCounter } from './series-counter.ts';
import { type HistogramSeries, SeriesHistogram } from './series-histogram.ts';

interface Asked {
  readonly method: string;
  readonly host: string;
}

/** The observers of `client/client.ts` and `client/kubeconfig/exec-plugin.ts`; that package is not seen from here. */
export interface ApiClientMetrics extends ConnectionMetrics, ExecPluginMetrics {
  sent(request: Asked, bytes: number): void;
  received(request: Asked, bytes: number): void;
  answered(request: Asked, status: number | undefined, ms: number): void;
  limited(ms: number, request: Asked): void;
  retried(request: Asked, status: number | undefined): void;
}

const buckets = [0.005, 0.025, 0.1, 0.25, 0.5, 1, 2, 4, 8, 15, 30, 60];
/** What the reference counts a call under that got no answer. */
const noAnswer = '<error>';

export function createApiClientMetrics(registry: MetricRegistry): ApiClientMetrics {
  const totals = new SeriesCounter({
    name: 'rest_client_requests_total',
    help: 'Requests to the API server, by answer code, method and host.',
    registry,
  });
  const retries = new SeriesCounter({
    name: 'rest_client_request_retries_total',
    help: 'Requests that were sent again, by answer code, verb and host.',
    registry,
  });
  const durations = new SeriesHistogram({
    name: 'rest_client_request_duration_seconds',
    help: 'Time until the API server answered, in seconds, by verb and host.',
    buckets,
    registry,
  });
  const waits = new SeriesHistogram({
    name: 'rest_client_rate_limiter_duration_seconds',
    help: 'Time that requests waited for the rate limit of the client, in seconds, by verb and host.',
    buckets,
    registry,
  });
  const requestSizes = new SeriesHistogram({
    name: 'rest_client_request_size_bytes',
    help: 'Bytes sent to the API server, by verb and host.',
    buckets: sizeBuckets,
    registry,
  });
  const responseSizes = new SeriesHistogram({
    name: 'rest_client_response_size_bytes',
    help: 'Bytes that the API server answered with, by verb and host, without those of watches.',
    buckets: sizeBuckets,
    registry,
  });
  const counterOf = remembered((method, host, code) => totals.series({ code, host, method }));
  const retryOf = remembered((method, host, code) => retries.series({ code, host, verb: method }));
  const durationOf = remembered((method, host) => durations.series({ verb: method, host }));
  const waitOf = remembered((method, host) => waits.series({ verb: method, host }));
  const requestSizeOf = remembered((method, host) => requestSizes.series({ verb: method, host }));
  const responseSizeOf = remembered((method, host) => responseSizes.series({ verb: method, host }));
  return {
    ...createConnectionMetrics(registry),
    ...createExecPluginMetrics(registry),
    sent: ({ method, host }, bytes) => requestSizeOf(method, host, '').observe(bytes),
    received: ({ method, host }, bytes) => responseSizeOf(method, host, '').observe(bytes),
    answered({ method, host }, status, ms) {
      counterOf(method, host, codeOf(status)).inc();
      durationOf(method, host, '').observe(ms / 1000);
      // The reference shows also those that did not wait.
      waitOf(method, host, '');
    },
    limited: (ms, { method, host }) => waitOf(method, host, '').observe(ms / 1000),
    retried: ({ method, host }, status) => retryOf(method, host, codeOf(status)).inc(),
  };
}

const codeOf = (status: number | undefined): string => (status === undefined ? noAnswer : String(status));

/** A daemon has one server and few methods and codes. */
function remembered<S extends CounterSeries | HistogramSeries>(
  make: (method: string, host: string, code: string) => S,
): (method: string, host: string, code: string) => S {
  const known = new Map<string, S>();
  return (method, host, code) => {
    const key = `${method} ${host} ${code}`;
    let series = known.get(key);
    if (series === undefined) known.set(key, (series = make(method, host, code)));
    return series;
  };
}
