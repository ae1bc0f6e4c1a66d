/** One look at a DaemonSet: its revisions, its pods, its status. */
import type { ControllerRevision, DaemonSet } from '../../api/gen/types/apps-v1.ts';
import type { Node, Pod } from '../../api/gen/types/core-v1.ts';
import { requirementsOf } from '../../machinery/label-selector.ts';
import type { SyncResult } from '../../reconcile/controller.ts';
import type { Informer } from '../../reconcile/informer.ts';
import type { MutationCache } from '../../reconcile/mutation-cache.ts';
import type { ControllerContext } from '../manager/context.ts';
import { claim } from '../shared/claim.ts';
import { untilAvailableMs } from '../shared/pod-conditions.ts';
import { isNamespaceTerminating, PodControl } from '../shared/pod-control.ts';
import { slowStart } from '../shared/slow-start.ts';
import { undefinedWhenGone } from '../../client/undefined-when-gone.ts';
import { selectorProblem } from '../shared/selector-problem.ts';
import { daemonTemplate, generationOf } from './daemon-pod.ts';
import type { FailedPodBackoff } from './failed-pod-backoff.ts';
import type { DaemonHistory } from './history.ts';
import { isRolling } from './limits.ts';
import { placementsOf } from './placement.ts';
import { updateActions } from './rolling-update.ts';
import { countedStatus, isStatusChanged } from './status.ts';
import { type Actions, type DaemonInput, type Ended, nodeActions, podsByNode } from './sync.ts';

/** Pods that are created, and that are deleted, in one sync at most. */
export const burstReplicas = 250;

export interface DaemonCaches {
  readonly sets: MutationCache<DaemonSet>;
  /** Has the index `controllerIndex`. */
  readonly pods: MutationCache<Pod>;
  readonly nodes: Informer<Node>;
}

export class DaemonSetSyncer {
  readonly #context: ControllerContext;
  readonly #caches: DaemonCaches;
  readonly #history: DaemonHistory;
  readonly #backoff: FailedPodBackoff;
  readonly #podControl: PodControl;

  constructor(context: ControllerContext, caches: DaemonCaches, history: DaemonHistory, backoff: FailedPodBackoff) {
    this.#context = context;
    this.#caches = caches;
    this.#history = history;
    this.#backoff = backoff;
    this.#podControl = new PodControl(context, caches.pods);
  }

  async sync(key: string): Promise<SyncResult> {
    const set = this.#caches.sets.get(key);
    if (set === undefined) return undefined;
    const problem = selectorProblem('daemon set', () => requirementsOf(set.spec.selector), set.spec.template);
    if (problem !== undefined) {
      this.#context.events.event(set, 'Warning', problem.reason, problem.message);
      return undefined;
    }
    // Its pods and revisions may be orphans already: nothing that it would say of them holds.
    if (set.metadata.deletionTimestamp !== undefined) return undefined;
    const pods = await this.#claimPods(set);
    const { hash, collisionCount, old } = await this.#history.current(set, pods);
    const input = this.#inputOf(set, pods, hash);
    const actions = nodeActions(input);
    let failure = await this.#act(input, actions, actions.ended);
    // What was done for the nodes is looked at first.
    const isSettled = actions.create.length === 0 && actions.delete.length === 0;
    if (failure === undefined && isSettled && isRolling(set))
      failure = await this.#act(input, updateActions(input), []);
    if (failure === undefined) await this.#forgetRevisions(set, old, pods);
    const status = countedStatus(input, collisionCount);
    if (isStatusChanged(set.status, status)) await this.#writeStatus({ ...set, status });
    if (failure !== undefined) throw failure;
    return nextLook(actions.waitMs, untilAvailableMs(pods, set.spec.minReadySeconds ?? 0, input.nowMs));
  }

  #claimPods(set: DaemonSet): Promise<Pod[]> {
    const { client } = this.#context;
    const { namespace, name } = set.metadata;
    return claim({
      owner: set,
      selector: requirementsOf(set.spec.selector),
      objects: this.#caches.pods,
      patch: ({ metadata }, patch) => client.core.v1.pods.namespace(metadata.namespace!).patch(metadata.name!, patch),
      freshOwner: () => client.apps.v1.daemonsets.namespace(namespace!).get(name!).catch(undefinedWhenGone),
    });
  }

  #inputOf(set: DaemonSet, pods: readonly Pod[], hash: string): DaemonInput {
    return {
      set,
      nodes: [...this.#caches.nodes.objects.values()],
      pods: podsByNode(pods),
      placements: placementsOf(set),
      hash,
      generation: generationOf(set),
      backoffMs: (node) => this.#backoff.waitMs(backoffKey(set, node)),
      nowMs: this.#context.wallTime(),
    };
  }

  /** @returns the first failure */
  async #act({ set, hash }: DaemonInput, actions: Actions, ended: readonly Ended[]): Promise<unknown> {
    for (const each of ended) this.#tellEnd(set, each);
    const templateFor = daemonTemplate(set, hash);
    const nodes = actions.create.slice(0, burstReplicas);
    const { failure } = await slowStart(nodes.length, async (index) => {
      try {
        await this.#podControl.create({ template: templateFor(nodes[index]!), owner: set });
      } catch (error) {
        // All others would be refused too, and nothing is left to be done.
        if (!isNamespaceTerminating(error)) throw error;
      }
    });
    const victims = actions.delete.slice(0, burstReplicas);
    const results = await Promise.allSettled(victims.map((pod) => this.#podControl.delete(pod, set)));
    return failure ?? results.find((result) => result.status === 'rejected')?.reason;
  }

  #tellEnd(set: DaemonSet, { pod, node }: Ended): void {
    const { name, namespace } = pod.metadata;
    const { events } = this.#context;
    const about = `daemon pod ${namespace}/${name} on node ${node}`;
    if (pod.status.phase === 'Failed') {
      this.#backoff.replaced(backoffKey(set, node));
      events.event(set, 'Warning', 'FailedDaemonPod', `Found failed ${about}, will try to kill it`);
    } else events.event(set, 'Normal', 'SucceededDaemonPod', `Found succeeded ${about}, will try to delete it`);
  }

  async #forgetRevisions(set: DaemonSet, old: readonly ControllerRevision[], pods: readonly Pod[]): Promise<void> {
    await this.#history.forget(old, pods, set.spec.revisionHistoryLimit ?? 10);
  }

  async #writeStatus(set: DaemonSet): Promise<void> {
    const { daemonsets } = this.#context.client.apps.v1;
    this.#caches.sets.wrote(await daemonsets.namespace(set.metadata.namespace!).status.update(set));
  }
}

/** A new template is tried at once. */
const backoffKey = ({ metadata, status }: DaemonSet, node: string): string =>
  `${metadata.uid}/${status.observedGeneration ?? 0}/${node}`;

function nextLook(...waits: readonly (number | undefined)[]): SyncResult {
  const known = waits.filter((wait) => wait !== undefined);
  return known.length === 0 ? undefined : { requeueAfterMs: Math.min(...known) };
}
