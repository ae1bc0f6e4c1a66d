/** A node with its pods, and what they take of it together. Changed in place, one pod at a time. */
import type { Node } from '../../api/gen/types/core-v1.ts';
import { UsedPorts } from '../../api/core/pods/host-ports.ts';
import type { PodInfo } from './pod-info.ts';
import { Resources, resourcesOf } from './resources.ts';

/** What is known of an image over all nodes. Shared by them. */
export interface ImageState {
  readonly size: number;
  /** How many nodes have it. */
  nodes: number;
}

const noImages: ReadonlyMap<string, ImageState> = new Map();
let lastGeneration = 0;

export class NodeInfo {
  readonly name: string;
  /** Undefined while there are pods of a node that is not known, or not any more. */
  node: Node | undefined;
  allocatable = new Resources();
  requested = new Resources();
  /** What scores count with. */
  scoredMilliCpu = 0;
  scoredMemory = 0;
  usedPorts = new UsedPorts();
  /** By name of the image. */
  images: ReadonlyMap<string, ImageState> = noImages;
  /** By uid. */
  readonly pods = new Map<string, PodInfo>();
  readonly podsWithAffinity = new Map<string, PodInfo>();
  readonly podsWithRequiredAntiAffinity = new Map<string, PodInfo>();
  /** How many pods use a claim, by `namespace/name`. */
  readonly claims = new Map<string, number>();
  /** Another number after each change: what was computed of the node holds while it is the same. */
  generation = ++lastGeneration;

  constructor(name: string) {
    this.name = name;
  }

  setNode(node: Node | undefined): void {
    this.node = node;
    this.allocatable = resourcesOf(node?.status.allocatable);
    this.generation = ++lastGeneration;
  }

  addPod(pod: PodInfo): void {
    if (this.pods.has(pod.uid)) this.removePod(pod.uid);
    this.pods.set(pod.uid, pod);
    this.requested.add(pod.requests);
    this.scoredMilliCpu += pod.scoredMilliCpu;
    this.scoredMemory += pod.scoredMemory;
    for (const port of pod.hostPorts) this.usedPorts.add(port);
    if (pod.hasAffinity) this.podsWithAffinity.set(pod.uid, pod);
    if (pod.requiredAntiAffinity.length > 0) this.podsWithRequiredAntiAffinity.set(pod.uid, pod);
    for (const claim of pod.claims) this.claims.set(claim, (this.claims.get(claim) ?? 0) + 1);
    this.generation = ++lastGeneration;
  }

  removePod(uid: string): void {
    const pod = this.pods.get(uid);
    if (pod === undefined) return;
    this.pods.delete(uid);
    this.requested.subtract(pod.requests);
    this.scoredMilliCpu -= pod.scoredMilliCpu;
    this.scoredMemory -= pod.scoredMemory;
    for (const port of pod.hostPorts) this.usedPorts.remove(port);
    this.podsWithAffinity.delete(uid);
    this.podsWithRequiredAntiAffinity.delete(uid);
    for (const claim of pod.claims) this.#releaseClaim(claim);
    this.generation = ++lastGeneration;
  }

  /** A newer state of a pod that is there, which takes what it took before. */
  replacePod(pod: PodInfo): void {
    for (const pods of [this.pods, this.podsWithAffinity, this.podsWithRequiredAntiAffinity])
      if (pods.has(pod.uid)) pods.set(pod.uid, pod);
    this.generation = ++lastGeneration;
  }

  /** For simulations: changes of the copy leave this one as it is. */
  clone(): NodeInfo {
    const copy = new NodeInfo(this.name);
    copy.node = this.node;
    copy.allocatable = this.allocatable;
    copy.images = this.images;
    for (const pod of this.pods.values()) copy.addPod(pod);
    return copy;
  }

  #releaseClaim(claim: string): void {
    const count = this.claims.get(claim) ?? 0;
    if (count > 1) this.claims.set(claim, count - 1);
    else this.claims.delete(claim);
  }
}
