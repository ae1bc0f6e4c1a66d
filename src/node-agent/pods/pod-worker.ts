/**
 * One pod, from its binding to its end: one operation at a time, whatever comes meanwhile.
 *
 * - `alive`: it is synced after each change, after a time, and sooner after a failure.
 * - `ending`: its containers are stopped. That is not interrupted, and tried again until it is done.
 * - `ended`: volumes and control group are taken away, and the last status says how it ended.
 *
 * A pod never goes back.
 */
import type { Pod } from '../../api/gen/types/core-v1.ts';
import { isPodTerminal } from '../../api/core/pods/is-terminal.ts';
import { sleep } from '../../base/clock.ts';
import { Latch } from '../../base/latch.ts';
import { deadlineExceeded, untilDeadline } from '../pod-lifecycle/deadline.ts';
import { killPod } from './kill-pod.ts';
import type { PodContext } from './pod-context.ts';
import { isStaticPod } from './static/static-pod.ts';
import type { Refusal } from './admission/admission-request.ts';
import { createPodMemory, type Eviction, type PodMemory } from './pod-memory.ts';
import { publishStatus, refusedStatus, stateOf, terminationByKubelet } from './publish-status.ts';
import { syncPod } from './sync-pod.ts';

const failureMs = 10_000;
const tellAfterMs = 1000;
/** Times are so much longer at random, at most. */
const jitter = 0.5;

export type Stage = 'alive' | 'ending' | 'ended';

export class PodWorker {
  readonly #context: PodContext;
  readonly #stopped = new AbortController();
  readonly #memory: PodMemory;
  /** Its status is final already. */
  readonly #wasTerminal: boolean;
  #pod: Pod;
  #stage: Stage = 'alive';
  /** Ends the sync that is under way. */
  #sync = new AbortController();
  #isAwake = true;
  #isPaused = false;
  #isSyncing = false;
  #wake: () => void = () => undefined;
  #running: Promise<void> | undefined;
  /** The pod is gone from its source. */
  #isRemoved = false;
  #refusal: Refusal | undefined;
  #before: Promise<unknown> | undefined;
  readonly #ended = new Latch();
  readonly #stop = new Latch();

  constructor(pod: Pod, context: PodContext) {
    this.#pod = pod;
    this.#context = context;
    const startTimeMs = Date.parse(pod.status?.startTime ?? '');
    const conditions = pod.status?.conditions ?? [];
    this.#memory = createPodMemory(Number.isNaN(startTimeMs) ? context.nowMs() : startTimeMs, conditions);
    this.#wasTerminal = pod.status !== undefined && isPodTerminal(pod);
  }

  get pod(): Pod {
    return this.#pod;
  }

  get stage(): Stage {
    return this.#stage;
  }

  /** Nothing of the pod is under way: it waits for a change, or for its time. */
  get isIdle(): boolean {
    return this.#isPaused || this.#stage === 'ended';
  }

  get isRemoved(): boolean {
    return this.#isRemoved;
  }

  get isRefused(): boolean {
    return this.#refusal !== undefined;
  }

  /** Resolves when nothing of the pod runs any more. */
  get ended(): Promise<void> {
    return this.#ended.wait();
  }

  /** The node does not take the pod: it has failed. */
  refuse(refusal: Refusal): void {
    this.#refusal = refusal;
    this.#context.events.ofPod(this.#pod, 'Warning', refusal.reason, refusal.message);
  }

