/**
 * What each pod asks for and may use, as the scheduler counts it: the page `/metrics/resources`. With tens of thousands
 * of pods it has hundreds of thousands of lines, so it is made piece by piece, and not kept.
 *
 * @see {@link https://kep.k8s.io/1748 | KEP-1748}
 */
import type { Pod } from '../api/gen/types/core-v1.ts';
import { podLimits, podRequests, type ResourceSums } from '../api/core/pods/pod-requests.ts';
import { isHugePageName } from '../api/core/resources/resource-names.ts';
import { CooperativeScheduler } from '../machinery/cooperative-scheduling.ts';
import { requestOptions } from './state/pod-info.ts';

interface PodMetric {
  readonly name: string;
  readonly help: string;
  readonly sums: (pod: Pod) => ResourceSums;
}

/** In the order of the page. */
const metrics: readonly PodMetric[] = [
  {
    name: 'kube_pod_resource_limit',
    help: '[STABLE] What pods may use of a resource, as scheduler and node agent count it, with its unit.',
    sums: (pod) => podLimits(pod, requestOptions),
  },
  {
    name: 'kube_pod_resource_request',
    help: '[STABLE] What pods ask for of a resource, as scheduler and node agent count it, with its unit.',
    sums: (pod) => podRequests(pod, requestOptions),
  },
];

const podsPerPiece = 100;

/**
 * The text of the page, piece by piece. Between pieces the event loop runs.
 *
 * @param pods as they were when the page was asked for
 * @param shows whether a metric of this name can be seen
 */
export async function* podResourceMetrics(
  pods: readonly Pod[],
  shows: (name: string) => boolean = () => true,
): AsyncGenerator<string> {
  const turns = new CooperativeScheduler();
  for (const metric of metrics) {
    if (!shows(metric.name)) continue;
    let text = `# HELP ${metric.name} ${metric.help}\n# TYPE ${metric.name} gauge\n`;
    for (let i = 0; i < pods.length; i++) {
      text += linesOf(metric, pods[i]!);
      if (i % podsPerPiece !== podsPerPiece - 1) continue;
      yield text;
      text = '';
      await turns.next();
    }
    yield text;
  }
}

function linesOf({ name, sums }: PodMetric, pod: Pod): string {
  const { metadata, spec, status } = pod;
  if (status?.phase === 'Succeeded' || status?.phase === 'Failed') return '';
  const of = { namespace: metadata.namespace ?? '', node: spec.nodeName ?? '', pod: metadata.name ?? '' };
  const priority = spec.priority === undefined ? '' : String(spec.priority);
  const scheduler = spec.schedulerName ?? '';
  let text = '';
  for (const [resource, amount] of [...sums(pod)].sort(([a], [b]) => (a < b ? -1 : 1))) {
    if (amount.isZero()) continue;
    const series = labels({ ...of, priority, resource, scheduler, unit: unitOf(resource) });
    text += `${name}{${series}} ${amount.toNumber()}\n`;
  }
  return text;
}

const labels = (values: Readonly<Record<string, string>>): string =>
  Object.entries(values)
    .map(([label, value]) => `${label}="${escaped(value)}"`)
    .join();

/** @see {@link https://prometheus.io/docs/instrumenting/exposition_formats/ | Exposition formats} */
const escaped = (value: string): string =>
  /["\\\n]/.test(value) ? value.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n') : value;

/** Extended resources have no unit. */
function unitOf(resource: string): string {
  if (resource === 'cpu') return 'cores';
  if (resource === 'memory' || resource === 'storage' || resource === 'ephemeral-storage') return 'bytes';
  if (isHugePageName(resource)) return 'bytes';
  return resource.startsWith('attachable-volumes-') ? 'integer' : '';
}
