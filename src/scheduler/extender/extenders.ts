/** All extenders together: nodes pass them one after the other, and their scores are added up. */
import type { Logger } from '../../base/logger.ts';
import type { Diagnosis } from '../framework/fit-error.ts';
import { maxNodeScore } from '../framework/plugin.ts';
import { unresolvable, unschedulable } from '../framework/status.ts';
import type { Candidate } from '../plugins/default-preemption/candidates.ts';
import type { ClusterState } from '../state/cluster-state.ts';
import type { NodeInfo } from '../state/node-info.ts';
import type { PodInfo } from '../state/pod-info.ts';
import type { HttpExtender } from './http-extender.ts';

/** How nodes that they refuse are accounted for: every change of the cluster wakes such a pod. */
export const extenderName = 'Extender';
/** Of an extender. */
const maxExtenderScore = 10;

export class Extenders {
  readonly #extenders: readonly HttpExtender[];
  readonly #log: Logger;

  constructor(extenders: readonly HttpExtender[], log: Logger) {
    this.#extenders = extenders;
    this.#log = log;
  }

  get isEmpty(): boolean {
    return this.#extenders.length === 0;
  }

  async close(): Promise<void> {
    await Promise.all(this.#extenders.map((extender) => extender.close()));
  }

  /** The nodes that all of them accept. Throws when one that is not ignorable fails. */
  async filter(
    pod: PodInfo,
    nodes: readonly NodeInfo[],
    diagnosis: Diagnosis,
    signal: AbortSignal,
  ): Promise<readonly NodeInfo[]> {
    let left = nodes;
    for (const extender of this.#interested(pod, 'filterVerb')) {
      if (left.length === 0) break;
      const answer = await this.#tolerated(extender, () => extender.filter(pod, left, signal));
      if (answer === undefined) continue;
      for (const [node, reason] of answer.failed) diagnosis.statuses.set(node, unschedulable(extenderName, reason));
      for (const [node, reason] of answer.failedForGood)
        diagnosis.statuses.set(node, unresolvable(extenderName, reason));
      left = left.filter(({ name }) => answer.nodeNames.has(name));
    }
    if (left.length < nodes.length) diagnosis.unschedulablePlugins.add(extenderName);
    return left;
  }

  /** Adds their scores. One that fails is left out: any of the nodes would do. */
  async addScores(pod: PodInfo, nodes: readonly NodeInfo[], totals: Float64Array, signal: AbortSignal): Promise<void> {
    await Promise.all(
      this.#interested(pod, 'prioritizeVerb').map(async (extender) => {
        try {
          const scores = await extender.prioritize(pod, nodes, signal);
          const factor = extender.config.weight * (maxNodeScore / maxExtenderScore);
          nodes.forEach(({ name }, i) => (totals[i]! += (scores.get(name) ?? 0) * factor));
        } catch (error) {
          this.#log.warn({ err: error, extender: extender.name }, 'an extender did not score nodes');
        }
      }),
    );
  }

  /** The extender that binds the pod; undefined when none does. */
  binderOf(pod: PodInfo): HttpExtender | undefined {
    return this.#interested(pod, 'bindVerb')[0];
  }

  /** What they leave of a preemption's candidates, with the victims that they say. */
  async narrow(
    pod: PodInfo,
    candidates: readonly Candidate[],
    cluster: ClusterState,
    signal: AbortSignal,
  ): Promise<readonly Candidate[]> {
    let left = candidates;
    for (const extender of this.#interested(pod, 'preemptVerb')) {
      const victims = left.map(({ nodeName, victims: { pods, violations } }) => ({ nodeName, pods, violations }));
      const answer = await this.#tolerated(extender, () => extender.preempt(pod, victims, signal));
      if (answer === undefined) continue;
      left = [...answer].map(([nodeName, { uids, violations }]) => ({
        nodeName,
        victims: { pods: podsOn(cluster, nodeName, uids), violations },
      }));
      if (left.length === 0) break;
    }
    return left;
  }

  #interested(
    pod: PodInfo,
    verb: 'filterVerb' | 'prioritizeVerb' | 'bindVerb' | 'preemptVerb',
  ): readonly HttpExtender[] {
    return this.#extenders.filter((extender) => extender.config[verb] !== '' && extender.isInterestedIn(pod));
  }

  async #tolerated<T>(extender: HttpExtender, call: () => Promise<T>): Promise<T | undefined> {
    try {
      return await call();
    } catch (error) {
      if (!extender.config.ignorable) throw error;
      this.#log.warn({ err: error, extender: extender.name }, 'an extender failed and is passed over');
      return undefined;
    }
  }
}

function podsOn(cluster: ClusterState, nodeName: string, uids: readonly string[]): readonly PodInfo[] {
  const pods = cluster.node(nodeName)?.pods;
  return uids.map((uid) => {
    const pod = pods?.get(uid);
    if (pod === undefined)
      throw new Error(`an extender names pod ${uid} as a victim, which is not on node ${nodeName}`);
    return pod;
  });
}
