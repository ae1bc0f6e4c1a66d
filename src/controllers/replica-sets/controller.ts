/**
 * Keeps as many pods as a ReplicaSet or a ReplicationController wants. Both are the same but for their types.
 * @see {@link https://kubernetes.io/docs/concepts/workloads/controllers/replicaset/ | ReplicaSet}
 */
import type { ReplicaSet, ReplicaSetStatus } from '../../api/gen/types/apps-v1.ts';
import type { Pod, ReplicationController } from '../../api/gen/types/core-v1.ts';
import type { Informer } from '../../client/index.ts';
import { type Requirements, requirementsOf, requirementsOfMap } from '../../machinery/label-selector.ts';
import { changesOf, type SyncResult } from '../../reconcile/controller.ts';
import type { MutationCache } from '../../reconcile/mutation-cache.ts';
import type { ControllerContext } from '../manager/context.ts';
import { claim, keysOfOwned } from '../shared/claim.ts';
import { controllerIndex, controllerKeys, controllerOf } from '../shared/owner-references.ts';
import { PodControl } from '../shared/pod-control.ts';
import { isPodActive } from '../shared/pod-conditions.ts';
import { selectorProblem } from '../shared/selector-problem.ts';
import { slowStart } from '../shared/slow-start.ts';
import { undefinedWhenGone } from '../../client/undefined-when-gone.ts';
import { type ReplicaSetMetrics, replicaSetMetrics } from './metrics.ts';
import { isStatusChanged, podsToChange, statusOf } from './sync.ts';
import { victimsOf } from './victims.ts';

type Replicated = ReplicaSet | ReplicationController;

/** What the two types differ in. */
interface Kind<T extends Replicated> {
  readonly kind: string;
  /** In words. */
  readonly what: string;
  readonly queue: string;
  readonly workers: number;
  readonly informer: Informer<T>;
  selectorOf(object: T): Requirements;
  get(namespace: string, name: string): Promise<T>;
  updateStatus(object: T, status: ReplicaSetStatus): Promise<T>;
}

export function startReplicaSets(context: ControllerContext): void {
  const { replicasets } = context.client.apps.v1;
  start<ReplicaSet>(context, {
    kind: 'ReplicaSet',
    what: 'replica set',
    queue: 'replicaset',
    workers: context.options.replicaSet.concurrentSyncs,
    informer: context.informer(replicasets),
    selectorOf: ({ spec }) => requirementsOf(spec?.selector),
    get: (namespace, name) => replicasets.namespace(namespace).get(name),
    updateStatus: (object, status) =>
      replicasets.namespace(object.metadata.namespace!).status.update({ ...object, status }),
  });
}

export function startReplicationControllers(context: ControllerContext): void {
  const { replicationcontrollers } = context.client.core.v1;
  start<ReplicationController>(context, {
    kind: 'ReplicationController',
    what: 'replication controller',
    queue: 'replicationmanager',
    workers: context.options.replicationController.concurrentSyncs,
    informer: context.informer(replicationcontrollers),
    selectorOf: ({ spec }) => requirementsOfMap(spec?.selector),
    get: (namespace, name) => replicationcontrollers.namespace(namespace).get(name),
    updateStatus: (object, status) =>
      replicationcontrollers.namespace(object.metadata.namespace!).status.update({
        ...object,
        status: status as NonNullable<ReplicationController['status']>,
      }),
  });
}

function start<T extends Replicated>(context: ControllerContext, kind: Kind<T>): void {
  const pods = context.informer(context.client.core.v1.pods);
  const podCache = context.mutationCache(pods);
  podCache.addIndex(controllerIndex, controllerKeys);
  const replicator = new Replicator(context, kind, podCache);
  context.work({
    queue: kind.queue,
    workers: kind.workers,
    triggers: [changesOf(kind.informer), changesOf(pods, keysOfOwned(kind.kind, kind.informer, kind.selectorOf))],
    sync: (key) => replicator.sync(key),
  });
}

