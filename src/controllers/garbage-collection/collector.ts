/**
 * Looks at one object after the other: whether its owners are still there, and what is to become of it. Nothing is
 * deleted by what the graph says alone: the server is asked for the object and its owners first.
 */
import { isInvalid, isNotFound } from '../../client/api-error.ts';
import type { DiscoveredResource } from '../../client/discovery/resources.ts';
import type { KubeObject, OwnerReference } from '../../machinery/object-meta.ts';
import { inParallel } from '../shared/parallel.ts';
import type { SyncResult } from '../../reconcile/controller.ts';
import type { AbsentOwners } from './absent-owners.ts';
import { foregroundFinalizer, type GraphNode, orphanFinalizer, type OwnerGraph } from './graph.ts';
import type { Objects } from './objects.ts';
import { isWaitingForDependents, type OwnerClasses, verdictOn } from './sync.ts';

export interface CollectorParts {
  readonly graph: OwnerGraph;
  readonly objects: Objects;
  readonly absent: AbsentOwners;
  /** Undefined for a kind that is not served, or not known to be. */
  readonly resourceOf: (apiVersion: string, kind: string) => DiscoveredResource | undefined;
  readonly check: (node: GraphNode) => void;
}

interface Answer {
  readonly says: 'there' | 'absent' | 'unclear';
  readonly failure?: unknown;
}

/** Dependents of one owner that are written at a time. */
const width = 10;

export class Collector {
  readonly #parts: CollectorParts;

  constructor(parts: CollectorParts) {
    this.#parts = parts;
  }

  async check(uid: string): Promise<SyncResult> {
    const node = this.#parts.graph.get(uid);
    if (node === undefined) return undefined;
    if (node.resource === undefined) return this.#checkAbsent(node);
    if (node.isDeletingDependents) await this.#checkForeground(node);
    // What is being deleted ends by itself.
    else if (!node.isBeingDeleted) await this.#checkOwners(node);
    return undefined;
  }

  /** Dependents lose their reference, and then the object its finalizer. */
  async orphan(uid: string): Promise<SyncResult> {
    const { graph, objects } = this.#parts;
    const node = graph.get(uid);
    if (node?.isOrphaning !== true) return undefined;
    const results = await inParallel([...node.dependents], width, (dependent) =>
      dependent.resource === undefined ? Promise.resolve() : objects.release(dependent, [uid]),
    );
    // An object that was made anew under its name does not refer to the owner.
    for (const result of results) if (result.status === 'rejected' && !isInvalid(result.reason)) throw result.reason;
    await objects.removeFinalizer(node, orphanFinalizer);
    return undefined;
  }

  /** An owner that no informer has told of: dependents whose reference leads to nothing are looked at. */
  async #checkAbsent(node: GraphNode): Promise<SyncResult> {
    const answers = new Map<string, Answer>();
    for (const dependent of [...node.dependents]) {
      const reference = dependent.referenceTo(node);
      if (reference === undefined) continue;
      const key = [dependent.namespace, reference.apiVersion, reference.kind, reference.name].join('/');
      const known = answers.get(key);
      const answer = known ?? (await this.#answerOf(dependent, reference));
      if (known === undefined) answers.set(key, answer);
      // The informer told of it meanwhile.
      if (node.resource !== undefined) return undefined;
      if (answer.says === 'absent') this.#parts.check(dependent);
    }
    const all = [...answers.values()];
    for (const { failure } of all) if (failure !== undefined) throw failure;
    if (all.some(({ says }) => says === 'there')) return 'retry';
    if (all.every(({ says }) => says === 'absent') && this.#parts.graph.get(node.uid) === node)
      this.#parts.graph.remove(node.uid);
    return undefined;
  }

  async #answerOf(dependent: GraphNode, reference: OwnerReference): Promise<Answer> {
    try {
      const owner = await this.#find(dependent, reference);
      return { says: owner === 'invalid' ? 'unclear' : owner === undefined ? 'absent' : 'there' };
    } catch (failure) {
      return { says: 'unclear', failure };
    }
  }

  async #checkForeground(node: GraphNode): Promise<void> {
    const blocking = node.blockingDependents();
    if (blocking.length === 0) return this.#parts.objects.removeFinalizer(node, foregroundFinalizer);
    for (const dependent of blocking) if (!dependent.isBeingDeleted) this.#parts.check(dependent);
  }

  async #checkOwners(node: GraphNode): Promise<void> {
    const { objects, graph } = this.#parts;
    const latest = await objects.latest(node);
    if (latest === undefined) return graph.remove(node.uid);
    const references = latest.metadata?.ownerReferences ?? [];
    const classes = references.length === 0 ? undefined : await this.#classify(node, references);
    if (classes === undefined) return;
    const verdict = verdictOn(node, latest, classes);
    if (verdict.action === 'release') await objects.release(node, verdict.uids);
    if (verdict.action !== 'delete') return;
    if (verdict.unblock) await objects.unblock(node, latest);
    const now = verdict.unblock ? await objects.latest(node) : latest;
    if (now !== undefined) await this.#delete(node, now, verdict.policy);
  }

  async #delete(node: GraphNode, latest: KubeObject, policy: Parameters<Objects['delete']>[2]): Promise<void> {
    try {
      await this.#parts.objects.delete(node, latest, policy);
    } catch (error) {
      if (!isNotFound(error)) throw error;
      this.#parts.graph.remove(node.uid);
    }
  }

  /** Undefined when an owner cannot be what the object refers to: the object is left as it is. */
  async #classify(node: GraphNode, references: readonly OwnerReference[]): Promise<OwnerClasses | undefined> {
    const solid: OwnerReference[] = [];
    const dangling: OwnerReference[] = [];
    const waiting: OwnerReference[] = [];
    for (const reference of references) {
      const owner = await this.#find(node, reference);
      if (owner === 'invalid') return undefined;
      if (owner === undefined) dangling.push(reference);
      else if (isWaitingForDependents(owner)) waiting.push(reference);
      else solid.push(reference);
    }
    return { solid, dangling, waiting };
  }

  /**
   * The owner as the server has it; undefined when there is none. `invalid`: an object without a namespace cannot have
   * an owner in one. Throws when the server cannot say.
   */
  async #find(dependent: GraphNode, reference: OwnerReference): Promise<KubeObject | 'invalid' | undefined> {
    const { absent, objects, resourceOf } = this.#parts;
    if (absent.has(reference, dependent.namespace)) return undefined;
    const { apiVersion = '', kind = '', name = '', uid } = reference;
    const resource = resourceOf(apiVersion, kind);
    if (resource === undefined) throw new UnknownKindError(`no resource is known for kind ${kind} of ${apiVersion}`);
    if (resource.namespaced && dependent.namespace === '') return 'invalid';
    const namespace = resource.namespaced ? dependent.namespace : '';
    const owner = await objects.find(resource, namespace, name);
    if (owner?.metadata?.uid === uid) return owner;
    absent.add(reference, namespace);
    return undefined;
  }
}

/** The kind of an owner is not served, now or yet. Tried again with a delay that grows. */
export class UnknownKindError extends Error {
  override readonly name = 'UnknownKindError';
}
