/**
 * Who owns what, of all objects of the cluster.
 *
 * Nodes are small, and share names and references with the objects of the informers. An owner that no informer has told
 * of yet is a node too, an absent one, so that its dependents are found when it comes, or when the server says that
 * there is none. Callers are told what to look at; the graph itself decides nothing.
 */
import type { DiscoveredResource } from '../../client/discovery/resources.ts';
import { apiVersionOf } from '../../client/discovery/resources.ts';
import type { KubeObject, OwnerReference } from '../../machinery/object-meta.ts';

/** @see {@link https://kubernetes.io/docs/concepts/overview/working-with-objects/finalizers/ | Finalizers} */
export const foregroundFinalizer = 'foregroundDeletion';
export const orphanFinalizer = 'orphan';

const noOwners: readonly OwnerReference[] = [];
const noDependents: ReadonlySet<GraphNode> = new Set();

export class GraphNode {
  readonly uid: string;
  /** Undefined for an object that only its dependents tell of. */
  resource: DiscoveredResource | undefined;
  /** Empty for cluster-wide objects. */
  namespace = '';
  name = '';
  owners: readonly OwnerReference[] = noOwners;
  isBeingDeleted = false;
  /** It is deleted in the foreground: after the dependents that block it. */
  isDeletingDependents = false;
  /** It is deleted after its dependents no longer refer to it. */
  isOrphaning = false;
  #dependents: Set<GraphNode> | undefined;

  constructor(uid: string) {
    this.uid = uid;
  }

  get dependents(): ReadonlySet<GraphNode> {
    return this.#dependents ?? noDependents;
  }

