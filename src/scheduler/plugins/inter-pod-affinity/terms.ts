/** Which pods the terms of a pod are about, counted by the node that they are on. */
import { everything, matchesLabels, nothing, type Requirements } from '../../../machinery/label-selector.ts';
import type { AffinityTerm, NamespaceLabels } from '../../state/affinity-term.ts';
import type { ClusterState } from '../../state/cluster-state.ts';
import type { MatchCounts } from '../../state/match-counts.ts';
import type { NodeInfo } from '../../state/node-info.ts';

export interface TermScene {
  readonly cluster: ClusterState;
  readonly counts: MatchCounts;
  readonly namespaceLabels: NamespaceLabels;
}

/** Calls `visit` for each node with pods that match all of the terms. */
export function visitMatching(
  terms: readonly AffinityTerm[],
  { cluster, counts, namespaceLabels }: TermScene,
  visit: (node: NodeInfo, pods: number) => void,
): void {
  const selector = allOf(terms);
  if (selector === nothing) return;
  for (const namespace of namespacesOf(terms[0]!, cluster)) {
    if (!terms.every((term) => isIn(term, namespace, namespaceLabels))) continue;
    for (const [node, pods] of counts.of({ namespace, selector, withTerminating: true })) visit(node, pods);
  }
}

function allOf(terms: readonly AffinityTerm[]): Requirements {
  if (terms.length === 1) return terms[0]!.selector;
  return terms.some(({ selector }) => selector === nothing)
    ? nothing
    : terms.flatMap(({ selector }) => (selector === nothing ? [] : selector));
}

const namespacesOf = ({ namespaces, namespaceSelector }: AffinityTerm, cluster: ClusterState): Iterable<string> =>
  namespaceSelector === nothing ? namespaces : cluster.namespaces;

function isIn({ namespaces, namespaceSelector }: AffinityTerm, namespace: string, labels: NamespaceLabels): boolean {
  if (namespaces.has(namespace) || namespaceSelector === everything) return true;
  return namespaceSelector !== nothing && matchesLabels(namespaceSelector, labels(namespace) ?? {});
}
