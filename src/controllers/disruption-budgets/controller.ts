/**
 * Says in each PodDisruptionBudget how many of its pods may be evicted now, and takes back conditions of pods that were
 * to be disrupted and were not.
 * @see {@link https://kubernetes.io/docs/concepts/workloads/pods/disruptions/#pod-disruption-budgets | Pod disruption
 *   budgets}
 */
import type { Pod } from '../../api/gen/types/core-v1.ts';
import type { PodDisruptionBudget, PodDisruptionBudgetStatus } from '../../api/gen/types/policy-v1.ts';
import { isConflict } from '../../client/api-error.ts';
import { undefinedWhenGone } from '../../client/undefined-when-gone.ts';
import type { Informer } from '../../client/index.ts';
import { isEqual } from '../../machinery/equal.ts';
import { matchesLabels, type Requirements, requirementsOf } from '../../machinery/label-selector.ts';
import { changesOf, type SyncResult } from '../../reconcile/controller.ts';
import type { MutationCache } from '../../reconcile/mutation-cache.ts';
import type { ControllerContext } from '../manager/context.ts';
import { isPodReady } from '../shared/pod-conditions.ts';
import { NoScaleError, Scales } from '../shared/scales.ts';
import { shownSelector } from '../shared/shown-selector.ts';
import { eventsOf } from '../shared/triggers.ts';
import { Owners } from './owners.ts';
import { budgetView, expectationOf, failedStatus, needsScale, staleAfterMs, undisrupted } from './sync.ts';

export function startDisruptionBudgets(context: ControllerContext): void {
  const { core, apps, policy } = context.client;
  const pods = context.informer(core.v1.pods);
  const budgets = context.informer(policy.v1.poddisruptionbudgets);
  const owners = {
    deployments: context.informer(apps.v1.deployments),
    replicaSets: context.informer(apps.v1.replicasets),
    replicationControllers: context.informer(core.v1.replicationcontrollers),
    statefulSets: context.informer(apps.v1.statefulsets),
  };
  const cache = context.mutationCache(budgets);
  const disruption = new Disruption(context, pods, budgets, cache, new Owners(owners, scalesOf(context)));
  context.work({
    queue: 'disruption',
    workers: 1,
    triggers: [
      changesOf(budgets),
      eventsOf(pods, (add) => {
        const wake = (pod: Pod): void => disruption.budgetsOf(pod).forEach((budget) => add(budgets.keyOf(budget)));
        return {
          onAdd: (pod) => {
            disruption.tellOfSeveral(pod);
            wake(pod);
          },
          onUpdate: (before, after) => {
            if (!isChanged(before, after)) return;
            wake(after);
            if (isEqual(before.metadata.labels, after.metadata.labels)) return;
            disruption.tellOfSeveral(after);
            wake(before);
          },
          onDelete: wake,
        };
      }),
      ...Object.values(owners).map((informer) => changesOf<object>(informer as Informer<object>, () => [])),
    ],
    sync: (key) => disruption.sync(key),
  });
  context.work({
    queue: 'stale_pod_disruption',
    workers: 1,
    triggers: [
      changesOf(pods, (pod) => (staleAfterMs(pod, context.wallTime()) === undefined ? [] : [pods.keyOf(pod)])),
    ],
    sync: (key) => disruption.syncStale(key),
  });
}

const scalesOf = ({ client, clock }: ControllerContext): Scales => new Scales(client, clock);

const isChanged = (before: Pod, after: Pod): boolean =>
  before === after ||
  isPodReady(before) !== isPodReady(after) ||
  before.metadata.deletionTimestamp !== after.metadata.deletionTimestamp ||
  !isEqual(before.metadata.labels, after.metadata.labels) ||
  !isEqual(before.metadata.ownerReferences, after.metadata.ownerReferences);

class Disruption {
  readonly #context: ControllerContext;
  readonly #pods: Informer<Pod>;
  readonly #budgets: Informer<PodDisruptionBudget>;
  readonly #cache: MutationCache<PodDisruptionBudget>;
  readonly #owners: Owners;
  readonly #selectors = new WeakMap<PodDisruptionBudget, Requirements>();

  constructor(
    context: ControllerContext,
    pods: Informer<Pod>,
    budgets: Informer<PodDisruptionBudget>,
    cache: MutationCache<PodDisruptionBudget>,
    owners: Owners,
  ) {
    this.#context = context;
    this.#pods = pods;
    this.#budgets = budgets;
    this.#cache = cache;
    this.#owners = owners;
  }

