/** How cluster IPs and node ports are given out, and what the repair of their ranges found. */
import { Counter, Gauge, type Registry } from 'prom-client';
import type { AllocationObserver, RangeUsage } from '../../registry/core/services/allocation/observer.ts';
import { type HistogramSeries, SeriesHistogram } from '../../server/metrics/series-histogram.ts';

const buckets = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

export function createAllocationMetrics(registry: Registry): AllocationObserver {
  const registers = [registry];
  const counter = (name: string, help: string, labelNames: string[]): Counter =>
    new Counter({ name, help, labelNames, registers });
  const ips = {
    all: counter('kube_apiserver_clusterip_allocator_allocation_total', 'Cluster IPs that were asked for.', [
      'cidr',
      'scope',
    ]),
    failed: counter(
      'kube_apiserver_clusterip_allocator_allocation_errors_total',
      'Cluster IPs that were asked for and could not be had.',
      ['cidr', 'scope'],
    ),
    found: counter('apiserver_clusterip_repair_ip_errors_total', 'What the repair of cluster IPs found, by type.', [
      'type',
    ]),
    repairFailed: counter(
      'apiserver_clusterip_repair_reconcile_errors_total',
      'Repairs of cluster IPs that failed.',
      [],
    ),
  };
  const ports = {
    all: counter('kube_apiserver_nodeport_allocator_allocation_total', 'Node ports that were asked for.', ['scope']),
    failed: counter(
      'kube_apiserver_nodeport_allocator_allocation_errors_total',
      'Node ports that were asked for and could not be had.',
      ['scope'],
    ),
    found: counter('apiserver_nodeport_repair_port_errors_total', 'What the repair of node ports found, by type.', [
      'type',
    ]),
    repairFailed: counter('apiserver_nodeport_repair_reconcile_errors_total', 'Repairs of node ports that failed.', []),
  };
  const durations = new SeriesHistogram({
    name: 'kube_apiserver_clusterip_allocator_allocation_duration_seconds',
    help: 'Time it took to get a cluster IP, in seconds.',
    buckets,
    registry,
  });
  const series = new Map<string, HistogramSeries>();
  const durationOf = (cidr: string): HistogramSeries => {
    let known = series.get(cidr);
    if (known === undefined) series.set(cidr, (known = durations.series({ cidr })));
    return known;
  };
  return {
    asked({ kind, text }, scope, failed, milliseconds) {
      const labels = kind === 'clusterIp' ? { cidr: text, scope } : { scope };
      const { all, failed: failures } = kind === 'clusterIp' ? ips : ports;
      (failed ? failures : all).inc(labels);
      if (kind === 'clusterIp' && !failed) durationOf(text).observe(milliseconds / 1000);
    },
    found: ({ kind }, { type }) => (kind === 'clusterIp' ? ips : ports).found.inc({ type }),
    repairFailed: ({ kind }) => (kind === 'clusterIp' ? ips : ports).repairFailed.inc(),
  };
}

/** Shows how full the ranges are, which are asked when the metrics are. */
export function showRangeUsage(registry: Registry, ranges: { usage(): readonly RangeUsage[] }): void {
  const gauge = (name: string, help: string, kind: RangeUsage['kind'], amount: 'taken' | 'free'): Gauge =>
    new Gauge({
      name,
      help,
      labelNames: kind === 'clusterIp' ? ['cidr'] : [],
      registers: [registry],
      collect() {
        for (const range of ranges.usage())
          if (range.kind === kind) this.set(kind === 'clusterIp' ? { cidr: range.text } : {}, range[amount]);
      },
    });
  gauge('kube_apiserver_clusterip_allocator_allocated_ips', 'Cluster IPs that are taken.', 'clusterIp', 'taken');
  gauge('kube_apiserver_clusterip_allocator_available_ips', 'Cluster IPs that are free.', 'clusterIp', 'free');
  gauge('kube_apiserver_nodeport_allocator_allocated_ports', 'Node ports that are taken.', 'nodePort', 'taken');
  gauge('kube_apiserver_nodeport_allocator_available_ports', 'Node ports that are free.', 'nodePort', 'free');
}
