/** Finds nodes that a pod fits on, beginning where the search for the last pod ended. */
import type { CycleState } from '../framework/cycle-state.ts';
import { addRejection, type Diagnosis, emptyDiagnosis } from '../framework/fit-error.ts';
import { NodeStatuses } from '../framework/node-statuses.ts';
import type { Answer } from '../framework/plugin.ts';
import type { PreFilterOutcome, Profile } from '../framework/profile.ts';
import { unresolvable } from '../framework/status.ts';
import type { ClusterState } from '../state/cluster-state.ts';
import type { NodeInfo } from '../state/node-info.ts';
import type { PodInfo } from '../state/pod-info.ts';

const minFeasibleNodes = 100;
const minPercentage = 5;

/**
 * In a large cluster not every node is looked at: enough suitable ones are as good as all of them.
 * @param percentage 0 for one that falls with the number of nodes
 */
export function feasibleNodesToFind(nodeCount: number, percentage: number): number {
  if (nodeCount < minFeasibleNodes) return nodeCount;
  const share = percentage > 0 ? percentage : Math.max(minPercentage, 50 - Math.floor(nodeCount / 125));
  return Math.max(minFeasibleNodes, Math.floor((nodeCount * Math.min(share, 100)) / 100));
}

export interface FoundNodes {
  readonly nodes: readonly NodeInfo[];
  readonly diagnosis: Diagnosis;
  /** A part failed: the pod could not be judged. */
  readonly error?: Answer;
}

export class NodeSearch {
  readonly #cluster: ClusterState;
  /** Where the next search begins. */
  #next = 0;

  constructor(cluster: ClusterState) {
    this.#cluster = cluster;
  }

  /** @param limit how many suitable nodes are enough */
  find(profile: Profile, state: CycleState, pod: PodInfo, limit: number): FoundNodes {
    const diagnosis = emptyDiagnosis(new NodeStatuses());
    const outcome = profile.preFilter(state, pod);
    const { status } = outcome;
    if (status !== undefined) {
      if (!status.isRejected) return { nodes: [], diagnosis, error: status };
      diagnosis.statuses.absent = status;
      diagnosis.preFilterMessage = status.message;
      addRejection(diagnosis, status);
      return { nodes: [], diagnosis };
    }
    const scene = { profile, state, pod, diagnosis };
    return this.#nominatedNode(scene, outcome) ?? this.#search(scene, this.#candidates(scene, outcome), limit);
  }

  /** The node on which others were preempted for the pod is taken when it fits, whatever others there are. */
  #nominatedNode(scene: Scene, { nodeNames }: PreFilterOutcome): FoundNodes | undefined {
    const { nominatedNodeName = '' } = scene.pod.pod.status;
    if (nominatedNodeName === '' || nodeNames?.has(nominatedNodeName) === false) return undefined;
    const node = this.#cluster.node(nominatedNodeName);
    if (node === undefined) return undefined;
    const { profile, state, pod, diagnosis } = scene;
    const fits = profile.filter(profile.filtersFor(state), state, pod, node) === undefined;
    return fits ? { nodes: [node], diagnosis } : undefined;
  }

  #candidates({ diagnosis }: Scene, { nodeNames, restrictedBy }: PreFilterOutcome): readonly NodeInfo[] {
    if (nodeNames === undefined) return this.#cluster.nodes;
    diagnosis.statuses.absent = unresolvable(
      restrictedBy.at(-1)!,
      `node(s) didn't satisfy plugin(s) [${restrictedBy.join(' ')}]`,
    );
    for (const plugin of restrictedBy) diagnosis.unschedulablePlugins.add(plugin);
    return [...nodeNames].map((name) => this.#cluster.node(name)).filter((node) => node !== undefined);
  }

  #search({ profile, state, pod, diagnosis }: Scene, candidates: readonly NodeInfo[], limit: number): FoundNodes {
    const begun = performance.now();
    const filters = profile.filtersFor(state);
    const found: NodeInfo[] = [];
    const count = candidates.length;
    let at = count === 0 ? 0 : this.#next % count;
    let looked = 0;
    for (; looked < count && found.length < limit; looked++) {
      const node = candidates[at]!;
      if (++at === count) at = 0;
      const status = profile.filter(filters, state, pod, node);
      if (status === undefined) found.push(node);
      else if (status.code === 'Error') return { nodes: [], diagnosis, error: status };
      else {
        diagnosis.statuses.set(node.name, status);
        addRejection(diagnosis, status);
      }
    }
    this.#next = (this.#next + looked) % Math.max(1, this.#cluster.nodes.length);
    profile.filtered(filters, undefined, begun);
    return { nodes: found, diagnosis };
  }
}

interface Scene {
  readonly profile: Profile;
  readonly state: CycleState;
  readonly pod: PodInfo;
  readonly diagnosis: Diagnosis;
}
