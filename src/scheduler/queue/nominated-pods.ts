/**
 * Pods that wait for a node on which others were preempted for them. What they need counts as taken for pods of the
 * same or lower priority.
 */
import type { PodInfo } from '../state/pod-info.ts';

const none: ReadonlyMap<string, PodInfo> = new Map();

export class NominatedPods {
  readonly #byNode = new Map<string, Map<string, PodInfo>>();
  readonly #nodeOf = new Map<string, string>();

  get size(): number {
    return this.#nodeOf.size;
  }

  nodeOf(uid: string): string | undefined {
    return this.#nodeOf.get(uid);
  }

  /** By uid. */
  on(nodeName: string): ReadonlyMap<string, PodInfo> {
    return this.#byNode.get(nodeName) ?? none;
  }

  set(pod: PodInfo, nodeName: string): void {
    this.delete(pod.uid);
    if (nodeName === '') return;
    let pods = this.#byNode.get(nodeName);
    if (pods === undefined) this.#byNode.set(nodeName, (pods = new Map()));
    pods.set(pod.uid, pod);
    this.#nodeOf.set(pod.uid, nodeName);
  }

  /** Puts the pod as it is now in the place of what it was. */
  update(pod: PodInfo): void {
    const nodeName = this.#nodeOf.get(pod.uid) ?? pod.pod.status.nominatedNodeName ?? '';
    this.set(pod, nodeName);
  }

  delete(uid: string): void {
    const nodeName = this.#nodeOf.get(uid);
    if (nodeName === undefined) return;
    this.#nodeOf.delete(uid);
    const pods = this.#byNode.get(nodeName)!;
    pods.delete(uid);
    if (pods.size === 0) this.#byNode.delete(nodeName);
  }
}
