/** One look at a StatefulSet: its revisions, its pods, its status. */
import type { ControllerRevision, StatefulSet, StatefulSetStatus } from '../../api/gen/types/apps-v1.ts';
import type { PersistentVolumeClaim, Pod } from '../../api/gen/types/core-v1.ts';
import { requirementsOf } from '../../machinery/label-selector.ts';
import type { SyncResult } from '../../reconcile/controller.ts';
import type { MutationCache } from '../../reconcile/mutation-cache.ts';
import type { ControllerContext } from '../manager/context.ts';
import { claim } from '../shared/claim.ts';
import type { ControllerRevisions, EnsuredRevision } from '../shared/controller-revisions.ts';
import { untilAvailableMs } from '../shared/pod-conditions.ts';
import { templateOfRevision } from '../shared/revision-data.ts';
import { slowStart } from '../shared/slow-start.ts';
import { undefinedWhenGone } from '../../client/undefined-when-gone.ts';
import { selectorProblem } from '../shared/selector-problem.ts';
import { ordinalOf, revisionOf } from './identity.ts';
import { StatefulPods } from './stateful-pods.ts';
import { isStatusChanged } from './status.ts';
import { isOrdered, type Plan, planOf, type Step, type Task } from './sync.ts';

export interface StatefulSetCaches {
  readonly sets: MutationCache<StatefulSet>;
  /** Has the index `controllerIndex`. */
  readonly pods: MutationCache<Pod>;
  readonly claims: MutationCache<PersistentVolumeClaim>;
}

/** The revision of the template, and the one that all pods had before. */
interface Revisions {
  readonly update: EnsuredRevision;
  readonly current: ControllerRevision;
}

export class StatefulSetSyncer {
  readonly #context: ControllerContext;
  readonly #caches: StatefulSetCaches;
  readonly #revisions: ControllerRevisions;
  readonly #pods: StatefulPods;

  constructor(context: ControllerContext, caches: StatefulSetCaches, revisions: ControllerRevisions) {
    this.#context = context;
    this.#caches = caches;
    this.#revisions = revisions;
    this.#pods = new StatefulPods(context, caches.pods, caches.claims);
  }

  async sync(key: string): Promise<SyncResult> {
    const set = this.#caches.sets.get(key);
    if (set === undefined) return undefined;
    const problem = selectorProblem('stateful set', () => requirementsOf(set.spec.selector), set.spec.template);
    if (problem !== undefined) {
      this.#context.events.event(set, 'Warning', problem.reason, problem.message);
      return undefined;
    }
    const known = await this.#revisions.of(set);
    const pods = await this.#claimPods(set);
    const revisions = await this.#revisionsOf(set, known);
    if (revisions === undefined) return undefined;
    const nowMs = this.#context.wallTime();
    const plan = planOf({
      set,
      pods,
      current: revisions.current.metadata.name!,
      update: revisions.update.revision.metadata.name!,
      collisionCount: revisions.update.collisionCount,
      claim: (name) => this.#pods.claim(set, name),
      hasMaxUnavailable: this.#context.isGateOn('MaxUnavailableStatefulSet'),
      nowMs,
    });
    const failure = await this.#run(set, plan, revisions);
    if (isStatusChanged(set.status, plan.status)) await this.#writeStatus(set, plan.status);
    await this.#forgetRevisions(set, pods, known, revisions);
    if (failure !== undefined) throw failure;
    const requeueAfterMs = untilAvailableMs(pods, set.spec.minReadySeconds ?? 0, nowMs);
    return requeueAfterMs === undefined ? undefined : { requeueAfterMs };
  }

  /** A set that is about to be deleted gets no new revision: those that it had may be orphans already. */
  async #revisionsOf(set: StatefulSet, known: readonly ControllerRevision[]): Promise<Revisions | undefined> {
    const { currentRevision, updateRevision, collisionCount = 0 } = set.status;
    const named = (name: string | undefined): ControllerRevision | undefined =>
      known.find(({ metadata }) => metadata.name === name);
    if (set.metadata.deletionTimestamp === undefined) {
      const update = await this.#revisions.ensure(set, known);
      return { update, current: named(currentRevision) ?? update.revision };
    }
    const revision = named(updateRevision);
    if (revision === undefined) return undefined;
    return { update: { revision, collisionCount }, current: named(currentRevision) ?? revision };
  }

  #claimPods(set: StatefulSet): Promise<Pod[]> {
    const { client } = this.#context;
    const { namespace, name } = set.metadata;
    return claim({
      owner: set,
      selector: requirementsOf(set.spec.selector),
      objects: this.#caches.pods,
      isCandidate: (pod) => ordinalOf(set, pod) !== undefined,
      patch: ({ metadata }, patch) => client.core.v1.pods.namespace(metadata.namespace!).patch(metadata.name!, patch),
      freshOwner: () => client.apps.v1.statefulsets.namespace(namespace!).get(name!).catch(undefinedWhenGone),
    });
  }

  /** @returns the first failure, after which no other phase is begun */
  async #run(set: StatefulSet, { phases }: Plan, revisions: Revisions): Promise<unknown> {
    const run = async (task: Task): Promise<void> => {
      for (const step of task) await this.#take(set, step, revisions);
    };
    for (const tasks of phases) {
      if (isOrdered(set)) {
        try {
          for (const task of tasks) await run(task);
        } catch (error) {
          return error;
        }
      } else {
        const { failure } = await slowStart(tasks.length, (index) => run(tasks[index]!));
        if (failure !== undefined) return failure;
      }
    }
    return undefined;
  }

  #take(set: StatefulSet, step: Step, { current, update }: Revisions): Promise<void> {
    switch (step.do) {
      case 'create': {
        const revision = step.isCurrent ? current : update.revision;
        const template = revision === update.revision ? set.spec.template : templateOfRevision(revision);
        return this.#pods.create(set, { ordinal: step.ordinal, template, revision: revision.metadata.name! });
      }
      case 'delete':
        return this.#pods.delete(set, step.pod);
      case 'createClaims':
        return this.#pods.createClaims(set, step.pod);
      case 'ownClaims':
        return this.#pods.ownClaims(set, step.pod);
      case 'update':
        return this.#pods.update(set, step.pod);
    }
  }

  async #writeStatus(set: StatefulSet, status: StatefulSetStatus): Promise<void> {
    const { statefulsets } = this.#context.client.apps.v1;
    const written = await statefulsets.namespace(set.metadata.namespace!).status.update({ ...set, status });
    this.#caches.sets.wrote(written);
  }

  /** Deletes the oldest of those that no pod has, beyond the limit of the set. */
  async #forgetRevisions(
    set: StatefulSet,
    pods: readonly Pod[],
    known: readonly ControllerRevision[],
    { current, update }: Revisions,
  ): Promise<void> {
    const { revisionHistoryLimit = 10 } = set.spec;
    const used = new Set([current.metadata.name, update.revision.metadata.name, ...pods.map(revisionOf)]);
    const unused = known.filter(({ metadata }) => !used.has(metadata.name!));
    for (const revision of unused.slice(0, Math.max(0, unused.length - revisionHistoryLimit)))
      await this.#revisions.delete(revision);
  }
}
