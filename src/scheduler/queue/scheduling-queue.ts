/**
 * Pods that have no node yet, in one of four places:
 *
 * - active: can be scheduled now, the most important first;
 * - back-off: failed not long ago, and goes to the active ones when its time is over;
 * - unschedulable: waits for a change that a plugin which refused it asked for, or for five minutes;
 * - in flight: taken out to be scheduled, until it has a node or comes back.
 *
 * Nothing here is asynchronous but `wait`: every call leaves the pod in exactly one place.
 */
import type { Pod } from '../../api/gen/types/core-v1.ts';
import type { Clock, Timer } from '../../base/clock.ts';
import { type ClusterEvent, unschedulableTimeout } from '../framework/cluster-event.ts';
import type { Answer, QueuedOrder } from '../framework/plugin.ts';
import { podChanges } from '../state/pod-changes.ts';
import { PodInfo } from '../state/pod-info.ts';
import { Heap } from './heap.ts';
import { InFlightEvents } from './in-flight-events.ts';
import type { NominatedPods } from './nominated-pods.ts';
import { backoffMs, type BackoffLimits, QueuedPod } from './queued-pod.ts';
import type { QueueingHints, Requeue } from './queueing-hints.ts';
import { UnschedulablePods } from './unschedulable-pods.ts';

export type QueueName = 'active' | 'backoff' | 'unschedulable';

export interface SchedulingQueueOptions {
  readonly clock: Clock;
  readonly isBefore: (a: QueuedOrder, b: QueuedOrder) => boolean;
  /** What the PreEnqueue plugins of the pod's profile say. */
  readonly preEnqueue: (pod: PodInfo) => Answer;
  readonly hints: QueueingHints;
  readonly backoff: BackoffLimits;
  /** A pod that nothing woke for so long is tried anyway; 5 minutes when absent. */
  readonly maxUnschedulableMs?: number | undefined;
  readonly nominated: NominatedPods;
  /** Told of each pod that comes into a queue, and by what. */
  readonly onIncoming?: (queue: QueueName, event: string) => void;
  /** Told how long it took to wake the pods that a change may help. */
  readonly onMoved?: (event: string, seconds: number) => void;
}

/**
 * How long the first pod whose back-off is over waits for others: pods that failed shortly after one another become
 * active together, so that the most important of them is first.
 *
 * @NOTE differs from upstream: it looks once per second, so that pods on both sides of a look come apart.
 */
const backoffWindowMs = 500;
/** A pod that nothing woke for so long is tried anyway. */
const usualMaxUnschedulableMs = 5 * 60_000;
const unschedulableFlushMs = 30_000;

export class SchedulingQueue {
  readonly nominated: NominatedPods;
  readonly inFlight = new InFlightEvents();
  readonly #options: SchedulingQueueOptions;
  readonly #active: Heap<QueuedPod>;
  readonly #backoff: Heap<QueuedPod>;
  readonly #unschedulable = new UnschedulablePods();
  #backoffTimer: { readonly at: number; readonly timer: Timer } | undefined;
  #flushTimer: Timer | undefined;
  #wake: (() => void) | undefined;

  constructor(options: SchedulingQueueOptions) {
    this.#options = options;
    this.nominated = options.nominated;
    const keyOf = ({ uid }: QueuedPod): string => uid;
    this.#active = new Heap(keyOf, options.isBefore);
    this.#backoff = new Heap(keyOf, (a, b) => this.#backoffEnd(a) < this.#backoffEnd(b));
  }

