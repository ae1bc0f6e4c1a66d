/**
 * How many pods on each node match a selector. What was asked for once is kept current as pods come and go: pods of one
 * workload ask for the same again and again, and looking at all pods for each would cost more than all else.
 */
import { matchesLabels, type Requirements } from '../../machinery/label-selector.ts';
import type { ClusterState, PodObserver } from './cluster-state.ts';
import type { NodeInfo } from './node-info.ts';
import type { PodInfo } from './pod-info.ts';

export interface MatchQuery {
  readonly namespace: string;
  readonly selector: Requirements;
  /** Whether pods that are being deleted count. */
  readonly withTerminating: boolean;
}

class Counter {
  readonly query: MatchQuery;
  readonly nodes = new Map<NodeInfo, number>();

  constructor(query: MatchQuery) {
    this.query = query;
  }

  matches({ pod }: PodInfo): boolean {
    const { selector, withTerminating } = this.query;
    if (!withTerminating && pod.metadata.deletionTimestamp !== undefined) return false;
    return matchesLabels(selector, pod.metadata.labels);
  }

  add(node: NodeInfo, change: 1 | -1): void {
    const count = (this.nodes.get(node) ?? 0) + change;
    if (count === 0) this.nodes.delete(node);
    else this.nodes.set(node, count);
  }
}

/** Each change of a pod is held against those of its namespace. */
const maxCounters = 256;

export class MatchCounts implements PodObserver {
  readonly #cluster: ClusterState;
  /** The one that was asked for longest ago is first. */
  readonly #counters = new Map<string, Counter>();
  readonly #byNamespace = new Map<string, Set<Counter>>();

  constructor(cluster: ClusterState) {
    this.#cluster = cluster;
    cluster.observe(this);
  }

  get size(): number {
    return this.#counters.size;
  }

  /** By node; nodes without such pods are not in it. Changes with the cluster. */
  of(query: MatchQuery): ReadonlyMap<NodeInfo, number> {
    const key = `${query.namespace}\0${query.withTerminating}\0${JSON.stringify(query.selector)}`;
    const known = this.#counters.get(key);
    if (known !== undefined) this.#counters.delete(key);
    const counter = known ?? this.#count(query);
    this.#counters.set(key, counter);
    this.#dropOldest();
    return counter.nodes;
  }

  podAdded(pod: PodInfo, node: NodeInfo): void {
    this.#change(pod, node, 1);
  }

  podRemoved(pod: PodInfo, node: NodeInfo): void {
    this.#change(pod, node, -1);
  }

  #change(pod: PodInfo, node: NodeInfo, change: 1 | -1): void {
    const counters = this.#byNamespace.get(pod.namespace);
    if (counters === undefined) return;
    for (const counter of counters) if (counter.matches(pod)) counter.add(node, change);
  }

  #count(query: MatchQuery): Counter {
    const counter = new Counter(query);
    for (const { info, node } of this.#cluster.podsIn(query.namespace).values())
      if (counter.matches(info)) counter.add(node, 1);
    let counters = this.#byNamespace.get(query.namespace);
    if (counters === undefined) this.#byNamespace.set(query.namespace, (counters = new Set()));
    counters.add(counter);
    return counter;
  }

  #dropOldest(): void {
    if (this.#counters.size <= maxCounters) return;
    const [key, counter] = this.#counters.entries().next().value!;
    this.#counters.delete(key);
    const counters = this.#byNamespace.get(counter.query.namespace)!;
    counters.delete(counter);
    if (counters.size === 0) this.#byNamespace.delete(counter.query.namespace);
  }
}
