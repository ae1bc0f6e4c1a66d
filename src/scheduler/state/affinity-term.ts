/** A term of affinity between pods, with its selectors read. */
import type { Pod, PodAffinityTerm } from '../../api/gen/types/core-v1.ts';
import {
  everything,
  matchesLabels,
  nothing,
  type Requirements,
  requirementsOf,
} from '../../machinery/label-selector.ts';

export interface AffinityTerm {
  readonly topologyKey: string;
  /** 0 where the term is required. */
  readonly weight: number;
  readonly namespaces: ReadonlySet<string>;
  readonly namespaceSelector: Requirements;
  readonly selector: Requirements;
}

export type Labels = Readonly<Record<string, string>> | undefined;
/** Labels of a namespace; none for one that is not known. */
export type NamespaceLabels = (namespace: string) => Labels;

/** Throws a SelectorError for what the API would have refused. */
export function affinityTerm(pod: Pod, term: PodAffinityTerm, weight = 0): AffinityTerm {
  const { topologyKey = '', namespaces = [], namespaceSelector, labelSelector } = term;
  const isLocal = namespaces.length === 0 && namespaceSelector === undefined;
  return {
    topologyKey,
    weight,
    namespaces: new Set(isLocal ? [pod.metadata.namespace ?? ''] : namespaces),
    namespaceSelector: requirementsOf(namespaceSelector),
    selector: requirementsOf(labelSelector),
  };
}

/** Whether the term is about this pod. */
export function matchesPod(term: AffinityTerm, { metadata }: Pod, namespaceLabels: NamespaceLabels): boolean {
  return (
    isNamespaceOf(term, metadata.namespace ?? '', namespaceLabels) && matchesLabels(term.selector, metadata.labels)
  );
}

function isNamespaceOf(
  { namespaces, namespaceSelector }: AffinityTerm,
  namespace: string,
  namespaceLabels: NamespaceLabels,
): boolean {
  if (namespaces.has(namespace) || namespaceSelector === everything) return true;
  return namespaceSelector !== nothing && matchesLabels(namespaceSelector, namespaceLabels(namespace) ?? {});
}
