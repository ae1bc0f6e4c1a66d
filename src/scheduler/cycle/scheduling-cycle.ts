/**
 * One pod after the other: choose a node, assume the pod there, and bind it in the background while the next pod is
 * looked at. What fails puts the pod back and takes the assumption back.
 */
import type { Clock } from '../../base/clock.ts';
import type { Logger } from '../../base/logger.ts';
import { actions, clusterEvent } from '../framework/cluster-event.ts';
import { CycleState } from '../framework/cycle-state.ts';
import { emptyDiagnosis } from '../framework/fit-error.ts';
import { NodeStatuses } from '../framework/node-statuses.ts';
import type { SchedulerObserver } from '../framework/observer.ts';
import type { Profile } from '../framework/profile.ts';
import type { Answer } from '../framework/plugin.ts';
import { type Extenders, extenderName } from '../extender/extenders.ts';
import { failure, type Status } from '../framework/status.ts';
import type { QueuedPod } from '../queue/queued-pod.ts';
import type { SchedulingQueue } from '../queue/scheduling-queue.ts';
import type { ClusterState } from '../state/cluster-state.ts';
import type { FailureHandler } from './failure.ts';
import type { PodEvents } from './pod-events.ts';
import { type Choice, messageOf, type PodScheduler, rejectedOn } from './schedule-pod.ts';
import type { WaitingPods } from './waiting-pods.ts';

export interface SchedulingCycleOptions {
  readonly cluster: ClusterState;
  readonly queue: SchedulingQueue;
  readonly profiles: ReadonlyMap<string, Profile>;
  readonly pods: PodScheduler;
  readonly failures: FailureHandler;
  readonly events: PodEvents;
  readonly waiting: WaitingPods;
  readonly extenders: Extenders;
  readonly observer: SchedulerObserver;
  readonly clock: Clock;
  readonly log: Logger;
}

interface Attempt {
  readonly queued: QueuedPod;
  readonly profile: Profile;
  readonly state: CycleState;
  readonly begun: number;
}

/** Told when the pod's binding is over, one way or the other. */
export interface StartedBinding {
  readonly done: Promise<void>;
}

/** Each plugin is timed in one of so many cycles: timing costs more than most plugins. */
const measuredEvery = 10;
const podLeftNode = clusterEvent('AssignedPod', actions.delete);

export class SchedulingCycle {
  readonly #options: SchedulingCycleOptions;
  #cycles = 0;

  constructor(options: SchedulingCycleOptions) {
    this.#options = options;
  }

  /** Resolves when the next pod can be looked at. The binding goes on, if there is one. */
  async schedule(queued: QueuedPod, signal: AbortSignal): Promise<StartedBinding | undefined> {
    const { queue, profiles, pods, extenders } = this.#options;
    const profile = profiles.get(queued.profile);
    if (profile === undefined || this.#isToBeSkipped(queued)) return void queue.done(queued.uid);
    const attempt = { queued, profile, state: new CycleState(), begun: performance.now() };
    attempt.state.isMeasured = this.#cycles++ % measuredEvery === 0;
    const choice = extenders.isEmpty
      ? pods.choose(profile, attempt.state, queued.info)
      : await pods.chooseWithExtenders(profile, attempt.state, queued.info, { extenders, signal });
    if (choice.kind !== 'node') return void (await this.#unscheduled(attempt, choice, signal));
    return this.#take(attempt, choice.nodeName, signal);
  }

  #isToBeSkipped({ info, uid }: QueuedPod): boolean {
    const { cluster, events } = this.#options;
    const { pod, namespace, name } = info;
    if (pod.metadata.deletionTimestamp !== undefined) {
      events.failedScheduling(pod, `skip schedule deleting pod: ${namespace}/${name}`);
      return true;
    }
    return cluster.hasPod(uid);
  }

  /** From here to the beginning of the binding nothing else runs: what was chosen still holds. */
  #take(attempt: Attempt, nodeName: string, signal: AbortSignal): Promise<StartedBinding | undefined> {
    const { cluster, queue } = this.#options;
    const { queued, profile, state } = attempt;
    const { info } = queued;
    cluster.assume(info, nodeName);
    queue.nominated.delete(info.uid);
    const reserved = profile.reserve(state, info, nodeName);
    if (reserved !== undefined) return this.#refused(attempt, nodeName, reserved, signal);
    const { status, later } = this.#options.waiting.permit(profile.permits, state, info, nodeName);
    if (status !== undefined) return this.#refused(attempt, nodeName, status, signal);
    return Promise.resolve({ done: this.#bind(attempt, nodeName, later, signal) });
  }

  async #refused(attempt: Attempt, nodeName: string, status: Status, signal: AbortSignal): Promise<undefined> {
    this.#takeBack(attempt, nodeName);
    await this.#unscheduled(attempt, this.#choiceOf(nodeName, status), signal, false);
  }

  async #bind(
    attempt: Attempt,
    nodeName: string,
    permitted: Promise<Status | undefined> | undefined,
    signal: AbortSignal,
  ): Promise<void> {
    const { queued, profile, state } = attempt;
    const { info } = queued;
    try {
      const status =
        (await this.#permission(permitted)) ??
        (await profile.preBind(state, info, nodeName, signal)) ??
        (await this.#bindOnNode(attempt, nodeName, signal));
      if (status === undefined) this.#bound(attempt, nodeName);
      else await this.#bindingFailed(attempt, nodeName, status, signal);
    } catch (error) {
      this.#options.log.error({ err: error, pod: `${info.namespace}/${info.name}` }, 'the binding of a pod failed');
      this.#options.queue.done(info.uid);
    }
  }

  /** An extender that binds does so in place of the plugins. */
  async #bindOnNode({ queued, profile, state }: Attempt, nodeName: string, signal: AbortSignal): Promise<Answer> {
    const binder = this.#options.extenders.binderOf(queued.info);
    if (binder === undefined) return profile.bind(state, queued.info, nodeName, signal);
    try {
      await binder.bind(queued.info, nodeName, signal);
      return undefined;
    } catch (error) {
      return failure(extenderName, error);
    }
  }

  async #permission(permitted: Promise<Status | undefined> | undefined): Promise<Status | undefined> {
    if (permitted === undefined) return undefined;
    const begun = performance.now();
    const status = await permitted;
    this.#options.observer.permitWaited(status?.code ?? 'Success', (performance.now() - begun) / 1000);
    return status;
  }

