import type { MetricRegistry } from '../../server/metrics/metric-registry.ts';
import { SeriesCounter } from '../../server/metrics/series-counter.ts';

export interface LogObserver {
  /** @param skipsVerify whether the client does not want the node agent's certificate verified */
  read(skipsVerify: boolean): void;
  /** A node agent's certificate was not accepted. */
  unverified(): void;
}

/** Told of the code that a stream between two protocols ended with. */
export type ObserveStream = (code: number) => void;

export interface NodeMetrics {
  readonly logs: LogObserver;
  /** Streams of clients that speak WebSockets, translated for node agents. */
  readonly translated: ObserveStream;
  /** Ports forwarded through WebSockets. */
  readonly tunnelled: ObserveStream;
}

export function createNodeMetrics(registry: MetricRegistry): NodeMetrics {
  /** The same under a second name, which is deprecated. */
  const counters = (names: readonly string[], help: string): readonly SeriesCounter[] =>
    names.map((name) => new SeriesCounter({ name, help, registry }));
  const insecure = counters(
    ['kube_apiserver_pod_logs_insecure_backend_total', 'kube_apiserver_pod_logs_pods_logs_insecure_backend_total'],
    'Requests for logs, by whether the certificate of the node agent was to be verified.',
  );
  const failures = counters(
    [
      'kube_apiserver_pod_logs_backend_tls_failure_total',
      'kube_apiserver_pod_logs_pods_logs_backend_tls_failure_total',
    ],
    'Requests for logs that failed because the certificate of the node agent was not accepted.',
  );
  for (const counter of failures) counter.series({});
  const translated = new SeriesCounter({
    name: 'apiserver_stream_translator_requests_total',
    help: 'Streams of exec and attach that were translated from WebSockets, by the code of their end.',
    registry,
  });
  const tunnelled = new SeriesCounter({
    name: 'apiserver_stream_tunnel_requests_total',
    help: 'Forwarded ports that were tunnelled through WebSockets, by the code of the answer.',
    registry,
  });
  return {
    logs: {
      read(skipsVerify) {
        for (const counter of insecure)
          counter.series({ usage: skipsVerify ? 'skip_tls_allowed' : 'enforce_tls' }).inc();
      },
      unverified() {
        for (const counter of failures) counter.series({}).inc();
      },
    },
    translated: (code) => translated.series({ code: String(code) }).inc(),
    tunnelled: (code) => tunnelled.series({ code: String(code) }).inc(),
  };
}
