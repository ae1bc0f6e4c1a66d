/** Constraints that should hold: nodes in domains with few matching pods are better. */
import type { StateData } from '../../framework/cycle-state.ts';
import { maxNodeScore } from '../../framework/plugin.ts';
import type { MatchCounts } from '../../state/match-counts.ts';
import type { NodeInfo } from '../../state/node-info.ts';
import type { PodInfo } from '../../state/pod-info.ts';
import { hasAllKeys, NodeInclusion, type SpreadConstraint, valueOf } from './constraints.ts';

const hostnameLabel = 'kubernetes.io/hostname';

interface WeighedConstraint {
  readonly constraint: SpreadConstraint;
  /** The more domains, the less does one pod in one of them matter. */
  weight: number;
  readonly byNode: ReadonlyMap<NodeInfo, number>;
  /** Undefined where each node is a domain. */
  readonly domains: Map<string, number> | undefined;
}

export class SpreadScores implements StateData {
  readonly #weighed: readonly WeighedConstraint[];
  /** Nodes that lack a label of one that is needed. */
  readonly ignored: ReadonlySet<NodeInfo>;

  constructor(weighed: readonly WeighedConstraint[], ignored: ReadonlySet<NodeInfo>) {
    this.#weighed = weighed;
    this.ignored = ignored;
  }

  clone(): StateData {
    return this;
  }

  /** Less is better. */
  of(info: NodeInfo): number {
    if (this.ignored.has(info)) return 0;
    let score = 0;
    for (const { constraint, weight, byNode, domains } of this.#weighed) {
      const value = valueOf(info.node!, constraint.topologyKey);
      if (value === undefined) continue;
      const count = domains === undefined ? (byNode.get(info) ?? 0) : (domains.get(value) ?? 0);
      score += count * weight + (constraint.maxSkew - 1);
    }
    return Math.round(score);
  }
}

export interface SpreadScene {
  readonly allNodes: readonly NodeInfo[];
  /** Those that are scored. */
  readonly nodes: readonly NodeInfo[];
  readonly counts: MatchCounts;
  /** Whether nodes that lack one of the labels are left out. */
  readonly needsAllKeys: boolean;
}

export function weighSpread(pod: PodInfo, constraints: readonly SpreadConstraint[], scene: SpreadScene): SpreadScores {
  const { nodes, counts, needsAllKeys } = scene;
  const { namespace } = pod;
  const weighed = constraints.map((constraint) => ({
    constraint,
    weight: 0,
    byNode: counts.of({ namespace, selector: constraint.selector, withTerminating: false }),
    domains: constraint.topologyKey === hostnameLabel ? undefined : new Map<string, number>(),
  }));
  const ignored = new Set<NodeInfo>();
  for (const info of nodes) {
    if (needsAllKeys && !hasAllKeys(info.node!, constraints)) ignored.add(info);
    else
      for (const { constraint, domains } of weighed) domains?.set(valueOf(info.node!, constraint.topologyKey) ?? '', 0);
  }
  for (const each of weighed) each.weight = Math.log((each.domains?.size ?? nodes.length - ignored.size) + 2);
  countDomains(pod, weighed, scene);
  return new SpreadScores(weighed, ignored);
}

/** In domains of the nodes that are scored, matching pods of all nodes count. */
function countDomains(pod: PodInfo, weighed: readonly WeighedConstraint[], { needsAllKeys }: SpreadScene): void {
  const inclusion = new NodeInclusion(pod.pod);
  const constraints = weighed.map(({ constraint }) => constraint);
  for (const { constraint, domains, byNode } of weighed) {
    if (domains === undefined) continue;
    for (const [info, count] of byNode) {
      const { node } = info;
      if (node === undefined || (needsAllKeys && !hasAllKeys(node, constraints))) continue;
      const value = valueOf(node, constraint.topologyKey);
      const known = value === undefined ? undefined : domains.get(value);
      if (known !== undefined && inclusion.counts(node, constraint)) domains.set(value!, known + count);
    }
  }
}

/** The highest becomes the lowest. In place; ignored nodes are at 0. */
export function invert(scores: Float64Array, nodes: readonly NodeInfo[], ignored: ReadonlySet<NodeInfo>): void {
  let min = Infinity;
  let max = 0;
  for (let i = 0; i < scores.length; i++) {
    if (ignored.has(nodes[i]!)) continue;
    min = Math.min(min, scores[i]!);
    max = Math.max(max, scores[i]!);
  }
  for (let i = 0; i < scores.length; i++) {
    if (ignored.has(nodes[i]!)) scores[i] = 0;
    else scores[i] = max === 0 ? maxNodeScore : Math.floor((maxNodeScore * (max + min - scores[i]!)) / max);
  }
}
