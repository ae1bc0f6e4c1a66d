/** One look at a Deployment: what is written, and in which order. */
import type { Deployment, DeploymentStatus, ReplicaSet } from '../../api/gen/types/apps-v1.ts';
import type { Pod } from '../../api/gen/types/core-v1.ts';
import { requirementsOf } from '../../machinery/label-selector.ts';
import type { SyncResult } from '../../reconcile/controller.ts';
import type { Informer } from '../../reconcile/informer.ts';
import type { MutationCache } from '../../reconcile/mutation-cache.ts';
import type { ControllerContext } from '../manager/context.ts';
import { claim } from '../shared/claim.ts';
import { controllerIndex } from '../shared/owner-references.ts';
import { isPodTerminal } from '../../api/core/pods/is-terminal.ts';
import { undefinedWhenGone } from '../../client/undefined-when-gone.ts';
import { type SelectorProblem, selectorProblem } from '../shared/selector-problem.ts';
import { sizeOf, wantedOf } from './limits.ts';
import { NewReplicaSet } from './new-replica-set.ts';
import { currentSet, withSizes } from './revisions.ts';
import { rollBack } from './rollback.ts';
import { newSetSize, oldSetSizes, type Resize, scaledSizes } from './sizes.ts';
import * as status from './status.ts';
import { nextStep, outdatedSets, pauseConditions } from './sync.ts';

/** The ReplicaSets of a Deployment. */
interface Sets {
  readonly all: readonly ReplicaSet[];
  readonly old: readonly ReplicaSet[];
  readonly current: ReplicaSet | undefined;
}

const setsOf = (deployment: Deployment, all: readonly ReplicaSet[]): Sets => {
  const current = currentSet(deployment, all);
  return { all, current, old: all.filter((set) => set !== current) };
};

export class Rollout {
  readonly #context: ControllerContext;
  readonly #deployments: MutationCache<Deployment>;
  readonly #sets: MutationCache<ReplicaSet>;
  readonly #pods: Informer<Pod>;
  readonly #newSet: NewReplicaSet;

  constructor(
    context: ControllerContext,
    deployments: MutationCache<Deployment>,
    sets: MutationCache<ReplicaSet>,
    pods: Informer<Pod>,
  ) {
    this.#context = context;
    this.#deployments = deployments;
    this.#sets = sets;
    this.#pods = pods;
    this.#newSet = new NewReplicaSet(context, sets, (deployment, changed) => this.#writeStatus(deployment, changed));
  }

  async sync(key: string): Promise<SyncResult> {
    const deployment = this.#deployments.get(key);
    if (deployment === undefined) return undefined;
    const { selector, template } = deployment.spec!;
    const problem = selectorProblem('deployment', () => requirementsOf(selector), template);
    if (problem !== undefined) return this.#refuse(deployment, problem);
    const all = await this.#claimSets(deployment);
    if (deployment.metadata.deletionTimestamp !== undefined) return this.#writeCounts(deployment, all);
    const checked = await this.#notePause(deployment);
    switch (nextStep(checked, all)) {
      case 'scale':
        return this.#scale(checked, all);
      case 'rollBack':
        return rollBack(this.#context, this.#deployments, checked, all);
      case 'roll':
        return this.#roll(checked, all);
      case 'recreate':
        return this.#recreate(checked, all);
    }
  }

  async #refuse(deployment: Deployment, { reason, message }: SelectorProblem): Promise<SyncResult> {
    this.#context.events.event(deployment, 'Warning', reason, message);
    const { generation } = deployment.metadata;
    if (Number(deployment.status?.observedGeneration ?? 0) < Number(generation))
      await this.#writeStatus(deployment, { ...deployment.status, observedGeneration: generation! });
    return undefined;
  }

