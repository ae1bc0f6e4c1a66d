/** Which pods are to be deleted because no kubelet will do it, or because there are too many that are over. */
import type { Node, Pod, PodCondition } from '../../api/gen/types/core-v1.ts';
import { isPodTerminal } from '../../api/core/pods/is-terminal.ts';
import { isPodTerminating, podCondition } from '../shared/pod-conditions.ts';
import { formatMs } from '../shared/times.ts';

/** As metrics call them. */
export type Reason = 'terminated' | 'out-of-service' | 'orphaned' | 'unscheduled';

export interface PodsAndNodes {
  readonly pods: readonly Pod[];
  readonly nodeOf: (name: string) => Node | undefined;
  /** Nodes that the server does not know either. */
  readonly goneNodes: ReadonlySet<string>;
  /** Pods that are over and stay; all when it is not positive. */
  readonly threshold: number;
}

/** Each pod once, in the order in which they are deleted. */
export function podsToDelete({ pods, nodeOf, goneNodes, threshold }: PodsAndNodes): ReadonlyMap<Pod, Reason> {
  const found = new Map<Pod, Reason>();
  const add = (reason: Reason, some: readonly Pod[]): void => {
    for (const pod of some) if (!found.has(pod)) found.set(pod, reason);
  };
  if (threshold > 0) add('terminated', beyond(pods.filter(isPodTerminal), threshold));
  const isOut = (pod: Pod): boolean => isPodTerminating(pod) && isOutOfService(nodeOf(pod.spec.nodeName ?? ''));
  add('out-of-service', pods.filter(isOut));
  add(
    'orphaned',
    pods.filter(({ spec }) => goneNodes.has(spec.nodeName ?? '')),
  );
  add(
    'unscheduled',
    pods.filter((pod) => isPodTerminating(pod) && (pod.spec.nodeName ?? '') === ''),
  );
  return found;
}

/** Those that were evicted first, then the oldest. */
function beyond(terminal: readonly Pod[], threshold: number): readonly Pod[] {
  if (terminal.length <= threshold) return [];
  const keyOf = ({ metadata, status }: Pod): string =>
    [status?.reason === 'Evicted' ? '0' : '1', metadata.creationTimestamp, metadata.name].join(' ');
  const keyed = terminal.map((pod) => ({ pod, key: keyOf(pod) }));
  keyed.sort((a, b) => (a.key < b.key ? -1 : 1));
  return keyed.slice(0, terminal.length - threshold).map(({ pod }) => pod);
}

const outOfServiceTaint = 'node.kubernetes.io/out-of-service';

const isOutOfService = (node: Node | undefined): boolean =>
  node !== undefined &&
  node.status?.conditions?.find(({ type }) => type === 'Ready')?.status !== 'True' &&
  (node.spec?.taints?.some(({ key }) => key === outOfServiceTaint) ?? false);

/** Names of nodes that pods are on, of which nothing is known. */
export function missingNodes(pods: readonly Pod[], isKnown: (node: string) => boolean): ReadonlySet<string> {
  const missing = new Set<string>();
  for (const { spec } of pods) {
    const { nodeName = '' } = spec;
    if (nodeName !== '' && !missing.has(nodeName) && !isKnown(nodeName)) missing.add(nodeName);
  }
  return missing;
}

/** What tells why the pod is disrupted. */
const orphanedCondition = { reason: 'DeletionByPodGC', message: 'PodGC: node no longer exists' };

/**
 * A strategic merge patch of the pod's status: the pod failed. Undefined for one that is over already.
 * @param nowMs since 1970
 */
export function failurePatch(pod: Pod, reason: Reason, nowMs: number): object | undefined {
  if (isPodTerminal(pod)) return undefined;
  const conditions = reason === 'orphaned' ? { conditions: [disrupted(pod, nowMs)] } : {};
  return { metadata: { uid: pod.metadata.uid }, status: { phase: 'Failed', ...conditions } };
}

function disrupted(pod: Pod, nowMs: number): PodCondition {
  const before = podCondition(pod, 'DisruptionTarget');
  const since = before?.status === 'True' ? before.lastTransitionTime : undefined;
  return {
    type: 'DisruptionTarget',
    status: 'True',
    ...orphanedCondition,
    lastTransitionTime: since ?? formatMs(nowMs),
  };
}