  budgetsOf({ metadata }: Pod): PodDisruptionBudget[] {
    return this.#budgets.lister
      .listIn(metadata.namespace!)
      .filter((budget) => matchesLabels(this.#selectorOf(budget), metadata.labels));
  }

  /** Evictions of a pod with several budgets are refused. */
  tellOfSeveral(pod: Pod): void {
    const [first, second] = this.budgetsOf(pod);
    if (second === undefined) return;
    const { namespace, name } = pod.metadata;
    const message = `Pod "${namespace}"/"${name}" matches multiple PodDisruptionBudgets.`;
    const chosen = `Chose "${first!.metadata.name}" arbitrarily.`;
    this.#context.events.event(pod, 'Warning', 'MultiplePodDisruptionBudgets', `${message}  ${chosen}`);
  }

  async sync(key: string): Promise<SyncResult> {
    const budget = this.#cache.get(key);
    if (budget === undefined) return undefined;
    try {
      return await this.#update(budget);
    } catch (error) {
      if (isConflict(error)) throw error;
      const { message } = error as Error;
      await this.#write(budget, failedStatus(budget, message, this.#context.wallTime()));
      // Another try changes nothing until a pod or the budget does.
      if (error instanceof NoScaleError) return undefined;
      throw error;
    }
  }

  async #update(budget: PodDisruptionBudget): Promise<SyncResult> {
    const { events, wallTime } = this.#context;
    const pods = this.#pods.lister.listIn(budget.metadata.namespace!, this.#selectorOf(budget));
    if (pods.length === 0) events.event(budget, 'Normal', 'NoPods', 'No matching pods found');
    const scale = needsScale(budget.spec) ? await this.#scaleOf(budget, pods) : 0;
    const nowMs = wallTime();
    const expectation = expectationOf(budget.spec, pods.length, scale);
    const { status, recheckAfterMs, notDeleted } = budgetView(budget, pods, expectation, nowMs);
    const { namespace } = budget.metadata;
    for (const pod of notDeleted) {
      // The namespace twice, as upstream has it.
      const message = `Pod was expected by PDB ${namespace}/${namespace} to be deleted but it wasn't`;
      events.event(pod, 'Warning', 'NotDeleted', message);
    }
    await this.#write(budget, status);
    return recheckAfterMs === undefined ? undefined : { requeueAfterMs: recheckAfterMs + 1 };
  }

  async #scaleOf(budget: PodDisruptionBudget, pods: readonly Pod[]): Promise<number> {
    const { events } = this.#context;
    try {
      const { pods: expected, unmanaged } = await this.#owners.scaleOf(pods);
      if (unmanaged.length > 0)
        events.event(budget, 'Warning', 'UnmanagedPods', unmanagedMessage(shownSelector(budget.spec.selector)));
      return expected;
    } catch (error) {
      const message = `Failed to calculate the number of expected pods: ${(error as Error).message}`;
      events.event(budget, 'Warning', 'CalculateExpectedPodCountFailed', message);
      throw error;
    }
  }

  async #write(budget: PodDisruptionBudget, status: PodDisruptionBudgetStatus | undefined): Promise<void> {
    if (status === undefined) return;
    const resource = this.#context.client.policy.v1.poddisruptionbudgets.namespace(budget.metadata.namespace!);
    try {
      this.#cache.wrote(await resource.status.update({ ...budget, status }));
    } catch (error) {
      undefinedWhenGone(error);
    }
  }

  async syncStale(key: string): Promise<SyncResult> {
    const { wallTime, client } = this.#context;
    const pod = this.#pods.objects.get(key);
    const leftMs = pod === undefined ? undefined : staleAfterMs(pod, wallTime());
    if (pod === undefined || leftMs === undefined) return undefined;
    if (leftMs > 0) return { requeueAfterMs: leftMs };
    const status = { ...pod.status, conditions: undisrupted(pod, wallTime()) };
    await client.core.v1.pods
      .namespace(pod.metadata.namespace!)
      .status.update({ ...pod, status })
      .catch(undefinedWhenGone);
    return undefined;
  }

  #selectorOf(budget: PodDisruptionBudget): Requirements {
    let requirements = this.#selectors.get(budget);
    if (requirements === undefined) this.#selectors.set(budget, (requirements = requirementsOf(budget.spec?.selector)));
    return requirements;
  }
}

const unmanagedMessage = (selector: string): string =>
  [
    `Pods selected by this PodDisruptionBudget (selector: ${selector}) were found to be unmanaged.`,
    'As a result, the status of the PDB cannot be calculated correctly, which may result in undefined behavior.',
    'To account for these pods please set ".spec.minAvailable" field of the PDB to an integer value.',
  ].join(' ');