class Replicator<T extends Replicated> {
  readonly #context: ControllerContext;
  readonly #kind: Kind<T>;
  readonly #pods: MutationCache<Pod>;
  readonly #podControl: PodControl;
  readonly #metrics: ReplicaSetMetrics | undefined;

  constructor(context: ControllerContext, kind: Kind<T>, pods: MutationCache<Pod>) {
    this.#context = context;
    this.#kind = kind;
    this.#pods = pods;
    this.#podControl = new PodControl(context, pods);
    this.#metrics = replicaSetMetrics(context.metrics);
  }

  async sync(key: string): Promise<SyncResult> {
    const object = this.#kind.informer.objects.get(key);
    if (object === undefined) return undefined;
    const problem = selectorProblem(this.#kind.what, () => this.#kind.selectorOf(object), object.spec?.template);
    if (problem !== undefined) {
      this.#context.events.event(object, 'Warning', problem.reason, problem.message);
      return undefined;
    }
    const pods = await this.#claimPods(object);
    const change = podsToChange(object.spec?.replicas ?? 1, pods.length);
    let failure: unknown;
    if (object.metadata.deletionTimestamp === undefined && change !== 0)
      failure = await (change > 0 ? this.#create(object, change) : this.#delete(object, pods, -change));
    const status = await this.#updateStatus(object, pods, change, failure);
    if (failure !== undefined) throw failure;
    return this.#nextLook(object, status);
  }

  #claimPods(object: T): Promise<Pod[]> {
    const { namespace, name } = object.metadata;
    const { pods } = this.#context.client.core.v1;
    return claim({
      owner: object,
      selector: this.#kind.selectorOf(object),
      objects: this.#pods,
      isCandidate: isPodActive,
      patch: ({ metadata }, patch) => pods.namespace(metadata.namespace!).patch(metadata.name!, patch),
      freshOwner: () => this.#kind.get(namespace!, name!).catch(undefinedWhenGone),
    });
  }

  async #create(owner: T, count: number): Promise<unknown> {
    const template = owner.spec!.template!;
    const { failure } = await slowStart(count, async () => {
      await this.#podControl.create({ template, owner });
    });
    return failure;
  }

  async #delete(owner: T, pods: readonly Pod[], count: number): Promise<unknown> {
    const now = this.#context.wallTime();
    const victims = victimsOf(pods, count, this.#related(owner, pods), now);
    this.#metrics?.chosen(victims, pods, now);
    const results = await Promise.allSettled(victims.map((pod) => this.#podControl.delete(pod, owner)));
    return results.find((result) => result.status === 'rejected')?.reason;
  }

  /** Pods of everything that the same owner controls, such as all ReplicaSets of a Deployment. */
  #related(owner: T, pods: readonly Pod[]): readonly Pod[] {
    const parent = controllerOf(owner);
    if (parent === undefined) return pods;
    return this.#kind.informer.lister
      .listIn(owner.metadata.namespace!)
      .filter((sibling) => controllerOf(sibling)?.uid === parent.uid)
      .flatMap(({ metadata }) => this.#pods.byIndex(controllerIndex, metadata.uid!))
      .filter(isPodActive);
  }

  async #updateStatus(object: T, pods: readonly Pod[], change: number, failure: unknown): Promise<ReplicaSetStatus> {
    const before = (object.status ?? {}) as ReplicaSetStatus;
    const status = statusOf({
      before,
      generation: object.metadata.generation,
      template: object.spec?.template,
      minReadySeconds: object.spec?.minReadySeconds ?? 0,
      pods,
      change,
      failure: failure as Error | undefined,
      nowMs: this.#context.wallTime(),
    });
    if (isStatusChanged(before, status)) await this.#kind.updateStatus(object, status);
    return status;
  }

  /** Pods that are ready become available by time alone. */
  #nextLook({ spec }: T, { readyReplicas, availableReplicas }: ReplicaSetStatus): SyncResult {
    const minReadySeconds = spec?.minReadySeconds ?? 0;
    const waits = minReadySeconds > 0 && readyReplicas === (spec?.replicas ?? 1) && availableReplicas !== readyReplicas;
    return waits ? { requeueAfterMs: minReadySeconds * 1000 } : undefined;
  }
}