  /** The node ends the pod. */
  evict(eviction: Eviction): void {
    this.#memory.eviction ??= eviction;
    if (this.#stage === 'alive') this.#stage = 'ending';
    this.#sync.abort();
    this.wake();
  }

  /** The node ends the pod for one that is more important. */
  preempt(): void {
    this.#context.events.ofPod(this.#pod, 'Warning', 'Preempting', 'Preempted in order to admit critical pod');
    const message = 'Pod was preempted by Kubelet to accommodate a critical pod.';
    this.evict({
      reason: 'Preempting',
      message: 'Preempted in order to admit critical pod',
      condition: terminationByKubelet(message, this.#context.nowMs()),
    });
  }

  /** Holds the first look at the pod up. */
  startAfter(before: Promise<unknown>): void {
    this.#before = Promise.all([this.#before, before]);
  }

  start(): void {
    this.#running ??= this.#run();
  }

  /** Leaves the pod as it is: another agent goes on with it. */
  async stop(): Promise<void> {
    this.#stopped.abort();
    this.#stop.open();
    this.#sync.abort();
    this.#wake();
    await this.#running;
  }

  update(pod: Pod): void {
    this.#pod = pod;
    if (this.#mustEnd()) this.#sync.abort();
    if (this.#stage === 'ended') this.#context.statuses.set(pod, this.#finalStatus(), true);
    this.wake();
  }

  /** The source does not have the pod any more. */
  remove(): void {
    this.#isRemoved = true;
    this.#sync.abort();
    this.wake();
  }

  /** Something of the pod may have changed in the runtime. */
  wake(): void {
    this.#isAwake = true;
    this.#wake();
  }

  /** An object that the pod refers to has changed: its volumes are brought up to date. */
  refresh(): void {
    this.#memory.changes++;
    this.#memory.prepared = undefined;
    this.wake();
  }

  #mustEnd(): boolean {
    return this.#isRemoved || this.#wasTerminal || this.isRefused || this.#pod.metadata.deletionTimestamp !== undefined;
  }

  async #run(): Promise<void> {
    let waitMs = 0;
    await Promise.race([this.#before, this.#stop.wait()]);
    while (!this.#stopped.signal.aborted) {
      await this.#pause(waitMs);
      if (this.#stopped.signal.aborted) return;
      try {
        waitMs = await this.#turn();
      } catch (error) {
        if (this.#stopped.signal.aborted) return;
        // A sync that was given up is no failure.
        waitMs = this.#isSyncing && this.#sync.signal.aborted ? 0 : this.#jittered(failureMs);
        this.#isSyncing = false;
        const { name, namespace } = this.#pod.metadata;
        const { log } = this.#context;
        if (waitMs > 0) log.warn({ err: error, pod: `${namespace}/${name}` }, 'a pod could not be brought forward');
        this.#memory.isStale = true;
      }
      if (this.#stage === 'ended') return;
    }
  }

  /** @returns milliseconds until the next turn */
  async #turn(): Promise<number> {
    if (this.#stage === 'alive' && this.#mustEnd()) this.#stage = 'ending';
    const { clock, observer, trace } = this.#context;
    const isAlive = this.#stage === 'alive';
    const begunAt = clock.now();
    const operation = isAlive ? 'sync' : 'kill';
    const work = (): Promise<number> => (isAlive ? this.#live() : this.#end());
    const waitMs = await (trace === undefined ? work() : trace(operation, this.#pod, work));
    observer?.worked(operation, (clock.now() - begunAt) / 1000);
    return waitMs;
  }

  async #live(): Promise<number> {
    this.#sync = new AbortController();
    this.#isSyncing = true;
    const { config, nowMs, events } = this.#context;
    const outcome = await syncPod({ pod: this.#pod, memory: this.#memory, signal: this.#sync.signal }, this.#context);
    this.#isSyncing = false;
    if ('again' in outcome) return 0;
    if ('hasEnded' in outcome) {
      this.#stage = 'ending';
      if (untilDeadline(this.#pod.spec, this.#memory.startTimeMs, nowMs()) === 0) {
        this.#memory.end ??= deadlineExceeded;
        events.ofPod(this.#pod, 'Normal', deadlineExceeded.reason, deadlineExceeded.message);
      }
      return 0;
    }
    const regular = this.#jittered(outcome.hasFailed ? failureMs : config.syncFrequencyMs);
    return Math.min(regular, outcome.inMs ?? Infinity);
  }

  async #end(): Promise<number> {
    const { cache, statuses } = this.#context;
    const uid = this.#pod.metadata.uid ?? '';
    const memory = this.#memory;
    memory.waiting.clear();
    let runtimePod = memory.isStale ? await cache.refresh(uid) : cache.get(uid);
    memory.isStale = true;
    this.#publish('ending', runtimePod);
    await killPod(this.#pod, runtimePod, this.#context, {
      graceSeconds: this.#graceSeconds(),
    });
    runtimePod = await cache.reread(uid);
    if (runtimePod?.containers.some(({ status }) => status.state === 'CONTAINER_RUNNING') === true)
      throw new Error('containers of the pod still run');
    this.#context.probes.keepOnly(uid, new Set());
    await this.#takeAway(uid, () => this.#publish('ending', runtimePod));
    this.#stage = 'ended';
    if (this.#wasTerminal) statuses.set(this.#pod, this.#pod.status, true);
    else this.#publish('ended', runtimePod);
    this.#ended.open();
    return 0;
  }

  /** @param tell that nothing runs any more: not where that is over at once, as the last status says it too */
  async #takeAway(uid: string, tell: () => void): Promise<void> {
    const { volumes, cgroups, userNamespaces, resizes, allocations, clock } = this.#context;
    const timer = clock.after(tellAfterMs, tell);
    try {
      if (!this.#keepsVolumes()) await volumes.tearDown(uid);
      await cgroups.remove(uid);
      await userNamespaces?.release(uid);
      resizes?.forget(uid);
      await allocations.unprepare(uid);
      allocations.release(uid);
    } catch (error) {
      tell();
      throw error;
    } finally {
      timer.cancel();
    }
  }

  /** Housekeeping takes them away when the pod is gone. */
  #keepsVolumes(): boolean {
    const isDeleted = this.#isRemoved || this.#pod.metadata.deletionTimestamp !== undefined;
    return this.#context.config.keepsVolumes && !isDeleted;
  }

  /** Undefined for what the pod says. */
  #graceSeconds(): number | undefined {
    if (this.#isRemoved && this.#pod.metadata.deletionTimestamp === undefined)
      return isStaticPod(this.#pod) ? undefined : 0;
    return this.#memory.eviction?.graceSeconds ?? this.#memory.graceSeconds;
  }

  #publish(stage: Stage, runtimePod: Parameters<typeof stateOf>[1]): void {
    // What was final before this agent began stays as it is.
    if (this.#wasTerminal) return;
    if (this.#refusal !== undefined) {
      this.#context.statuses.set(this.#pod, refusedStatus(this.#refusal, this.#memory), stage === 'ended');
      return;
    }
    const state = stateOf(this.#pod, runtimePod, this.#memory, this.#context);
    // As upstream: the mirror of a static pod goes without a word on how the pod ended.
    const told = isStaticPod(this.#pod) ? 'alive' : stage;
    publishStatus({ pod: this.#pod, state, memory: this.#memory, stage: told }, this.#context);
  }

  #finalStatus(): Pod['status'] {
    return this.#context.statuses.statusOf(this.#pod.metadata.uid ?? '') ?? this.#pod.status;
  }

  #jittered(ms: number): number {
    return ms * (1 + jitter * this.#context.random());
  }

  /** Until something wakes the worker, or the time is over. */
  async #pause(ms: number): Promise<void> {
    if (!this.#isAwake && ms > 0) {
      const woken = new AbortController();
      this.#wake = () => {
        this.#isPaused = false;
        woken.abort();
      };
      this.#isPaused = true;
      await sleep(this.#context.clock, ms, woken.signal);
      this.#isPaused = false;
      this.#wake = () => undefined;
    }
    this.#isAwake = false;
  }
}