  get counts(): { readonly active: number; readonly backoff: number; readonly unschedulable: number; gated: number } {
    const { size, gatedCount: gated } = this.#unschedulable;
    return { active: this.#active.size, backoff: this.#backoff.size, unschedulable: size - gated, gated };
  }

  /** What the plugins keep out, for metrics. */
  get unschedulable(): Pick<UnschedulablePods, 'countsByPlugin'> {
    return this.#unschedulable;
  }

  stop(): void {
    this.#backoffTimer?.timer.cancel();
    this.#flushTimer?.cancel();
    this.#backoffTimer = this.#flushTimer = undefined;
    this.#wake?.();
  }

  /** A pod that is new, or known under no name here. */
  add(pod: Pod): void {
    const info = new PodInfo(pod);
    this.nominated.update(info);
    this.#toActive(new QueuedPod(info, this.#options.clock.now()), 'PodAdd');
  }

  update(before: Pod, after: Pod): void {
    const uid = after.metadata.uid ?? '';
    if (this.inFlight.has(uid)) {
      for (const event of podChanges(before, after)) this.inFlight.record({ event, before, after });
      return;
    }
    const queued = this.#find(uid);
    if (queued === undefined) return this.add(after);
    queued.info = new PodInfo(after);
    this.nominated.update(queued.info);
    if (this.#unschedulable.get(uid) === queued) this.#wakeByOwnChange(queued, before, after);
  }

  delete(pod: Pod): void {
    const uid = pod.metadata.uid ?? '';
    this.nominated.delete(uid);
    this.#active.delete(uid);
    this.#backoff.delete(uid);
    this.#unschedulable.delete(uid);
  }

  has(uid: string): boolean {
    return this.inFlight.has(uid) || this.#find(uid) !== undefined;
  }

  /** Takes the first pod out. It is in flight until `done` or `addUnschedulable`. */
  pop(): QueuedPod | undefined {
    const queued = this.#active.shift();
    if (queued === undefined) return undefined;
    queued.attempts++;
    queued.firstAttemptAt ??= this.#options.clock.now();
    queued.unschedulablePlugins = queued.pendingPlugins = new Set();
    this.inFlight.begin(queued.uid);
    return queued;
  }

  /** Resolves when there may be a pod to take, or at a stop. */
  wait(): Promise<void> {
    if (this.#active.size > 0) return Promise.resolve();
    return new Promise((resolve) => {
      this.#wake = () => {
        this.#wake = undefined;
        resolve();
      };
    });
  }

  /** The pod has a node, or is gone. */
  done(uid: string): void {
    this.inFlight.end(uid);
  }

  /** The attempt failed. Where the pod goes depends on what has happened since it was taken. */
  addUnschedulable(queued: QueuedPod): void {
    const requeue = this.#requeueInFlight(queued);
    this.inFlight.end(queued.uid);
    if (this.#find(queued.uid) !== undefined) return;
    queued.timestamp = this.#options.clock.now();
    this.nominated.update(queued.info);
    this.#put(queued, requeue, 'ScheduleAttemptFailure');
  }

  /** Wakes the pods that the change may have made schedulable. */
  move(event: ClusterEvent, before: unknown, after: unknown): void {
    const begun = performance.now();
    this.inFlight.record({ event, before, after });
    const { hints } = this.#options;
    const candidates =
      event.resource === '*'
        ? [...this.#unschedulable.values()]
        : this.#unschedulable.rejectedBy(hints.pluginsFor(event));
    for (const queued of candidates) this.#moveOne(queued, event, before, after);
    this.#options.onMoved?.(event.label, (performance.now() - begun) / 1000);
  }

  /** Pods that plugins want to be tried now, whatever refused them. */
  activate(uids: Iterable<string>): void {
    for (const uid of uids) {
      const queued = this.#unschedulable.delete(uid) ?? this.#backoff.delete(uid);
      if (queued !== undefined) this.#toActive(queued, 'ForceActivate');
    }
  }

  #find(uid: string): QueuedPod | undefined {
    return this.#active.get(uid) ?? this.#backoff.get(uid) ?? this.#unschedulable.get(uid);
  }

  #wakeByOwnChange(queued: QueuedPod, before: Pod, after: Pod): void {
    for (const event of podChanges(before, after)) if (this.#moveOne(queued, event, before, after)) return;
  }

  #moveOne(queued: QueuedPod, event: ClusterEvent, before: unknown, after: unknown): boolean {
    const requeue = this.#options.hints.requeue(queued, event, before, after);
    if (requeue === 'never') return false;
    this.#unschedulable.delete(queued.uid);
    this.#put(queued, requeue, event.label);
    return true;
  }

  #requeueInFlight(queued: QueuedPod): Requeue {
    // An error that no plugin stands for: nothing would wake the pod.
    if (!queued.hasRejectors) return 'afterBackoff';
    let requeue: Requeue = 'never';
    for (const { event, before, after } of this.inFlight.since(queued.uid)) {
      const found = this.#options.hints.requeue(queued, event, before, after);
      if (found === 'atOnce') return found;
      if (found === 'afterBackoff') requeue = found;
    }
    return requeue;
  }

  #put(queued: QueuedPod, requeue: Requeue, event: string): void {
    if (requeue === 'never') return this.#toUnschedulable(queued, event);
    const isBackingOff = !queued.isGated && this.#backoffEnd(queued) > this.#options.clock.now();
    if (requeue === 'afterBackoff' && isBackingOff) this.#toBackoff(queued, event);
    else this.#toActive(queued, event);
  }

