/** Pods that have a node and wait until every Permit plugin allows them, one refuses, or their time is over. */
import type { Clock } from '../../base/clock.ts';
import type { PermitPlugin, Has } from '../framework/plugin.ts';
import type { CycleState } from '../framework/cycle-state.ts';
import { failure, type Status, unschedulable } from '../framework/status.ts';
import type { PodInfo } from '../state/pod-info.ts';

/** A plugin that asks for longer does not get it. */
const maxWaitMs = 15 * 60_000;

export class WaitingPod {
  readonly pod: PodInfo;
  readonly decided: Promise<Status | undefined>;
  readonly #pending: Set<string>;
  #decide: (status: Status | undefined) => void = () => undefined;

  constructor(pod: PodInfo, waits: ReadonlyMap<string, number>, clock: Clock) {
    this.pod = pod;
    this.#pending = new Set(waits.keys());
    const timers = [...waits].map(([plugin, ms]) =>
      clock.after(Math.min(ms, maxWaitMs), () =>
        this.reject(plugin, `rejected due to timeout after waiting ${ms / 1000}s at plugin ${plugin}`),
      ),
    );
    this.decided = new Promise((resolve) => {
      this.#decide = (status) => {
        for (const timer of timers) timer.cancel();
        resolve(status);
      };
    });
  }

  /** The pod goes on when all who wait have allowed it. */
  allow(plugin: string): void {
    this.#pending.delete(plugin);
    if (this.#pending.size === 0) this.#decide(undefined);
  }

  reject(plugin: string, message: string): void {
    this.#decide(unschedulable(plugin, message));
  }
}

export class WaitingPods {
  readonly #pods = new Map<string, WaitingPod>();
  readonly #clock: Clock;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  get(uid: string): WaitingPod | undefined {
    return this.#pods.get(uid);
  }

  values(): Iterable<WaitingPod> {
    return this.#pods.values();
  }

  /** At a stop: those who are waited for may never decide. */
  rejectAll(): void {
    for (const pod of this.#pods.values()) pod.reject('', 'the scheduler stops');
  }

  /** Asks all plugins. Undefined: the pod may go on, at once or (with a promise) later. */
  permit(
    plugins: readonly Has<PermitPlugin>[],
    state: CycleState,
    pod: PodInfo,
    nodeName: string,
  ): { readonly status: Status | undefined; readonly later?: Promise<Status | undefined> } {
    const waits = new Map<string, number>();
    for (const plugin of plugins) {
      let result: ReturnType<PermitPlugin['permit']>;
      try {
        result = plugin.permit(state, pod, nodeName);
      } catch (error) {
        return { status: failure(plugin.name, error) };
      }
      if (result?.status?.code === 'Wait') waits.set(plugin.name, result.timeoutMs ?? maxWaitMs);
      else if (result?.status !== undefined) return { status: result.status };
    }
    return waits.size === 0 ? { status: undefined } : { status: undefined, later: this.#wait(pod, waits) };
  }

  async #wait(pod: PodInfo, waits: ReadonlyMap<string, number>): Promise<Status | undefined> {
    const waiting = new WaitingPod(pod, waits, this.#clock);
    this.#pods.set(pod.uid, waiting);
    try {
      return await waiting.decided;
    } finally {
      this.#pods.delete(pod.uid);
    }
  }
}