  #bound({ queued, profile, state, begun }: Attempt, nodeName: string): void {
    const { queue, events, observer, clock } = this.#options;
    const { info, attempts, firstAttemptAt, createdAt } = queued;
    queue.done(info.uid);
    profile.postBind(state, info, nodeName);
    events.scheduled(info.pod, nodeName);
    const now = clock.now();
    observer.attempted(profile.schedulerName, 'scheduled', (performance.now() - begun) / 1000);
    const seconds = (now - (firstAttemptAt ?? now)) / 1000;
    observer.scheduled({ attempts, seconds, sinceCreated: (now - createdAt) / 1000 });
  }

  async #bindingFailed(attempt: Attempt, nodeName: string, status: Status, signal: AbortSignal): Promise<void> {
    const { queue } = this.#options;
    const { pod } = attempt.queued.info;
    this.#takeBack(attempt, nodeName);
    // Others may fit where this pod was to be.
    queue.move(podLeftNode, pod, undefined);
    if (signal.aborted) return queue.done(attempt.queued.uid);
    await this.#unscheduled(attempt, this.#choiceOf(nodeName, status), signal, false);
  }

  #takeBack({ profile, state, queued }: Attempt, nodeName: string): void {
    profile.unreserve(state, queued.info, nodeName);
    this.#options.cluster.forget(queued.uid);
  }

  #choiceOf(nodeName: string, status: Status): Choice {
    return status.isRejected
      ? rejectedOn(nodeName, this.#options.cluster.nodes.length, status)
      : { kind: 'error', status };
  }

  /** @param isUnplaced no node was found, so that others may be preempted */
  async #unscheduled(attempt: Attempt, choice: Choice, signal: AbortSignal, isUnplaced = true): Promise<void> {
    if (choice.kind === 'node') return;
    const { failures, observer } = this.#options;
    const { queued, profile, begun } = attempt;
    const nominatedNodeName = isUnplaced ? await this.#makeRoom(attempt, choice) : undefined;
    const { unschedulablePlugins, pendingPlugins } =
      choice.kind === 'unfit' ? choice.diagnosis : emptyDiagnosis(new NodeStatuses());
    const isError = choice.kind === 'error';
    const reason = isError ? 'SchedulerError' : 'Unschedulable';
    const failure = { reason, message: messageOf(choice), unschedulablePlugins, pendingPlugins } as const;
    const result = isError ? 'error' : 'unschedulable';
    observer.attempted(profile.schedulerName, result, (performance.now() - begun) / 1000);
    await failures.handle(queued, { ...failure, nominatedNodeName }, signal);
  }

  /** @returns the node on which there will be space; empty when there is none to be made, undefined when it is open */
  async #makeRoom({ profile, state, queued }: Attempt, choice: Choice): Promise<string | undefined> {
    if (choice.kind === 'noNodes') return '';
    if (choice.kind !== 'unfit' || !profile.hasPostFilters) return undefined;
    const { status, nominatedNodeName } = await profile.postFilter(state, queued.info, choice.diagnosis.statuses);
    if (status?.code === 'Error')
      this.#options.log.error({ err: status.error, plugin: status.plugin }, 'no space could be made for a pod');
    choice.diagnosis.postFilterMessage = status?.message ?? '';
    return nominatedNodeName;
  }
}
