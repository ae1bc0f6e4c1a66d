/** Constraints that must hold. */
import type { StateData } from '../../framework/cycle-state.ts';
import type { Answer } from '../../framework/plugin.ts';
import { unresolvable, unschedulable } from '../../framework/status.ts';
import { matchesLabels } from '../../../machinery/label-selector.ts';
import type { ClusterState } from '../../state/cluster-state.ts';
import type { MatchCounts } from '../../state/match-counts.ts';
import type { NodeInfo } from '../../state/node-info.ts';
import type { PodInfo } from '../../state/pod-info.ts';
import { hasAllKeys, matchesSelf, NodeInclusion, type SpreadConstraint, valueOf } from './constraints.ts';

export const name = 'PodTopologySpread';
const mismatch = unschedulable(name, "node(s) didn't match pod topology spread constraints");
const missingLabel = unresolvable(
  name,
  "node(s) didn't match pod topology spread constraints (missing required label)",
);

interface CountedConstraint {
  readonly constraint: SpreadConstraint;
  /** 1 when the pod itself counts. */
  readonly self: number;
  /** Matching pods by domain: by value of the label. */
  readonly domains: Map<string, number>;
  /** Of the domain with fewest; undefined when it is to be looked for again. */
  least: number | undefined;
}

export class SpreadCounts implements StateData {
  readonly #pod: PodInfo;
  readonly #inclusion: NodeInclusion;
  readonly #counted: readonly CountedConstraint[];
  readonly #constraints: readonly SpreadConstraint[];

  constructor(pod: PodInfo, inclusion: NodeInclusion, counted: readonly CountedConstraint[]) {
    this.#pod = pod;
    this.#inclusion = inclusion;
    this.#counted = counted;
    this.#constraints = counted.map(({ constraint }) => constraint);
  }

  clone(): SpreadCounts {
    const counted = this.#counted.map((each) => ({ ...each, domains: new Map(each.domains) }));
    return new SpreadCounts(this.#pod, this.#inclusion, counted);
  }

  /** Brings the counts to what they are with one pod more or less on the node. */
  change({ pod, namespace }: PodInfo, { node }: NodeInfo, change: 1 | -1): void {
    if (node === undefined || namespace !== this.#pod.namespace || !hasAllKeys(node, this.#constraints)) return;
    for (const counted of this.#counted) {
      const { constraint, domains } = counted;
      if (!matchesLabels(constraint.selector, pod.metadata.labels ?? {})) continue;
      if (!this.#inclusion.counts(node, constraint)) continue;
      const value = valueOf(node, constraint.topologyKey)!;
      domains.set(value, (domains.get(value) ?? 0) + change);
      counted.least = undefined;
    }
  }

  judge({ node }: NodeInfo): Answer {
    for (const counted of this.#counted) {
      const { constraint, domains, self } = counted;
      const value = valueOf(node!, constraint.topologyKey);
      if (value === undefined) return missingLabel;
      if ((domains.get(value) ?? 0) + self - leastOf(counted) > constraint.maxSkew) return mismatch;
    }
    return undefined;
  }
}

/** With too few domains the next one counts as there, and empty. */
function leastOf(counted: CountedConstraint): number {
  const { constraint, domains } = counted;
  if (domains.size < constraint.minDomains) return 0;
  if (counted.least === undefined) {
    counted.least = Infinity;
    for (const count of domains.values()) counted.least = Math.min(counted.least, count);
  }
  return counted.least;
}

export function countSpread(
  pod: PodInfo,
  constraints: readonly SpreadConstraint[],
  { cluster, counts }: { readonly cluster: ClusterState; readonly counts: MatchCounts },
): SpreadCounts {
  const { namespace } = pod;
  const inclusion = new NodeInclusion(pod.pod);
  const counted = constraints.map((constraint) => ({
    constraint,
    self: matchesSelf(constraint, pod.pod) ? 1 : 0,
    domains: new Map<string, number>(),
    least: undefined,
    byNode: counts.of({ namespace, selector: constraint.selector, withTerminating: false }),
  }));
  for (const info of cluster.nodes) {
    const node = info.node!;
    if (!hasAllKeys(node, constraints)) continue;
    for (const { constraint, domains, byNode } of counted) {
      if (!inclusion.counts(node, constraint)) continue;
      const value = valueOf(node, constraint.topologyKey)!;
      domains.set(value, (domains.get(value) ?? 0) + (byNode.get(info) ?? 0));
    }
  }
  return new SpreadCounts(pod, inclusion, counted);
}
