/** Chooses a node for a pod. Changes nothing. */
import type { CycleState } from '../framework/cycle-state.ts';
import { addRejection, type Diagnosis, emptyDiagnosis, fitMessage, noNodesMessage } from '../framework/fit-error.ts';
import { NodeStatuses } from '../framework/node-statuses.ts';
import type { SchedulerObserver } from '../framework/observer.ts';
import type { Profile } from '../framework/profile.ts';
import { type Extenders, extenderName } from '../extender/extenders.ts';
import { failure, type Status } from '../framework/status.ts';
import type { ClusterState } from '../state/cluster-state.ts';
import type { PodInfo } from '../state/pod-info.ts';
import { feasibleNodesToFind, NodeSearch } from './find-nodes.ts';
import { selectNode } from './select-node.ts';

export type Choice =
  | { readonly kind: 'node'; readonly nodeName: string }
  /** No node fits. */
  | { readonly kind: 'unfit'; readonly nodeCount: number; readonly diagnosis: Diagnosis }
  /** There is no node at all. */
  | { readonly kind: 'noNodes' }
  /** A part failed. */
  | { readonly kind: 'error'; readonly status: Status };

export interface PodSchedulerOptions {
  readonly cluster: ClusterState;
  /** 0 for one that falls with the number of nodes. */
  readonly percentageOfNodesToScore: number;
  readonly random: () => number;
  readonly observer: SchedulerObserver;
}

export class PodScheduler {
  readonly #options: PodSchedulerOptions;
  readonly #search: NodeSearch;

  constructor(options: PodSchedulerOptions) {
    this.#options = options;
    this.#search = new NodeSearch(options.cluster);
  }

  choose(profile: Profile, state: CycleState, pod: PodInfo): Choice {
    const begun = performance.now();
    const { cluster, observer, random } = this.#options;
    const nodeCount = cluster.nodes.length;
    if (nodeCount === 0) return { kind: 'noNodes' };
    const { nodes, diagnosis, error } = this.#search.find(profile, state, pod, this.#limit(profile, nodeCount));
    if (error !== undefined) return { kind: 'error', status: error };
    if (nodes.length === 0) return { kind: 'unfit', nodeCount, diagnosis };
    const selected = nodes.length === 1 ? nodes[0]! : selectNode(nodes, profile.score(state, pod, nodes), random);
    observer.algorithm((performance.now() - begun) / 1000);
    return { kind: 'node', nodeName: selected.name };
  }

  /** As `choose`, with services that are asked in between: what they are asked about may change meanwhile. */
  async chooseWithExtenders(
    profile: Profile,
    state: CycleState,
    pod: PodInfo,
    { extenders, signal }: { readonly extenders: Extenders; readonly signal: AbortSignal },
  ): Promise<Choice> {
    const { cluster, random } = this.#options;
    const nodeCount = cluster.nodes.length;
    if (nodeCount === 0) return { kind: 'noNodes' };
    const { nodes, diagnosis, error } = this.#search.find(profile, state, pod, nodeCount);
    if (error !== undefined) return { kind: 'error', status: error };
    try {
      const left = await extenders.filter(pod, nodes, diagnosis, signal);
      if (left.length === 0) return { kind: 'unfit', nodeCount, diagnosis };
      // The buffer of the profile is used again by others.
      const totals = Float64Array.from(profile.score(state, pod, left));
      await extenders.addScores(pod, left, totals, signal);
      return { kind: 'node', nodeName: selectNode(left, totals, random).name };
    } catch (thrown) {
      return { kind: 'error', status: failure(extenderName, thrown) };
    }
  }

  #limit(profile: Profile, nodeCount: number): number {
    if (!profile.hasScores) return 1;
    return feasibleNodesToFind(nodeCount, profile.percentageOfNodesToScore ?? this.#options.percentageOfNodesToScore);
  }
}

/** A pod for which a node was found, which could not be kept for it. */
export function rejectedOn(nodeName: string, nodeCount: number, status: Status): Choice {
  const diagnosis = emptyDiagnosis(new NodeStatuses());
  diagnosis.statuses.set(nodeName, status);
  addRejection(diagnosis, status);
  return { kind: 'unfit', nodeCount, diagnosis };
}

/** As the condition of the pod and its events say it. */
export function messageOf(choice: Exclude<Choice, { kind: 'node' }>): string {
  switch (choice.kind) {
    case 'unfit':
      return fitMessage(choice.nodeCount, choice.diagnosis);
    case 'noNodes':
      return noNodesMessage;
    case 'error':
      return choice.status.message;
  }
}