  #claimSets(deployment: Deployment): Promise<ReplicaSet[]> {
    const { namespace, name } = deployment.metadata;
    const { deployments, replicasets } = this.#context.client.apps.v1;
    return claim({
      owner: deployment,
      selector: requirementsOf(deployment.spec!.selector),
      objects: this.#sets,
      patch: ({ metadata }, patch) => replicasets.namespace(metadata.namespace!).patch(metadata.name!, patch),
      freshOwner: () => deployments.namespace(namespace!).get(name!).catch(undefinedWhenGone),
    });
  }

  async #notePause(deployment: Deployment): Promise<Deployment> {
    const conditions = pauseConditions(deployment, this.#context.wallTime());
    return conditions === undefined ? deployment : this.#writeStatus(deployment, { ...deployment.status, conditions });
  }

  /** Sizes follow that of the Deployment; nothing is rolled out. */
  async #scale(deployment: Deployment, all: readonly ReplicaSet[]): Promise<SyncResult> {
    const sets = setsOf(deployment, all);
    const known = sets.current === undefined ? sets : await this.#withRevision(deployment, sets);
    const resized = await this.#resizeAll(deployment, scaledSizes(deployment, known.old, known.current));
    if (deployment.spec!.paused === true) await this.#cleanUp(deployment, known.old);
    return this.#writeCounts(deployment, replaced(known.all, resized));
  }

  async #withRevision(deployment: Deployment, { all, old, current }: Sets): Promise<Sets> {
    const updated = await this.#newSet.keepRevision(deployment, current!, old);
    return { all: replaced(all, [updated]), old, current: updated };
  }

  async #roll(deployment: Deployment, all: readonly ReplicaSet[]): Promise<SyncResult> {
    const before = setsOf(deployment, all);
    const ensured = await this.#newSet.ensure(
      deployment,
      before.current,
      before.old,
      newSetSize(deployment, all, undefined),
    );
    if (ensured === undefined) return undefined;
    const sets = [...before.old, ensured.set];
    const wanted = newSetSize(ensured.deployment, sets, ensured.set);
    const grown = wanted === sizeOf(ensured.set) ? [] : [{ set: ensured.set, size: wanted }];
    const changes = grown.length > 0 ? grown : oldSetSizes(ensured.deployment, before.old, ensured.set);
    if (changes.length > 0) {
      const resized = await this.#resizeAll(ensured.deployment, changes);
      return this.#writeRollout(ensured.deployment, replaced(sets, resized));
    }
    return this.#finish(ensured.deployment, before.old, sets);
  }

  async #recreate(deployment: Deployment, all: readonly ReplicaSet[]): Promise<SyncResult> {
    const { old, current } = setsOf(deployment, all);
    const changes = old.filter((set) => sizeOf(set) > 0).map((set) => ({ set, size: 0 }));
    if (changes.length > 0)
      return this.#writeRollout(deployment, replaced(all, await this.#resizeAll(deployment, changes)));
    if (old.some((set) => this.#hasRunningPods(set))) return this.#writeRollout(deployment, all);
    const ensured = await this.#newSet.ensure(deployment, current, old, wantedOf(deployment));
    if (ensured === undefined) return undefined;
    const [set = ensured.set] = await this.#resizeAll(ensured.deployment, [
      { set: ensured.set, size: wantedOf(deployment) },
    ]);
    return this.#finish(ensured.deployment, old, [...old, set]);
  }

  #hasRunningPods({ metadata }: ReplicaSet): boolean {
    return this.#pods.objects.byIndex(controllerIndex, metadata.uid!).some((pod) => !isPodTerminal(pod));
  }

  async #finish(deployment: Deployment, old: readonly ReplicaSet[], all: readonly ReplicaSet[]): Promise<SyncResult> {
    if (status.isComplete(deployment, deployment.status ?? {})) await this.#cleanUp(deployment, old);
    return this.#writeRollout(deployment, all);
  }

  /** @returns the ReplicaSets that were written */
  async #resizeAll(deployment: Deployment, changes: readonly Resize[]): Promise<ReplicaSet[]> {
    const written: ReplicaSet[] = [];
    for (const { set, size } of changes) {
      const annotations = withSizes(deployment, set.metadata.annotations ?? {});
      const sameAnnotations = Object.entries(annotations).every(
        ([name, value]) => set.metadata.annotations?.[name] === value,
      );
      if (size !== sizeOf(set) || !sameAnnotations)
        written.push(await this.#resize(deployment, set, size, annotations));
    }
    return written;
  }

  async #resize(
    deployment: Deployment,
    set: ReplicaSet,
    size: number,
    annotations: Record<string, string>,
  ): Promise<ReplicaSet> {
    const { client, events } = this.#context;
    const before = sizeOf(set);
    const resized = await client.apps.v1.replicasets.namespace(set.metadata.namespace!).update({
      ...set,
      metadata: { ...set.metadata, annotations },
      spec: { ...set.spec!, replicas: size },
    });
    this.#sets.wrote(resized);
    const way = size > before ? 'up' : 'down';
    const message = `Scaled ${way} replica set ${set.metadata.name} from ${before} to ${size}`;
    if (size !== before) events.event(deployment, 'Normal', 'ScalingReplicaSet', message);
    return resized;
  }

  /** Deletes the oldest of the ReplicaSets that are kept for rolling back. */
  async #cleanUp(deployment: Deployment, old: readonly ReplicaSet[]): Promise<void> {
    for (const set of outdatedSets(deployment, old)) {
      const { namespace, name } = set.metadata;
      try {
        await this.#context.client.apps.v1.replicasets.namespace(namespace!).delete(name!);
        this.#sets.deleted(set);
      } catch (error) {
        undefinedWhenGone(error);
      }
    }
  }

  async #writeCounts(deployment: Deployment, all: readonly ReplicaSet[]): Promise<SyncResult> {
    const { current } = setsOf(deployment, all);
    const next = status.countedStatus(deployment, all, current, this.#context.wallTime());
    if (status.isStatusChanged(deployment.status, next)) await this.#writeStatus(deployment, next);
    return undefined;
  }

  async #writeRollout(deployment: Deployment, all: readonly ReplicaSet[]): Promise<SyncResult> {
    const nowMs = this.#context.wallTime();
    const next = status.rolloutStatus(deployment, all, currentSet(deployment, all), nowMs);
    if (status.isStatusChanged(deployment.status, next)) {
      await this.#writeStatus(deployment, next);
      return undefined;
    }
    const requeueAfterMs = status.nextLookMs(deployment, next, nowMs);
    return requeueAfterMs === undefined ? undefined : { requeueAfterMs };
  }

  async #writeStatus(deployment: Deployment, changed: DeploymentStatus): Promise<Deployment> {
    const { deployments } = this.#context.client.apps.v1;
    const written = await deployments
      .namespace(deployment.metadata.namespace!)
      .status.update({ ...deployment, status: changed });
    this.#deployments.wrote(written);
    return written;
  }
}

/** The same ReplicaSets, those that were written as they are now. */
const replaced = (all: readonly ReplicaSet[], written: readonly ReplicaSet[]): ReplicaSet[] =>
  all.map((set) => written.find(({ metadata }) => metadata.uid === set.metadata.uid) ?? set);
