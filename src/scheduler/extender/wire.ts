/**
 * What extenders are sent and answer, as JSON. Upstream reads members in any case: some extenders write `nodeNames`,
 * others `NodeNames`.
 * @see {@link https://kubernetes.io/docs/concepts/extend-kubernetes/#scheduling-extensions | Scheduling extensions}
 */
import type { PodInfo } from '../state/pod-info.ts';
import type { NodeInfo } from '../state/node-info.ts';

type Members = Readonly<Record<string, unknown>>;

const isObject = (value: unknown): value is Members =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** By name, whatever its case. */
export function member(value: unknown, name: string): unknown {
  if (!isObject(value)) return undefined;
  const found = Object.keys(value).find((key) => key.toLowerCase() === name.toLowerCase());
  return found === undefined ? undefined : (value[found] ?? undefined);
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');
const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

export const filterRequest = ({ pod }: PodInfo, nodes: readonly NodeInfo[], namesOnly: boolean): object => ({
  Pod: pod,
  Nodes: namesOnly ? null : { metadata: {}, items: nodes.map(({ node }) => node) },
  NodeNames: namesOnly ? nodes.map(({ name }) => name) : null,
});

export interface FilterAnswer {
  readonly nodeNames: ReadonlySet<string>;
  /** Why, by node. */
  readonly failed: ReadonlyMap<string, string>;
  readonly failedForGood: ReadonlyMap<string, string>;
}

/** Throws what the extender says went wrong. */
export function readFilterAnswer(answer: unknown, namesOnly: boolean): FilterAnswer {
  const error = textOf(member(answer, 'Error'));
  if (error !== '') throw new Error(error);
  const names = namesOnly
    ? listOf(member(answer, 'NodeNames')).map(textOf)
    : listOf(member(member(answer, 'Nodes'), 'items')).map((node) => textOf(member(member(node, 'metadata'), 'name')));
  return {
    nodeNames: new Set(names),
    failed: reasonsOf(member(answer, 'FailedNodes')),
    failedForGood: reasonsOf(member(answer, 'FailedAndUnresolvableNodes')),
  };
}

const reasonsOf = (value: unknown): ReadonlyMap<string, string> =>
  new Map(isObject(value) ? Object.entries(value).map(([node, reason]) => [node, textOf(reason)]) : []);

/** By node. */
export function readScores(answer: unknown): ReadonlyMap<string, number> {
  if (!Array.isArray(answer)) throw new Error('the answer is no list of scores');
  return new Map(answer.map((item) => [textOf(member(item, 'Host')), Number(member(item, 'Score') ?? 0)]));
}

export const bindRequest = ({ name, namespace, uid }: PodInfo, node: string): object => ({
  PodName: name,
  PodNamespace: namespace,
  PodUID: uid,
  Node: node,
});

/** Throws what the extender says went wrong. */
export function readBindAnswer(answer: unknown): void {
  const error = textOf(member(answer, 'Error'));
  if (error !== '') throw new Error(error);
}

export interface VictimsOnNode {
  readonly nodeName: string;
  readonly pods: readonly PodInfo[];
  readonly violations: number;
}

export function preemptRequest({ pod }: PodInfo, all: readonly VictimsOnNode[], namesOnly: boolean): object {
  const victims = all.map(({ nodeName, pods, violations }) => [
    nodeName,
    { Pods: pods.map((victim) => (namesOnly ? { UID: victim.uid } : victim.pod)), NumPDBViolations: violations },
  ]);
  return {
    Pod: pod,
    [namesOnly ? 'NodeNameToMetaVictims' : 'NodeNameToVictims']: Object.fromEntries(victims) as object,
  };
}

/** The uids of the victims, by node. */
export function readPreemptAnswer(
  answer: unknown,
): ReadonlyMap<string, { readonly uids: readonly string[]; readonly violations: number }> {
  const victims = member(answer, 'NodeNameToMetaVictims');
  if (!isObject(victims)) return new Map();
  return new Map(
    Object.entries(victims).map(([node, value]) => [
      node,
      {
        uids: listOf(member(value, 'Pods')).map((pod) => textOf(member(pod, 'UID'))),
        violations: Number(member(value, 'NumPDBViolations') ?? 0),
      },
    ]),
  );
}
