/**
 * The pods of the hollow nodes of this process.
 *
 * One informer for all nodes; a work queue gives each pod to one worker at a time. A worker brings the pod as far as it
 * gets, writes the status if it changed, and comes back when something is due. What fails is tried again later, for
 * that pod alone.
 */
import type { Pod, PodCondition } from '../../../api/gen/types/core-v1.ts';
import { isPodTerminal } from '../../../api/core/pods/is-terminal.ts';
import type { Clock } from '../../../base/clock.ts';
import type { Logger } from '../../../base/logger.ts';
import type { Client } from '../../../client/client.ts';
import type { EventRecorder } from '../../../client/events/recorder.ts';
import { isEqual } from '../../../machinery/equal.ts';
import { retryConflicts } from '../retry-conflicts.ts';
import { changesOf, Controller, type SyncResult } from '../../../reconcile/controller.ts';
import { Informer } from '../../../reconcile/informer.ts';
import type { WorkQueueObserver } from '../../../reconcile/work-queue.ts';
import { ExponentialRateLimiter } from '../../../reconcile/rate-limiter.ts';
import { podStatus } from '../../pod-lifecycle/pod-status.ts';
import type { HollowNode } from '../nodes/hollow-node.ts';
import type { TemplateContext } from '../stages/template/functions.ts';
import { advance } from './advance.ts';
import { stateFromStatus } from './adopt.ts';
import { createHollowPod, type HollowPod } from './hollow-pod.ts';
import { ObjectStages } from './object-stages.ts';
import type { PodContext } from './pod-context.ts';
import { type PodResource, podResource } from './pod-resource.ts';
import { foreignPod, newerPod, reducedPod } from './pod-view.ts';
import { conditionsBefore, gatesOf } from './readiness-gates.ts';
import { removePod, writeStatus } from './pod-writer.ts';
import { soonest } from './soonest.ts';

export interface HollowPodsOptions extends PodContext {
  readonly client: Client;
  readonly clock: Clock;
  readonly log: Logger;
  readonly events: EventRecorder;
  readonly queue?: WorkQueueObserver;
  /** By name. */
  readonly nodes: ReadonlyMap<string, HollowNode>;
  readonly templateContext: (pod: Pod, hollow: HollowPod) => TemplateContext;
}

/** Writes that are under way at once. */
const workers = 64;
const retry = { firstMs: 100, maxMs: 60_000 };
/** A pod that goes through more at once goes on in its next turn. */
const mostTurns = 20;

export class HollowPods {
  readonly #options: HollowPodsOptions;
  readonly #informer: Informer<Pod>;
  readonly #controller: Controller;
  readonly #resource: PodResource;
  readonly #objectStages: ObjectStages;
  /** By key of the pod. */
  readonly #pods = new Map<string, HollowPod>();
  #lastConditions: readonly PodCondition[] = [];