  #toActive(queued: QueuedPod, event: string): void {
    const status = this.#options.preEnqueue(queued.info);
    queued.isGated = status !== undefined;
    if (status !== undefined) {
      queued.unschedulablePlugins = new Set([...queued.unschedulablePlugins, status.plugin]);
      return this.#toUnschedulable(queued, event);
    }
    this.#active.set(queued);
    this.#options.onIncoming?.('active', event);
    this.#wake?.();
  }

  #toBackoff(queued: QueuedPod, event: string): void {
    this.#backoff.set(queued);
    this.#options.onIncoming?.('backoff', event);
    this.#flushBackoffLater();
  }

  #toUnschedulable(queued: QueuedPod, event: string): void {
    this.#unschedulable.add(queued);
    this.#options.onIncoming?.('unschedulable', event);
    this.#flushUnschedulableLater();
  }

  #backoffEnd({ timestamp, attempts }: QueuedPod): number {
    return attempts === 0 ? timestamp : timestamp + backoffMs(attempts, this.#options.backoff);
  }

  #flushBackoffLater(): void {
    const { first } = this.#backoff;
    if (first === undefined) return;
    const at = this.#backoffEnd(first) + backoffWindowMs;
    if (this.#backoffTimer !== undefined && this.#backoffTimer.at <= at) return;
    this.#backoffTimer?.timer.cancel();
    const { clock } = this.#options;
    const timer = clock.after(Math.max(0, Math.ceil(at - clock.now())), () => this.#flushBackoff());
    this.#backoffTimer = { at, timer };
  }

  #flushBackoff(): void {
    this.#backoffTimer = undefined;
    const now = this.#options.clock.now();
    for (;;) {
      const { first } = this.#backoff;
      if (first === undefined || this.#backoffEnd(first) > now) break;
      this.#backoff.shift();
      this.#toActive(first, 'BackoffComplete');
    }
    this.#flushBackoffLater();
  }

  #flushUnschedulableLater(): void {
    if (this.#flushTimer !== undefined || this.#unschedulable.size === 0) return;
    this.#flushTimer = this.#options.clock.after(unschedulableFlushMs, () => {
      this.#flushTimer = undefined;
      this.#flushUnschedulable();
      this.#flushUnschedulableLater();
    });
  }

  #flushUnschedulable(): void {
    const { clock, maxUnschedulableMs = usualMaxUnschedulableMs } = this.#options;
    const before = clock.now() - maxUnschedulableMs;
    const late = [...this.#unschedulable.values()].filter(({ timestamp }) => timestamp < before);
    for (const queued of late) this.#moveOne(queued, unschedulableTimeout, undefined, undefined);
  }
}
