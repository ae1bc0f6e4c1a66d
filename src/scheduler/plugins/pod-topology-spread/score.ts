/** Constraints that should hold: nodes in domains with few matching pods are better. */
import type { Requirements } from '../../../machinery/label-selector.ts';
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
    if (this.ignored.size > 0 && this.ignored.has(info)) return 0;
    const weighed = this.#weighed;
    let score = 0;
    // By index: this runs for each node of each pod, and an iterator would be garbage each time.
    for (let i = 0; i < weighed.length; i++) {
      const { constraint, weight, byNode, domains } = weighed[i]!;
      const value = valueOf(info.node!, constraint.topologyKey);
      if (value === undefined) continue;
      const count = domains === undefined ? (byNode.get(info) ?? 0) : (domains.get(value) ?? 0);
      score += count * weight + (constraint.maxSkew - 1);
    }
    return Math.round(score);
  }
}

export interface SpreadScene {
  /** Those that are scored. */
  readonly nodes: readonly NodeInfo[];
  readonly counts: MatchCounts;
  /** Whether nodes that lack one of the labels are left out. */
  readonly needsAllKeys: boolean;
}

export function weighSpread(pod: PodInfo, constraints: readonly SpreadConstraint[], scene: SpreadScene): SpreadScores {
  const { nodes, counts, needsAllKeys } = scene;
  const { namespace } = pod;
  const bySelector = new Map<Requirements, WeighedConstraint['byNode']>();
  const countsOf = (selector: Requirements): WeighedConstraint['byNode'] => {
    // The defaults have one selector for all of them.
    let byNode = bySelector.get(selector);
    if (byNode === undefined)
      bySelector.set(selector, (byNode = counts.of({ namespace, selector, withTerminating: false })));
    return byNode;
  };
  const weighed = constraints.map((constraint) => ({
    constraint,
    weight: 0,
    byNode: countsOf(constraint.selector),
    domains: constraint.topologyKey === hostnameLabel ? undefined : new Map<string, number>(),
  }));
  const ignored = needsAllKeys ? new Set(nodes.filter(({ node }) => !hasAllKeys(node!, constraints))) : noneIgnored;
  const inclusion = new NodeInclusion(pod.pod);
  for (const each of weighed) {
    const { constraint, domains, byNode } = each;
    if (domains !== undefined) {
      addDomains(domains, constraint, nodes, ignored);
      countDomains(domains, { constraint, byNode, inclusion, needed: needsAllKeys ? constraints : [] });
    }
    each.weight = Math.log((domains?.size ?? nodes.length - ignored.size) + 2);
  }
  return new SpreadScores(weighed, ignored);
}

const noneIgnored: ReadonlySet<NodeInfo> = new Set();

/** The domains of the nodes that are scored; nodes without the label are one. */
function addDomains(
  domains: Map<string, number>,
  { topologyKey }: SpreadConstraint,
  nodes: readonly NodeInfo[],
  ignored: ReadonlySet<NodeInfo>,
): void {
  for (let i = 0; i < nodes.length; i++) {
    const info = nodes[i]!;
    if (ignored.size === 0 || !ignored.has(info)) domains.set(valueOf(info.node!, topologyKey) ?? '', 0);
  }
}

interface Counting {
  readonly constraint: SpreadConstraint;
  readonly byNode: ReadonlyMap<NodeInfo, number>;
  readonly inclusion: NodeInclusion;
  /** Nodes without the labels of these do not count. */
  readonly needed: readonly SpreadConstraint[];
}

/** In domains of the nodes that are scored, matching pods of all nodes count. */
function countDomains(domains: Map<string, number>, { constraint, byNode, inclusion, needed }: Counting): void {
  byNode.forEach((count, { node }) => {
    if (node === undefined || !hasAllKeys(node, needed)) return;
    const value = valueOf(node, constraint.topologyKey);
    const known = value === undefined ? undefined : domains.get(value);
    if (known !== undefined && inclusion.counts(node, constraint)) domains.set(value!, known + count);
  });
}

/** The highest becomes the lowest. In place; ignored nodes are at 0. */
export function invert(scores: Float64Array, nodes: readonly NodeInfo[], ignored: ReadonlySet<NodeInfo>): void {
  const isIgnored = (i: number): boolean => ignored.size > 0 && ignored.has(nodes[i]!);
  let min = Infinity;
  let max = 0;
  for (let i = 0; i < scores.length; i++) {
    if (isIgnored(i)) continue;
    min = Math.min(min, scores[i]!);
    max = Math.max(max, scores[i]!);
  }
  for (let i = 0; i < scores.length; i++) {
    if (isIgnored(i)) scores[i] = 0;
    else scores[i] = max === 0 ? maxNodeScore : Math.floor((maxNodeScore * (max + min - scores[i]!)) / max);
  }
}