  constructor(options: HollowPodsOptions) {
    const { client, clock, log, nodes, stages, random } = options;
    this.#options = options;
    this.#resource = podResource(client, stages.readsAll);
    this.#objectStages = new ObjectStages({ ...options, pods: this.#resource });
    const [only] = nodes.keys();
    // Pods without a node are nothing to any node.
    const fieldSelector = nodes.size === 1 ? `spec.nodeName=${only}` : 'spec.nodeName!=';
    this.#informer = new Informer<Pod>({
      source: this.#resource.source({ fieldSelector, dropManagedFields: true, streamLists: true }),
      transform: (pod) => this.#kept(pod),
      log,
      clock,
      random,
    });
    const isOurs = (pod: Pod): boolean => nodes.has(pod.spec.nodeName ?? '');
    this.#controller = new Controller({
      sync: (key, signal) => retryConflicts(this.#sync(key, signal)),
      onFailure: (pod, error) => log.warn({ err: error, pod }, 'a hollow pod could not be brought forward'),
      workers,
      ...(options.queue === undefined ? {} : { observer: options.queue }),
      triggers: [changesOf(this.#informer, (pod) => (isOurs(pod) ? [this.#informer.keyOf(pod)] : []))],
      rateLimiter: new ExponentialRateLimiter(retry),
      clock,
    });
  }

  start(): void {
    this.#informer.start();
    this.#controller.start();
  }

  async stop(): Promise<void> {
    await this.#controller.stop();
    await this.#informer.stop();
  }

  /** Looks at all pods of the node again. */
  wake({ name }: HollowNode): void {
    for (const pod of this.#informer.objects.values())
      if (pod.spec.nodeName === name) this.#controller.add(this.#informer.keyOf(pod));
  }

  #kept(pod: Pod): Pod {
    const { nodes, stages } = this.#options;
    if (!nodes.has(pod.spec.nodeName ?? '')) return foreignPod(pod);
    if (stages.readsAll) return pod;
    const isKnown = this.#pods.get(this.#informer.keyOf(pod))?.uid === pod.metadata.uid;
    return reducedPod(pod, !isKnown);
  }

  async #sync(key: string, signal: AbortSignal): Promise<SyncResult> {
    const seen = this.#informer.objects.get(key);
    const known = this.#pods.get(key);
    if (known !== undefined && known.uid !== seen?.metadata.uid) this.#forget(key, known);
    const node = this.#options.nodes.get(seen?.spec.nodeName ?? '');
    if (seen === undefined || node === undefined || node.isDead || node.isGone) return undefined;
    if (this.#options.stages.object.fromFile.length === 0 && isPodTerminal(seen))
      return this.#syncEnded(key, seen, signal);
    const hollow = this.#pods.get(key) ?? this.#adopt(key, seen, node);
    for (let turn = 0; turn < mostTurns && !hollow.isRemoved; turn++) {
      const pod = newerPod(seen, hollow.latest);
      const turned = await this.#turn(pod, hollow, signal);
      if (turned === 'gone') return undefined;
      if (turned !== 'again') return turned.inMs === undefined ? undefined : { requeueAfterMs: turned.inMs };
    }
    return hollow.isRemoved ? undefined : { requeueAfterMs: 0 };
  }

  /** Of a pod that has ended nothing is left to do but its deletion. */
  async #syncEnded(key: string, pod: Pod, signal: AbortSignal): Promise<undefined> {
    const known = this.#pods.get(key);
    if (known?.isRemoved === true) return;
    if (known !== undefined) this.#forget(key, known);
    if (pod.metadata.deletionTimestamp !== undefined) await removePod(this.#resource, pod, signal);
  }

  /** One stage of a file that is due, or as far as the life cycle gets. */
  async #turn(
    pod: Pod,
    hollow: HollowPod,
    signal: AbortSignal,
  ): Promise<'again' | 'gone' | { readonly inMs: number | undefined }> {
    const { nowMs } = this.#options;
    const beganMs = nowMs();
    const due = this.#objectStages.due(pod, hollow);
    if (due !== undefined && due.atMs <= beganMs)
      return (await this.#objectStages.apply(due, pod, hollow, signal)) === undefined ? 'gone' : 'again';
    const dueMs = due === undefined ? undefined : due.atMs - beganMs;
    if (due !== undefined && this.#objectStages.isInCharge(due, pod)) return { inMs: dueMs };
    const inMs = advance(pod, hollow, this.#options);
    const gates = gatesOf(pod);
    if (gates !== hollow.gates && !hollow.hasEnded) hollow.isDirty = true;
    hollow.gates = gates;
    if (hollow.isDirty) {
      if (!(await this.#writeStatus(pod, hollow, signal))) return 'gone';
      if (hollow.latest !== undefined) return 'again';
    }
    if (hollow.hasEnded && pod.metadata.deletionTimestamp !== undefined) {
      await removePod(this.#resource, pod, signal);
      hollow.isRemoved = true;
    }
    const nextMs = soonest(inMs, dueMs);
    if (nextMs === undefined) return { inMs: nextMs };
    // The writes have taken time.
    const leftMs = beganMs + nextMs - nowMs();
    return leftMs > 0 ? { inMs: leftMs } : 'again';
  }

  /** A pod that is new here: it may run already, when this process is not the first one to have its node. */
  #adopt(key: string, pod: Pod, node: HollowNode): HollowPod {
    const { nowMs, runtime } = this.#options;
    const startTimeMs = Date.parse(pod.status.startTime ?? '');
    const hollow = createHollowPod(pod, node, Number.isNaN(startTimeMs) ? nowMs() : startTimeMs);
    const state = stateFromStatus(pod, nowMs());
    hollow.hasEnded = isPodTerminal(pod);
    runtime.adopt(hollow.uid, state);
    node.podIPs.reserve(state.podIPs);
    this.#pods.set(key, hollow);
    return hollow;
  }

  #forget(key: string, { uid, node }: HollowPod): void {
    const { runtime } = this.#options;
    node.podIPs.release(runtime.stateOf(uid).podIPs);
    runtime.remove(uid);
    this.#pods.delete(key);
  }

  /** False when the pod is gone. */
  async #writeStatus(pod: Pod, hollow: HollowPod, signal: AbortSignal): Promise<boolean> {
    const { runtime, nowMs, stages } = this.#options;
    const status = podStatus({
      pod,
      state: runtime.stateOf(hollow.uid),
      stage: hollow.hasEnded ? 'ended' : hollow.isEnding ? 'ending' : 'alive',
      nowMs: nowMs(),
      startTimeMs: hollow.startTimeMs,
      hostIPs: hollow.node.hostIPs,
      conditions: conditionsBefore(pod, hollow.conditions),
      end: hollow.end,
    });
    const after = await writeStatus(this.#resource, pod, status, signal);
    if (after === undefined) return false;
    // Pods that started in the same second have the same conditions.
    if (!isEqual(this.#lastConditions, status.conditions)) this.#lastConditions = status.conditions ?? [];
    hollow.conditions = this.#lastConditions;
    hollow.isDirty = false;
    if (hollow.due?.size === 0) hollow.due = undefined;
    if (stages.readsAll) hollow.latest = after;
    return true;
  }
}
