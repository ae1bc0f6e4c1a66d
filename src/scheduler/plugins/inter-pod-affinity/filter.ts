/** Required affinity and anti-affinity between a pod and those that are there, both ways. */
import type { StateData } from '../../framework/cycle-state.ts';
import type { Answer } from '../../framework/plugin.ts';
import { unresolvable, unschedulable } from '../../framework/status.ts';
import { type AffinityTerm, matchesPod, type NamespaceLabels } from '../../state/affinity-term.ts';
import type { NodeInfo } from '../../state/node-info.ts';
import type { PodInfo } from '../../state/pod-info.ts';
import { TopologyCounts } from '../../state/topology-counts.ts';
import { type TermScene, visitMatching } from './terms.ts';

export const name = 'InterPodAffinity';
const affinityMismatch = unresolvable(name, "node(s) didn't match pod affinity rules");
const antiAffinityMismatch = unschedulable(name, "node(s) didn't match pod anti-affinity rules");
const existingMismatch = unschedulable(name, "node(s) didn't satisfy existing pods anti-affinity rules");

/** How many terms hold in each topology. */
export class AffinityCounts implements StateData {
  /** Terms of pods that are there and do not want this one beside them. */
  readonly existing: TopologyCounts;
  /** Pods that this one wants to be beside. */
  readonly affinity: TopologyCounts;
  /** Pods that it does not want beside it. */
  readonly antiAffinity: TopologyCounts;

  constructor(existing = new TopologyCounts(), affinity = new TopologyCounts(), antiAffinity = new TopologyCounts()) {
    this.existing = existing;
    this.affinity = affinity;
    this.antiAffinity = antiAffinity;
  }

  clone(): AffinityCounts {
    return new AffinityCounts(this.existing.clone(), this.affinity.clone(), this.antiAffinity.clone());
  }

  /** Brings the counts to what they are with one pod more or less on the node. */
  change(pod: PodInfo, other: PodInfo, { node }: NodeInfo, change: 1 | -1, namespaceLabels: NamespaceLabels): void {
    if (node === undefined) return;
    for (const term of other.requiredAntiAffinity)
      if (matchesPod(term, pod.pod, namespaceLabels)) this.existing.add(node, term.topologyKey, change);
    if (pod.requiredAffinity.length > 0 && matchesAll(pod.requiredAffinity, other, namespaceLabels))
      for (const { topologyKey } of pod.requiredAffinity) this.affinity.add(node, topologyKey, change);
    for (const term of pod.requiredAntiAffinity)
      if (matchesPod(term, other.pod, namespaceLabels)) this.antiAffinity.add(node, term.topologyKey, change);
  }
}

const matchesAll = (terms: readonly AffinityTerm[], { pod }: PodInfo, namespaceLabels: NamespaceLabels): boolean =>
  terms.every((term) => matchesPod(term, pod, namespaceLabels));

export function countAffinity(pod: PodInfo, scene: TermScene): AffinityCounts {
  const counts = new AffinityCounts();
  for (const { node, podsWithRequiredAntiAffinity } of scene.cluster.nodesWithRequiredAntiAffinity) {
    if (node === undefined) continue;
    for (const { requiredAntiAffinity } of podsWithRequiredAntiAffinity.values())
      for (const term of requiredAntiAffinity)
        if (matchesPod(term, pod.pod, scene.namespaceLabels)) counts.existing.add(node, term.topologyKey, 1);
  }
  if (pod.requiredAffinity.length > 0)
    visitMatching(pod.requiredAffinity, scene, ({ node }, pods) => {
      if (node !== undefined)
        for (const { topologyKey } of pod.requiredAffinity) counts.affinity.add(node, topologyKey, pods);
    });
  for (const term of pod.requiredAntiAffinity)
    visitMatching([term], scene, ({ node }, pods) => {
      if (node !== undefined) counts.antiAffinity.add(node, term.topologyKey, pods);
    });
  return counts;
}

/** Whether the counts can refuse a node. */
export const isWithoutTerms = (pod: PodInfo, { existing }: AffinityCounts): boolean =>
  existing.isEmpty && pod.requiredAffinity.length === 0 && pod.requiredAntiAffinity.length === 0;

export function judge(counts: AffinityCounts, pod: PodInfo, info: NodeInfo, namespaceLabels: NamespaceLabels): Answer {
  const node = info.node!;
  if (!hasAffinity(counts, pod, info, namespaceLabels)) return affinityMismatch;
  for (const { topologyKey } of pod.requiredAntiAffinity)
    if (counts.antiAffinity.on(node, topologyKey) > 0) return antiAffinityMismatch;
  return counts.existing.isEmpty || counts.existing.sumOn(node) === 0 ? undefined : existingMismatch;
}

/** The first pod of a group that wants to be together has none to be with: it may go anywhere. */
function hasAffinity(
  { affinity }: AffinityCounts,
  pod: PodInfo,
  { node }: NodeInfo,
  namespaceLabels: NamespaceLabels,
): boolean {
  const { requiredAffinity: terms } = pod;
  if (terms.length === 0) return true;
  if (!terms.every(({ topologyKey }) => typeof node!.metadata.labels?.[topologyKey] === 'string')) return false;
  if (terms.every(({ topologyKey }) => affinity.on(node!, topologyKey) > 0)) return true;
  return affinity.isEmpty && matchesAll(terms, pod, namespaceLabels);
}
