/** What hollow nodes tell of themselves, under the names of the kubelet. Counted when it is asked for. */
import { Gauge } from 'prom-client';
import type { MetricRegistry } from '../../server/metrics/metric-registry.ts';
import { createWorkQueueMetrics, type WorkQueueMetrics } from '../../server/metrics/work-queue-metrics.ts';
import type { HollowNodes } from './hollow-nodes.ts';

export interface HollowMetrics {
  readonly queues: WorkQueueMetrics;
  show(nodes: Pick<HollowNodes, 'counts'>): void;
}

export function createHollowMetrics(registry: MetricRegistry): HollowMetrics {
  let shown: Pick<HollowNodes, 'counts'> | undefined;
  const registers = [registry];
  new Gauge({
    name: 'kubelet_running_pods',
    help: 'Pods of the nodes of this process that have a sandbox.',
    registers,
    collect() {
      this.set(shown?.counts().pods ?? 0);
    },
  });
  new Gauge({
    name: 'kubelet_running_containers',
    help: 'Containers of the nodes of this process, by state.',
    labelNames: ['container_state'],
    registers,
    collect() {
      for (const [state, count] of shown?.counts().containers ?? []) this.set({ container_state: state }, count);
    },
  });
  new Gauge({
    name: 'orch_hollow_nodes',
    help: 'Hollow nodes of this process, by what became of them: running, dead (silent), or gone (deleted).',
    labelNames: ['state'],
    registers,
    collect() {
      for (const [state, count] of shown?.counts().nodes ?? []) this.set({ state }, count);
    },
  });
  return { queues: createWorkQueueMetrics(registry), show: (nodes) => void (shown = nodes) };
}
