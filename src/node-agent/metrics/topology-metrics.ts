/** How pods got what they ask for of NUMA nodes, by upstream's names. */
import { Counter, Histogram, type Registry } from 'prom-client';

export interface TopologyObserver {
  /** A pod has got what it asks for, or not. */
  judged(isRefused: boolean, ms: number): void;
  /** Resources lie together for sure: on one NUMA node, or on whole cores. */
  aligned(boundary: 'numa_node' | 'physical_cpu', scope: 'container' | 'pod'): void;
}

const msBuckets = Array.from({ length: 15 }, (_, index) => 0.05 * 2 ** index);

export function createTopologyMetrics(registry: Registry): TopologyObserver {
  const registers = [registry];
  const requests = new Counter({
    name: 'kubelet_topology_manager_admission_requests_total',
    help: 'Pods whose resources were chosen.',
    registers,
  });
  const errors = new Counter({
    name: 'kubelet_topology_manager_admission_errors_total',
    help: 'Pods that did not get their resources.',
    registers,
  });
  const duration = new Histogram({
    name: 'kubelet_topology_manager_admission_duration_ms',
    help: 'How long the choice of resources took, in milliseconds.',
    buckets: msBuckets,
    registers,
  });
  const aligned = new Counter({
    name: 'kubelet_container_aligned_compute_resources_count',
    help: 'Containers and pods whose resources lie together for sure.',
    labelNames: ['boundary', 'scope'],
    registers,
  });
  return {
    judged(isRefused, ms) {
      requests.inc();
      if (isRefused) errors.inc();
      duration.observe(ms);
    },
    aligned: (boundary, scope) => aligned.inc({ boundary, scope }),
  };
}
