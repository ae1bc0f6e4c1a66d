/**
 * The pods of the hollow nodes of this process.
 *
 * One informer for all nodes; a work queue gives each pod to one worker at a time. A worker brings the pod as far as it
 * gets, writes the status if it changed, and comes back when something is due. What fails is tried again later, for
 * that pod alone.
 */
import type { Pod } from '../../../api/gen/types/core-v1.ts';
import type { Clock } from '../../../base/clock.ts';
import type { Logger } from '../../../base/logger.ts';
import type { Client } from '../../../client/client.ts';
import { changesOf, Controller, type SyncResult } from '../../../reconcile/controller.ts';
import { Informer } from '../../../reconcile/informer.ts';
import { ExponentialRateLimiter } from '../../../reconcile/rate-limiter.ts';
import { podStatus } from '../../pod-lifecycle/pod-status.ts';
import type { HollowNode } from '../nodes/hollow-node.ts';
import { advance } from './advance.ts';
import { stateFromStatus } from './adopt.ts';
import { createHollowPod, type HollowPod } from './hollow-pod.ts';
import type { PodContext } from './pod-context.ts';
import { foreignPod, isTerminal, reducedPod } from './pod-view.ts';
import { createPodWriter, type PodWriter } from './pod-writer.ts';

export interface HollowPodsOptions extends PodContext {
  readonly client: Client;
  readonly clock: Clock;
  readonly log: Logger;
  /** By name. */
  readonly nodes: ReadonlyMap<string, HollowNode>;
}

/** Writes that are under way at once. */
const workers = 64;
const retry = { firstMs: 100, maxMs: 60_000 };

export class HollowPods {
  readonly #options: HollowPodsOptions;
  readonly #informer: Informer<Pod>;
  readonly #controller: Controller;
  readonly #writer: PodWriter;
  /** By key of the pod. */
  readonly #pods = new Map<string, HollowPod>();

  constructor(options: HollowPodsOptions) {
    const { client, clock, log, nodes, stages, random } = options;
    this.#options = options;
    this.#writer = createPodWriter(client);
    const [only] = nodes.keys();
    // Pods without a node are nothing to any node.
    const fieldSelector = nodes.size === 1 ? `spec.nodeName=${only}` : 'spec.nodeName!=';
    this.#informer = new Informer<Pod>({
      source: client.core.v1.pods.source({ fieldSelector, dropManagedFields: true, streamLists: true }),
      transform: (pod) => this.#kept(pod, stages.readsAll),
      log,
      clock,
      random,
    });
    const isOurs = (pod: Pod): boolean => nodes.has(pod.spec.nodeName ?? '');
    this.#controller = new Controller({
      sync: (key, signal) => this.#sync(key, signal),
      onFailure: (pod, error) => log.warn({ err: error, pod }, 'a hollow pod could not be brought forward'),
      workers,
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

  #kept(pod: Pod, readsAll: boolean): Pod {
    if (!this.#options.nodes.has(pod.spec.nodeName ?? '')) return foreignPod(pod);
    if (readsAll) return pod;
    const isKnown = this.#pods.get(this.#informer.keyOf(pod))?.uid === pod.metadata.uid;
    return reducedPod(pod, !isKnown);
  }

  async #sync(key: string, signal: AbortSignal): Promise<SyncResult> {
    const pod = this.#informer.objects.get(key);
    const known = this.#pods.get(key);
    if (known !== undefined && known.uid !== pod?.metadata.uid) this.#forget(key, known);
    const node = this.#options.nodes.get(pod?.spec.nodeName ?? '');
    if (pod === undefined || node === undefined || node.isDead) return undefined;
    if (this.#pods.get(key)?.isRemoved === true) return undefined;
    if (isTerminal(pod)) return this.#syncEnded(key, pod, signal);
    const hollow = this.#pods.get(key) ?? this.#adopt(key, pod, node);
    const inMs = advance(pod, hollow, this.#options);
    if (hollow.isDirty) await this.#writeStatus(key, pod, hollow, signal);
    if (hollow.hasEnded && !hollow.isDirty && pod.metadata.deletionTimestamp !== undefined) {
      await this.#writer.remove(pod, signal);
      hollow.isRemoved = true;
    }
    return inMs === undefined ? undefined : { requeueAfterMs: inMs };
  }

  /** Of a pod that has ended nothing is left to do but its deletion. */
  async #syncEnded(key: string, pod: Pod, signal: AbortSignal): Promise<undefined> {
    const known = this.#pods.get(key);
    if (known !== undefined) this.#forget(key, known);
    if (pod.metadata.deletionTimestamp !== undefined) await this.#writer.remove(pod, signal);
  }

  /** A pod that is new here: it may run already, when this process is not the first one to have its node. */
  #adopt(key: string, pod: Pod, node: HollowNode): HollowPod {
    const { nowMs, runtime } = this.#options;
    const startTimeMs = Date.parse(pod.status.startTime ?? '');
    const hollow = createHollowPod(pod, node, Number.isNaN(startTimeMs) ? nowMs() : startTimeMs);
    const state = stateFromStatus(pod, nowMs());
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

  async #writeStatus(key: string, pod: Pod, hollow: HollowPod, signal: AbortSignal): Promise<void> {
    const { runtime, nowMs } = this.#options;
    const status = podStatus({
      pod,
      state: runtime.stateOf(hollow.uid),
      stage: hollow.hasEnded ? 'ended' : hollow.isEnding ? 'ending' : 'alive',
      nowMs: nowMs(),
      startTimeMs: hollow.startTimeMs,
      hostIPs: hollow.node.hostIPs,
      conditions: hollow.conditions,
      end: hollow.end,
    });
    if ((await this.#writer.writeStatus(pod, status, signal)) === undefined) return this.#forget(key, hollow);
    hollow.conditions = status.conditions ?? [];
    hollow.isDirty = false;
  }
}
