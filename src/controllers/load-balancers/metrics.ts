/** @see {@link https://kubernetes.io/docs/reference/instrumentation/metrics/ | Kubernetes metrics reference} */
import { Counter, Histogram } from 'prom-client';
import type { MetricRegistry } from '../../server/metrics/metric-registry.ts';
import { perRegistry } from '../shared/per-registry.ts';

/** One second to four and a half hours. */
const buckets = Array.from({ length: 15 }, (_, i) => 2 ** i);

export const loadBalancerMetrics = perRegistry((registry) => new LoadBalancerMetrics(registry));

export class LoadBalancerMetrics {
  readonly #syncs: Counter;
  readonly #nodeErrors: Counter;
  readonly #nodeSeconds: Histogram;
  readonly #hostSeconds: Histogram;

  constructor(registry: MetricRegistry) {
    const registers = [registry];
    this.#syncs = new Counter({
      name: 'service_controller_loadbalancer_sync_total',
      help: 'How often a load balancer was configured, for a change of its service or of nodes.',
      registers,
    });
    this.#nodeErrors = new Counter({
      name: 'service_controller_nodesync_error_total',
      help: 'Load balancers that could not be told of other nodes.',
      registers,
    });
    this.#nodeSeconds = new Histogram({
      name: 'service_controller_nodesync_latency_seconds',
      help: 'Time from a change of nodes until all load balancers were told of it, in seconds.',
      buckets,
      registers,
    });
    this.#hostSeconds = new Histogram({
      name: 'service_controller_update_loadbalancer_host_latency_seconds',
      help: 'Time in which one load balancer was told of other nodes, in seconds.',
      buckets,
      registers,
    });
  }

  configured(): void {
    this.#syncs.inc();
  }

  nodesFailed(): void {
    this.#nodeErrors.inc();
  }

  nodesTold(ms: number): void {
    this.#nodeSeconds.observe(ms / 1000);
  }

  hostsUpdated(ms: number): void {
    this.#hostSeconds.observe(ms / 1000);
  }
}