  addDependent(node: GraphNode): void {
    (this.#dependents ??= new Set()).add(node);
  }

  removeDependent(node: GraphNode): void {
    this.#dependents?.delete(node);
    if (this.#dependents?.size === 0) this.#dependents = undefined;
  }

  referenceTo(owner: GraphNode): OwnerReference | undefined {
    return this.owners.find(({ uid }) => uid === owner.uid);
  }

  /** Dependents that must be gone before this one goes, when it is deleted in the foreground. */
  blockingDependents(): GraphNode[] {
    return [...this.dependents].filter((dependent) => dependent.referenceTo(this)?.blockOwnerDeletion === true);
  }
}

export interface GraphListener {
  /** The object may have to go, or may no longer have to wait. Told of absent owners too. */
  check(node: GraphNode): void;
  /** Dependents of the object are to lose their reference to it. */
  orphan(node: GraphNode): void;
  /** The object is gone, and had dependents. */
  gone(node: GraphNode): void;
  /** The owner is in another namespace than the dependent that refers to it. */
  refersAcrossNamespaces(dependent: GraphNode, reference: OwnerReference): void;
}

export class OwnerGraph {
  readonly #nodes = new Map<string, GraphNode>();
  readonly #listener: GraphListener;

  constructor(listener: GraphListener) {
    this.#listener = listener;
  }

  get size(): number {
    return this.#nodes.size;
  }

  get(uid: string): GraphNode | undefined {
    return this.#nodes.get(uid);
  }

  /** The object is there, as it says. */
  observe(resource: DiscoveredResource, { metadata = {} }: KubeObject): void {
    const { uid = '', namespace = '', name = '', ownerReferences = noOwners, finalizers, deletionTimestamp } = metadata;
    let node = this.#nodes.get(uid);
    const isNew = node === undefined;
    if (node === undefined) this.#nodes.set(uid, (node = new GraphNode(uid)));
    const wasAbsent = node.resource === undefined;
    node.resource = resource;
    node.namespace = namespace;
    node.name = name;
    if (wasAbsent && !isNew) this.#checkReferencesTo(node);
    this.#setOwners(node, ownerReferences);
    const { isOrphaning, isDeletingDependents } = node;
    node.isBeingDeleted = deletionTimestamp !== undefined;
    node.isOrphaning = node.isBeingDeleted && has(finalizers, orphanFinalizer);
    node.isDeletingDependents = node.isBeingDeleted && has(finalizers, foregroundFinalizer);
    if (node.isOrphaning && !isOrphaning) return this.#listener.orphan(node);
    if (!node.isDeletingDependents || isDeletingDependents) return;
    for (const dependent of node.dependents) this.#listener.check(dependent);
    this.#listener.check(node);
  }

  /** The object is gone, or there never was one. Its dependents are looked at. */
  remove(uid: string): void {
    const node = this.#nodes.get(uid);
    if (node === undefined) return;
    this.#nodes.delete(uid);
    for (const { uid: ownerUid = '' } of node.owners) {
      const owner = this.#nodes.get(ownerUid);
      this.#unlink(node, owner);
      if (owner?.isDeletingDependents === true) this.#listener.check(owner);
    }
    if (node.dependents.size === 0) return;
    this.#listener.gone(node);
    for (const dependent of node.dependents) this.#listener.check(dependent);
  }

  /**
   * Objects of the resource can no longer be known. This says nothing of whether they exist: those with dependents are
   * absent owners again.
   */
  forget(resource: DiscoveredResource): void {
    for (const node of [...this.#nodes.values()]) {
      if (node.resource !== resource) continue;
      this.#setOwners(node, noOwners);
      if (node.dependents.size === 0) this.#nodes.delete(node.uid);
      else this.#becomeAbsent(node);
    }
  }

  #becomeAbsent(node: GraphNode): void {
    node.resource = undefined;
    node.isBeingDeleted = false;
    node.isDeletingDependents = false;
    node.isOrphaning = false;
    this.#listener.check(node);
  }

  #setOwners(node: GraphNode, owners: readonly OwnerReference[]): void {
    const before = node.owners;
    node.owners = owners;
    if (before.length === 0 && owners.length === 0) return;
    let mustCheck = false;
    for (const reference of owners)
      if (!before.some(({ uid }) => uid === reference.uid)) mustCheck = this.#link(node, reference) || mustCheck;
    for (const reference of before) {
      const now = owners.find(({ uid }) => uid === reference.uid);
      const owner = this.#nodes.get(reference.uid ?? '');
      if (now === undefined) this.#unlink(node, owner);
      const isUnblocked = reference.blockOwnerDeletion === true && now?.blockOwnerDeletion !== true;
      if (isUnblocked && owner !== undefined) this.#listener.check(owner);
    }
    if (mustCheck) this.#listener.check(node);
  }

  /** @returns whether the reference may be wrong, or the object may have to go with its owner */
  #link(node: GraphNode, reference: OwnerReference): boolean {
    const { uid = '' } = reference;
    let owner = this.#nodes.get(uid);
    if (owner === undefined) {
      this.#nodes.set(uid, (owner = new GraphNode(uid)));
      owner.addDependent(node);
      this.#listener.check(owner);
      return false;
    }
    owner.addDependent(node);
    return owner.resource !== undefined && (this.#isWrong(node, reference, owner) || owner.isDeletingDependents);
  }

  #unlink(node: GraphNode, owner: GraphNode | undefined): void {
    owner?.removeDependent(node);
    if (owner?.resource === undefined && owner?.dependents.size === 0) this.#nodes.delete(owner.uid);
  }

  /** An owner is told of after its dependents: some of them may mean another one by its uid. */
  #checkReferencesTo(owner: GraphNode): void {
    for (const dependent of owner.dependents)
      if (this.#isWrong(dependent, dependent.referenceTo(owner)!, owner)) this.#listener.check(dependent);
  }

  #isWrong(dependent: GraphNode, reference: OwnerReference, owner: GraphNode): boolean {
    const { resource, namespace, name } = owner;
    if (namespace !== '' && namespace !== dependent.namespace) {
      this.#listener.refersAcrossNamespaces(dependent, reference);
      return true;
    }
    return (
      reference.name !== name || reference.kind !== resource!.kind || reference.apiVersion !== apiVersionOf(resource!)
    );
  }
}

const has = (finalizers: readonly string[] | undefined, name: string): boolean => finalizers?.includes(name) ?? false;
