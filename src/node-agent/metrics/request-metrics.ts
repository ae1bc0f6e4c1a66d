/** Counts the requests to the port of a node, by upstream's names. */
import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import type { ApiResponse, Exchange } from '../../server/exchange.ts';

type Handle = (exchange: Exchange) => Promise<ApiResponse>;

const labelNames = ['long_running', 'method', 'path', 'server_type'] as const;
const buckets = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];
const longRunning = new Set(['exec', 'attach', 'portForward', 'debug']);
/** The paths that there are: what anybody asks for must not make any number of series. */
const known = new Set([
  ...['attach', 'checkpoint', 'configz', 'containerLogs', 'debug', 'exec', 'flagz', 'healthz', 'logs', 'pods'],
  ...['portForward', 'run', 'runningpods', 'stats', 'statusz'],
  ...['metrics', 'metrics/cadvisor', 'metrics/probes', 'metrics/resource', 'metrics/slis'],
]);
const methods = new Set(['GET', 'POST', 'PUT', 'DELETE', 'HEAD', 'PATCH', 'OPTIONS']);

/** `exec` of `/exec/namespace/pod`; the whole path of metrics. */
export function requestPath(target: string): string {
  const path = target.split('?', 1)[0]!.replace(/^\/|\/$/g, '');
  const [first = ''] = path.split('/');
  const name = first === 'metrics' ? path : first;
  return known.has(name) ? name : 'other';
}

/** @param nowMs of a clock that never goes back */
export function countRequests(
  handle: Handle,
  registry: Registry,
  nowMs: () => number = () => performance.now(),
): Handle {
  const registers = [registry];
  const total = new Counter({
    name: 'kubelet_http_requests_total',
    help: 'Requests to the node.',
    labelNames,
    registers,
  });
  const seconds = new Histogram({
    name: 'kubelet_http_requests_duration_seconds',
    help: 'How long requests to the node took until their answer began.',
    labelNames,
    buckets,
    registers,
  });
  const inFlight = new Gauge({
    name: 'kubelet_http_inflight_requests',
    help: 'Requests to the node that wait for their answer.',
    labelNames,
    registers,
  });
  return async (exchange) => {
    const path = requestPath(exchange.target);
    const labels = {
      long_running: String(longRunning.has(path)),
      method: methods.has(exchange.method) ? exchange.method : 'other',
      path,
      server_type: 'readwrite',
    };
    const begunAt = nowMs();
    total.inc(labels);
    inFlight.inc(labels);
    try {
      return await handle(exchange);
    } finally {
      inFlight.dec(labels);
      seconds.observe(labels, (nowMs() - begunAt) / 1000);
    }
  };
}
