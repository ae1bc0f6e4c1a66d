/** The pods of a DaemonSet: made for one node, which the scheduler binds them to. */
import type { DaemonSet } from '../../api/gen/types/apps-v1.ts';
import type { Affinity, Pod, PodSpec, PodTemplateSpec, Toleration } from '../../api/gen/types/core-v1.ts';
import { podRevisionLabel } from '../shared/controller-revisions.ts';

const generationAnnotation = 'deprecated.daemonset.template.generation';
const generationLabel = 'pod-template-generation';
const nodeNameField = 'metadata.name';

const taint = (name: string, effect: 'NoSchedule' | 'NoExecute'): Toleration => ({
  key: `node.kubernetes.io/${name}`,
  operator: 'Exists',
  effect,
});

const everywhere: readonly Toleration[] = [
  taint('not-ready', 'NoExecute'),
  taint('unreachable', 'NoExecute'),
  taint('disk-pressure', 'NoSchedule'),
  taint('memory-pressure', 'NoSchedule'),
  taint('pid-pressure', 'NoSchedule'),
  taint('unschedulable', 'NoSchedule'),
];
/** What sets up the network of a node cannot wait for it. */
const beforeNetwork: readonly Toleration[] = [...everywhere, taint('network-unavailable', 'NoSchedule')];

/**
 * Those of the template, and those that each daemon pod has.
 * @see {@link
 *   https://kubernetes.io/docs/concepts/workloads/controllers/daemonset/#taints-and-tolerations |
 *   Taints and tolerations}
 */
export function daemonTolerations({ hostNetwork = false, tolerations = [] }: PodSpec): Toleration[] {
  const always = hostNetwork ? beforeNetwork : everywhere;
  const isSame = (a: Toleration, b: Toleration): boolean =>
    a.key === b.key && a.operator === b.operator && a.effect === b.effect && (a.value ?? '') === (b.value ?? '');
  const own = tolerations.map((toleration) => always.find((each) => isSame(each, toleration)) ?? toleration);
  return [...own, ...always.filter((each) => !own.includes(each))];
}

/** Counts the changes of the template; older than revisions. Undefined when it is missing, or no number. */
export function generationOf({ metadata }: DaemonSet): string | undefined {
  const text = metadata.annotations?.[generationAnnotation] ?? '';
  return /^[+-]?\d{1,18}$/.test(text) ? String(Number(text)) : undefined;
}

/** Whether the pod has the template of now. @param hash of the revision with that template */
export function isUpdated({ metadata }: Pod, hash: string, generation: string | undefined): boolean {
  const { labels } = metadata;
  return labels?.[podRevisionLabel] === hash || (generation !== undefined && labels?.[generationLabel] === generation);
}

export function daemonTemplate(set: DaemonSet, hash: string): (node: string) => PodTemplateSpec {
  const { metadata, spec } = set.spec.template;
  const generation = generationOf(set);
  const labels = {
    ...metadata.labels,
    ...(generation === undefined ? {} : { [generationLabel]: generation }),
    [podRevisionLabel]: hash,
  };
  const tolerations = daemonTolerations(spec);
  return (node) => ({
    metadata: { ...metadata, labels },
    spec: { ...spec, tolerations, affinity: pinned(spec.affinity, node) },
  });
}

/** The affinity of the template has decided already: the node takes the place of what it requires. */
function pinned(affinity: Affinity | undefined, node: string): Affinity {
  const terms = [{ matchFields: [{ key: nodeNameField, operator: 'In' as const, values: [node] }] }];
  return {
    ...affinity,
    nodeAffinity: {
      ...affinity?.nodeAffinity,
      requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: terms },
    },
  };
}

/** The node of a pod, or the one that it was made for; undefined for one that was made for none. */
export function targetNodeOf({ spec }: Pod): string | undefined {
  const { nodeName = '', affinity } = spec;
  if (nodeName !== '') return nodeName;
  const required = affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution;
  for (const { matchFields = [] } of required?.nodeSelectorTerms ?? [])
    for (const { key, operator, values = [] } of matchFields)
      if (key === nodeNameField && operator === 'In' && values.length === 1) return values[0];
  return undefined;
}
