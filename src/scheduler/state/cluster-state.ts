/**
 * Nodes and their pods as the scheduler takes them to be: what informers told, and pods that were given a node whose
 * binding has not come back yet (assumed ones).
 *
 * Each event changes what it is about and nothing else. A scheduling cycle reads this state as it is: between the
 * choice of a node and its assumption nothing else runs, so that no copy is needed.
 */
import type { Node, Pod } from '../../api/gen/types/core-v1.ts';
import { type ImageState, NodeInfo } from './node-info.ts';
import { NodeOrder } from './node-order.ts';
import { PodInfo } from './pod-info.ts';

export interface PlacedPod {
  readonly info: PodInfo;
  readonly node: NodeInfo;
  /** Not confirmed by the API server yet. */
  readonly isAssumed: boolean;
}

const noPods: ReadonlyMap<string, PlacedPod> = new Map();

/** Told of pods that come to nodes and leave them. */
export interface PodObserver {
  podAdded(pod: PodInfo, node: NodeInfo): void;
  podRemoved(pod: PodInfo, node: NodeInfo): void;
}

export class ClusterState {
  readonly #nodes = new Map<string, NodeInfo>();
  readonly #order = new NodeOrder();
  readonly #pods = new Map<string, PlacedPod>();
  /** By namespace and uid. */
  readonly #byNamespace = new Map<string, Map<string, PlacedPod>>();
  /** How many pods use a claim, by `namespace/name`. */
  readonly #claims = new Map<string, number>();
  readonly #images = new Map<string, ImageState>();
  readonly #withAffinity = new Set<NodeInfo>();
  readonly #withRequiredAntiAffinity = new Set<NodeInfo>();
  readonly #observers: PodObserver[] = [];
  #assumed = 0;

  /** All nodes, zones taking turns. */
  get nodes(): readonly NodeInfo[] {
    return this.#order.list;
  }

  /** Nodes with pods that have terms of affinity or anti-affinity. */
  get nodesWithAffinity(): ReadonlySet<NodeInfo> {
    return this.#withAffinity;
  }

  get nodesWithRequiredAntiAffinity(): ReadonlySet<NodeInfo> {
    return this.#withRequiredAntiAffinity;
  }

  get podCount(): number {
    return this.#pods.size;
  }

  get assumedCount(): number {
    return this.#assumed;
  }

  /** The pods with a node, by uid. */
  podsIn(namespace: string): ReadonlyMap<string, PlacedPod> {
    return this.#byNamespace.get(namespace) ?? noPods;
  }

  /** Those with pods that have a node. */
  get namespaces(): Iterable<string> {
    return this.#byNamespace.keys();
  }

  /** How many pods with a node use the claim. */
  usesOf(claim: string): number {
    return this.#claims.get(claim) ?? 0;
  }

  observe(observer: PodObserver): void {
    this.#observers.push(observer);
  }

  /** Undefined for a node that does not exist, even while it has pods. */
  node(name: string): NodeInfo | undefined {
    const info = this.#nodes.get(name);
    return info?.node === undefined ? undefined : info;
  }

  setNode(node: Node): void {
    const info = this.#infoOf(node.metadata.name ?? '');
    this.#setImages(info, node);
    info.setNode(node);
    this.#order.put(info, node);
  }

  removeNode(name: string): void {
    const info = this.#nodes.get(name);
    if (info === undefined) return;
    this.#setImages(info, undefined);
    info.setNode(undefined);
    this.#order.remove(info);
    this.#dropIfEmpty(info);
  }

  /** A pod with a node, as the API server has it. An assumed one is confirmed. */
  setPod(pod: Pod): void {
    const nodeName = pod.spec.nodeName ?? '';
    const before = this.#pods.get(pod.metadata.uid ?? '');
    if (before?.node.name === nodeName && before.info.saysTheSame(pod)) return this.#confirm(before, pod);
    const info = new PodInfo(pod);
    this.#takeOff(info.uid);
    this.#put({ info, node: this.#infoOf(nodeName), isAssumed: false });
  }

