/**
 * How the clients of a process come to their connections. What is returned is the observer of
 * `client/connection-observer.ts`; that package is not seen from here.
 */
import type { Registry } from 'prom-client';
import { SeriesCounter } from './series-counter.ts';
import { SeriesGauge } from './series-gauge.ts';
import { type HistogramSeries, SeriesHistogram } from './series-histogram.ts';

export interface ConnectionMetrics {
  resolved(host: string, ms: number): void;
  opened(): void;
  shared(): void;
  closed(): void;
}

const buckets = [0.005, 0.025, 0.1, 0.25, 0.5, 1, 2, 4, 8, 15, 30];
/** Hosts are named by objects of the API: of more than these the others are counted together. */
const maxHosts = 1000;
const otherHost = 'other';

export function createConnectionMetrics(registry: Registry): ConnectionMetrics {
  const lookups = new SeriesHistogram({
    name: 'rest_client_dns_resolution_duration_seconds',
    help: 'Time in which the name of a server was looked up, in seconds, by host.',
    buckets,
    registry,
  });
  const entries = new SeriesGauge({
    name: 'rest_client_transport_cache_entries',
    help: 'Sets of connections that clients can share.',
    registry,
  }).series({});
  const asked = new SeriesCounter({
    name: 'rest_client_transport_create_calls_total',
    help: 'How often a client asked for connections, by whether there were such: hit, miss.',
    registry,
  });
  const byHost = new Map<string, HistogramSeries>();
  const seriesOf = (host: string): HistogramSeries => {
    const name = byHost.has(host) || byHost.size < maxHosts ? host : otherHost;
    let series = byHost.get(name);
    if (series === undefined) byHost.set(name, (series = lookups.series({ host: name })));
    return series;
  };
  return {
    resolved: (host, ms) => seriesOf(host).observe(ms / 1000),
    opened() {
      entries.add(1);
      asked.series({ result: 'miss' }).inc();
    },
    shared: () => asked.series({ result: 'hit' }).inc(),
    closed: () => entries.add(-1),
  };
}
