/** Constraints of topology spread, read for one pod. */
import type { Node, Pod, TopologySpreadConstraint } from '../../../api/gen/types/core-v1.ts';
import { matchesLabels, nothing, type Requirements, requirementsOf } from '../../../machinery/label-selector.ts';
import type { NodePredicate } from '../../../api/core/nodes/node-selector.ts';
import { requiredNodePredicate } from '../../../api/core/nodes/node-selector.ts';
import { untoleratedTaint } from '../../../api/core/nodes/taints.ts';

export interface SpreadConstraint {
  readonly maxSkew: number;
  readonly topologyKey: string;
  readonly selector: Requirements;
  readonly minDomains: number;
  /** Whether nodes count that the pod's node affinity leaves out, or whose taints it does not tolerate. */
  readonly honorsAffinity: boolean;
  readonly honorsTaints: boolean;
}

export type UnsatisfiableAction = 'DoNotSchedule' | 'ScheduleAnyway';

/** Of one kind. Throws a SelectorError for what the API would have refused. */
export function readConstraints(
  pod: Pod,
  constraints: readonly TopologySpreadConstraint[],
  action: UnsatisfiableAction,
): SpreadConstraint[] {
  return constraints
    .filter(({ whenUnsatisfiable }) => whenUnsatisfiable === action)
    .map((constraint) => ({
      maxSkew: constraint.maxSkew ?? 1,
      topologyKey: constraint.topologyKey ?? '',
      selector: withPodLabels(requirementsOf(constraint.labelSelector), constraint.matchLabelKeys ?? [], pod),
      minDomains: constraint.minDomains ?? 1,
      honorsAffinity: constraint.nodeAffinityPolicy !== 'Ignore',
      honorsTaints: constraint.nodeTaintsPolicy === 'Honor',
    }));
}

/** @see {@link https://kep.k8s.io/3243 | KEP-3243}: the selector takes the pod's own values of these labels. */
function withPodLabels(selector: Requirements, keys: readonly string[], { metadata }: Pod): Requirements {
  if (selector === nothing || keys.length === 0) return selector;
  const own = keys.flatMap((key) => {
    const value = metadata.labels?.[key];
    return value === undefined ? [] : [{ key, operator: 'in' as const, values: [value] }];
  });
  return [...selector, ...own];
}

export const valueOf = ({ metadata }: Node, topologyKey: string): string | undefined => {
  const value = metadata.labels?.[topologyKey];
  return typeof value === 'string' ? value : undefined;
};

export function hasAllKeys(node: Node, constraints: readonly SpreadConstraint[]): boolean {
  for (let i = 0; i < constraints.length; i++)
    if (valueOf(node, constraints[i]!.topologyKey) === undefined) return false;
  return true;
}

export const matchesSelf = ({ selector }: SpreadConstraint, { metadata }: Pod): boolean =>
  matchesLabels(selector, metadata.labels ?? {});

/** Whether pods on the node count for a constraint. */
export class NodeInclusion {
  readonly #pod: Pod;
  readonly #required: NodePredicate | undefined;

  constructor(pod: Pod) {
    this.#pod = pod;
    this.#required = requiredNodePredicate(pod.spec);
  }

  counts(node: Node, { honorsAffinity, honorsTaints }: SpreadConstraint): boolean {
    if (honorsAffinity && this.#required?.(node) === false) return false;
    return !honorsTaints || untoleratedTaint(node.spec.taints, this.#pod.spec.tolerations) === undefined;
  }
}