  removePod(uid: string): void {
    this.#takeOff(uid);
  }

  /** Counts the pod on the node before it is bound. */
  assume(info: PodInfo, nodeName: string): void {
    if (this.#pods.has(info.uid)) throw new Error(`pod ${info.namespace}/${info.name} has a node already`);
    this.#assumed++;
    this.#put({ info, node: this.#infoOf(nodeName), isAssumed: true });
  }

  /** Takes back an assumption. A pod that was confirmed meanwhile stays. */
  forget(uid: string): void {
    if (this.isAssumed(uid)) this.#takeOff(uid);
  }

  isAssumed(uid: string): boolean {
    return this.#pods.get(uid)?.isAssumed === true;
  }

  hasPod(uid: string): boolean {
    return this.#pods.has(uid);
  }

  #put(placed: PlacedPod): void {
    const { info, node } = placed;
    this.#pods.set(info.uid, placed);
    let pods = this.#byNamespace.get(info.namespace);
    if (pods === undefined) this.#byNamespace.set(info.namespace, (pods = new Map()));
    pods.set(info.uid, placed);
    for (const claim of info.claims) this.#claims.set(claim, this.usesOf(claim) + 1);
    node.addPod(info);
    this.#indexAffinity(node);
    for (const observer of this.#observers) observer.podAdded(info, node);
  }

  /** What counts stays: most changes of a pod with a node are of its status. */
  #confirm({ info, node, isAssumed }: PlacedPod, pod: Pod): void {
    const placed = { info: new PodInfo(pod, info), node, isAssumed: false };
    if (isAssumed) this.#assumed--;
    this.#pods.set(info.uid, placed);
    this.#byNamespace.get(info.namespace)!.set(info.uid, placed);
    node.replacePod(placed.info);
  }

  #takeOff(uid: string): void {
    const placed = this.#pods.get(uid);
    if (placed === undefined) return;
    this.#pods.delete(uid);
    if (placed.isAssumed) this.#assumed--;
    const { info, node } = placed;
    const pods = this.#byNamespace.get(info.namespace)!;
    pods.delete(uid);
    if (pods.size === 0) this.#byNamespace.delete(info.namespace);
    for (const claim of info.claims) {
      if (this.usesOf(claim) > 1) this.#claims.set(claim, this.usesOf(claim) - 1);
      else this.#claims.delete(claim);
    }
    node.removePod(uid);
    this.#indexAffinity(node);
    for (const observer of this.#observers) observer.podRemoved(info, node);
    this.#dropIfEmpty(node);
  }

  #infoOf(name: string): NodeInfo {
    let info = this.#nodes.get(name);
    if (info === undefined) this.#nodes.set(name, (info = new NodeInfo(name)));
    return info;
  }

  #dropIfEmpty(info: NodeInfo): void {
    if (info.node === undefined && info.pods.size === 0) this.#nodes.delete(info.name);
  }

  #indexAffinity(info: NodeInfo): void {
    keepIf(this.#withAffinity, info, info.podsWithAffinity.size > 0);
    keepIf(this.#withRequiredAntiAffinity, info, info.podsWithRequiredAntiAffinity.size > 0);
  }

  #setImages(info: NodeInfo, node: Node | undefined): void {
    const reported = node?.status.images ?? [];
    if (reported === info.node?.status.images) return;
    for (const name of info.images.keys()) {
      const image = this.#images.get(name)!;
      if (--image.nodes === 0) this.#images.delete(name);
    }
    const images = new Map<string, ImageState>();
    for (const { names = [], sizeBytes = 0 } of reported)
      for (const name of names) if (!images.has(name)) images.set(name, this.#image(name, Number(sizeBytes)));
    info.images = images;
  }

  #image(name: string, size: number): ImageState {
    let image = this.#images.get(name);
    if (image === undefined) this.#images.set(name, (image = { size, nodes: 0 }));
    image.nodes++;
    return image;
  }
}

function keepIf<T>(set: Set<T>, item: T, isIn: boolean): void {
  if (isIn) set.add(item);
  else set.delete(item);
}
