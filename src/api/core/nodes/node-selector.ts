/**
 * Terms that select nodes, read once for many nodes.
 * @see {@link https://kubernetes.io/docs/concepts/scheduling-eviction/assign-pod-node/#node-affinity | Node affinity}
 */
import type {
  Node,
  NodeSelector,
  NodeSelectorRequirement,
  NodeSelectorTerm,
  PodSpec,
} from '../../gen/types/core-v1.ts';
import { readInteger } from '../../../machinery/parse-integer.ts';

export type NodePredicate = (node: Node) => boolean;

const labelOf = ({ metadata }: Node, key: string): string | undefined => {
  const value = metadata.labels?.[key];
  return typeof value === 'string' ? value : undefined;
};

const fieldOf = ({ metadata }: Node, key: string): string | undefined =>
  key === 'metadata.name' ? metadata.name : undefined;

/** Any of the terms. */
export function nodeSelectorPredicate({ nodeSelectorTerms = [] }: NodeSelector): NodePredicate {
  const terms = nodeSelectorTerms.map(nodeTermPredicate);
  return (node) => terms.some((matches) => matches(node));
}

/** All requirements of the term. One without any matches nothing. */
export function nodeTermPredicate({ matchExpressions = [], matchFields = [] }: NodeSelectorTerm): NodePredicate {
  if (matchExpressions.length === 0 && matchFields.length === 0) return () => false;
  const all = [
    ...matchExpressions.map((requirement) => requirementPredicate(requirement, labelOf)),
    ...matchFields.map((requirement) => requirementPredicate(requirement, fieldOf)),
  ];
  return all.length === 1 ? all[0]! : (node) => all.every((matches) => matches(node));
}

type Reader = (node: Node, key: string) => string | undefined;

function requirementPredicate(
  { key = '', operator, values = [] }: NodeSelectorRequirement,
  valueOf: Reader,
): NodePredicate {
  const set = new Set(values);
  switch (operator) {
    case 'In':
      return (node) => isIn(set, valueOf(node, key));
    case 'NotIn':
      return (node) => !isIn(set, valueOf(node, key));
    case 'Exists':
      return (node) => valueOf(node, key) !== undefined;
    case 'DoesNotExist':
      return (node) => valueOf(node, key) === undefined;
    case 'Gt':
      return comparison(key, values, valueOf, (a, b) => a > b);
    case 'Lt':
      return comparison(key, values, valueOf, (a, b) => a < b);
    case undefined:
      return () => false;
  }
}

const isIn = (set: ReadonlySet<string>, value: string | undefined): boolean => value !== undefined && set.has(value);

function comparison(
  key: string,
  values: readonly string[],
  valueOf: Reader,
  holds: (a: bigint, b: bigint) => boolean,
): NodePredicate {
  const limit = readInteger(values[0] ?? '');
  return (node) => {
    const value = readInteger(valueOf(node, key) ?? '');
    return typeof value === 'bigint' && typeof limit === 'bigint' && holds(value, limit);
  };
}

/** What a pod requires of its node by `nodeSelector` and node affinity. Undefined when it requires nothing. */
export function requiredNodePredicate({ nodeSelector, affinity }: PodSpec): NodePredicate | undefined {
  const labels = Object.entries(nodeSelector ?? {});
  const required = affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution;
  const matchesTerms = required === undefined ? undefined : nodeSelectorPredicate(required);
  if (labels.length === 0) return matchesTerms;
  return (node) =>
    labels.every(([key, value]) => labelOf(node, key) === value) && (matchesTerms === undefined || matchesTerms(node));
}
