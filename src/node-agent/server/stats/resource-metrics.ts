/** `/metrics/resource`: CPU and memory of node, pods and containers, small enough to be asked often. */
import { Exposition, type Family } from './exposition.ts';
import type { Summary, Used } from './summary.ts';

const families = {
  containerCpu: { name: 'container_cpu_usage_seconds_total', help: 'CPU time of the container.', type: 'counter' },
  containerMemory: { name: 'container_memory_working_set_bytes', help: 'Working set of the container.', type: 'gauge' },
  containerStart: { name: 'container_start_time_seconds', help: 'When the container was started.', type: 'gauge' },
  containerSwap: { name: 'container_swap_usage_bytes', help: 'Swap of the container.', type: 'gauge' },
  nodeCpu: { name: 'node_cpu_usage_seconds_total', help: 'CPU time of the node.', type: 'counter' },
  nodeMemory: { name: 'node_memory_working_set_bytes', help: 'Working set of the node.', type: 'gauge' },
  nodeSwap: { name: 'node_swap_usage_bytes', help: 'Swap of the node.', type: 'gauge' },
  podCpu: { name: 'pod_cpu_usage_seconds_total', help: 'CPU time of the pod.', type: 'counter' },
  podMemory: { name: 'pod_memory_working_set_bytes', help: 'Working set of the pod.', type: 'gauge' },
  podSwap: { name: 'pod_swap_usage_bytes', help: 'Swap of the pod.', type: 'gauge' },
  error: { name: 'resource_scrape_error', help: '1 if the figures could not be read.', type: 'gauge' },
} as const satisfies Readonly<Record<string, Family>>;

/** In the text format of Prometheus. @param summary undefined: it could not be read */
export function resourceMetrics(summary: Summary | undefined): string {
  const out = new Exposition();
  if (summary !== undefined) {
    out.add(families.nodeCpu, {}, seconds(summary.node));
    out.add(families.nodeMemory, {}, summary.node.memory?.workingSetBytes);
    out.add(families.nodeSwap, {}, swapOf(summary.node));
    for (const { podRef, containers, ...used } of summary.pods) {
      const pod = { namespace: podRef.namespace, pod: podRef.name };
      out.add(families.podCpu, pod, seconds(used));
      out.add(families.podMemory, pod, used.memory?.workingSetBytes);
      out.add(families.podSwap, pod, swapOf(used));
      for (const container of containers) {
        const labels = { container: container.name, ...pod };
        out.add(families.containerCpu, labels, seconds(container));
        out.add(families.containerMemory, labels, container.memory?.workingSetBytes);
        const started = Date.parse(container.startTime ?? '');
        out.add(families.containerStart, labels, Number.isNaN(started) ? undefined : started / 1000);
        out.add(families.containerSwap, labels, swapOf(container));
      }
    }
  }
  out.add(families.error, {}, summary === undefined ? 1 : 0);
  return out.text();
}

const seconds = ({ cpu }: Used): number | undefined => (cpu === undefined ? undefined : cpu.usageCoreNanoSeconds / 1e9);

/** Of a machine without swap nothing is told. */
const swapOf = ({ swap }: Used): number | undefined =>
  swap === undefined || swap.swapUsageBytes + (swap.swapAvailableBytes ?? 0) === 0 ? undefined : swap.swapUsageBytes;
