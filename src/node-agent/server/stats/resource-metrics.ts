/** `/metrics/resource`: CPU and memory of node, pods and containers, small enough to be asked often. */
import type { Summary, Used } from './summary.ts';

interface Family {
  readonly name: string;
  readonly help: string;
  readonly type: 'counter' | 'gauge';
}

const families = {
  containerCpu: { name: 'container_cpu_usage_seconds_total', help: 'CPU time of the container.', type: 'counter' },
  containerMemory: { name: 'container_memory_working_set_bytes', help: 'Working set of the container.', type: 'gauge' },
  containerStart: { name: 'container_start_time_seconds', help: 'When the container was started.', type: 'gauge' },
  nodeCpu: { name: 'node_cpu_usage_seconds_total', help: 'CPU time of the node.', type: 'counter' },
  nodeMemory: { name: 'node_memory_working_set_bytes', help: 'Working set of the node.', type: 'gauge' },
  podCpu: { name: 'pod_cpu_usage_seconds_total', help: 'CPU time of the pod.', type: 'counter' },
  podMemory: { name: 'pod_memory_working_set_bytes', help: 'Working set of the pod.', type: 'gauge' },
  error: { name: 'resource_scrape_error', help: '1 if the figures could not be read.', type: 'gauge' },
} as const satisfies Readonly<Record<string, Family>>;

/** In the text format of Prometheus. @param summary undefined: it could not be read */
export function resourceMetrics(summary: Summary | undefined): string {
  const samples = new Map<Family, string[]>(Object.values(families).map((family) => [family, []]));
  const add = (family: Family, labels: Readonly<Record<string, string>>, value: number | undefined): void => {
    if (value !== undefined) samples.get(family)!.push(`${family.name}${labelText(labels)} ${value}`);
  };
  if (summary !== undefined) {
    add(families.nodeCpu, {}, seconds(summary.node));
    add(families.nodeMemory, {}, summary.node.memory?.workingSetBytes);
    for (const { podRef, containers, ...used } of summary.pods) {
      const pod = { namespace: podRef.namespace, pod: podRef.name };
      add(families.podCpu, pod, seconds(used));
      add(families.podMemory, pod, used.memory?.workingSetBytes);
      for (const container of containers) {
        const labels = { container: container.name, ...pod };
        add(families.containerCpu, labels, seconds(container));
        add(families.containerMemory, labels, container.memory?.workingSetBytes);
        const started = Date.parse(container.startTime ?? '');
        add(families.containerStart, labels, Number.isNaN(started) ? undefined : started / 1000);
      }
    }
  }
  add(families.error, {}, summary === undefined ? 1 : 0);
  return [...samples]
    .filter(([, lines]) => lines.length > 0)
    .map(([{ name, help, type }, lines]) => `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n${lines.join('\n')}\n`)
    .join('');
}

const seconds = ({ cpu }: Used): number | undefined => (cpu === undefined ? undefined : cpu.usageCoreNanoSeconds / 1e9);

/** Names of pods and containers have no character that would need an escape. */
function labelText(labels: Readonly<Record<string, string>>): string {
  const pairs = Object.entries(labels).map(([name, value]) => `${name}=${JSON.stringify(value)}`);
  return pairs.length === 0 ? '' : `{${pairs.join(',')}}`;
}
