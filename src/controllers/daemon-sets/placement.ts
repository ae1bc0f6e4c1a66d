/**
 * On which nodes a DaemonSet has pods.
 * @see {@link
 *   https://kubernetes.io/docs/concepts/workloads/controllers/daemonset/#how-daemon-pods-are-scheduled |
 *   How daemon pods are scheduled}
 */
import type { DaemonSet } from '../../api/gen/types/apps-v1.ts';
import type { Node, PodTemplateSpec } from '../../api/gen/types/core-v1.ts';
import { requiredNodePredicate } from '../../api/core/nodes/node-selector.ts';
import { toleratesTaint, untoleratedTaint } from '../../api/core/nodes/taints.ts';
import { isEqual } from '../../machinery/equal.ts';
import { daemonTolerations } from './daemon-pod.ts';

/** `keep`: a pod that is there may stay, but none is made. */
export type Placement = 'run' | 'keep' | 'none';
export type Placements = (node: Node) => Placement;

/** Objects of informers are never changed: what was found for one holds as long as there is that object. */
const known = new WeakMap<PodTemplateSpec, Placements>();

export function placementsOf({ spec }: DaemonSet): Placements {
  const { template } = spec;
  let placements = known.get(template);
  if (placements === undefined) known.set(template, (placements = remembered(decider(template))));
  return placements;
}

function remembered(decide: Placements): Placements {
  const decided = new WeakMap<Node, Placement>();
  return (node) => {
    let placement = decided.get(node);
    if (placement === undefined) decided.set(node, (placement = decide(node)));
    return placement;
  };
}

function decider({ spec }: PodTemplateSpec): Placements {
  const { nodeName = '' } = spec;
  const matches = requiredNodePredicate(spec);
  const tolerations = daemonTolerations(spec);
  return (node) => {
    if (nodeName !== '' && nodeName !== node.metadata.name) return 'none';
    if (matches !== undefined && !matches(node)) return 'none';
    const { taints } = node.spec;
    if (untoleratedTaint(taints, tolerations) === undefined) return 'run';
    return taints!.some((taint) => taint.effect === 'NoExecute' && !toleratesTaint(tolerations, taint))
      ? 'none'
      : 'keep';
  };
}

/** Whether any DaemonSet can see the nodes differently: most of what nodes report makes no difference. */
export const mayBePlacedOtherwise = (before: Node, after: Node): boolean =>
  before !== after &&
  !(isEqual(before.metadata.labels, after.metadata.labels) && isEqual(before.spec.taints, after.spec.taints));
