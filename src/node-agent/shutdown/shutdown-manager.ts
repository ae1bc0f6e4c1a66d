/**
 * Ends the pods of a machine that shuts down: the least important first, each group within its time. The shutdown
 * waits for it.
 *
 * 1. A lock delays shutdowns, and logind is told to wait as long as all groups take.
 * 2. When logind says that the machine shuts down, the node becomes unready and takes no pods any more.
 * 3. The groups end one after the other; then the lock is released.
 * 4. A shutdown that is called off makes the node ready again.
 *
 * @see {@link https://kubernetes.io/docs/concepts/cluster-administration/node-shutdown/ | Node Shutdowns}
 */
import { readFile, writeFile } from 'node:fs/promises';
import type { Pod } from '../../api/gen/types/core-v1.ts';
import { abortable } from '../../base/abortable.ts';
import { type Clock, sleep } from '../../base/clock.ts';
import type { Logger } from '../../base/logger.ts';
import type { ShutdownObserver } from '../metrics/shutdown-metrics.ts';
import { pause } from '../../reconcile/pause.ts';
import type { InhibitorLock, Logind } from './logind.ts';
import { type ShutdownConfig, shutdownGroups, totalGraceMs } from './shutdown-groups.ts';

export interface ShutdownManagerOptions {
  readonly config: ShutdownConfig;
  readonly openLogind: () => Promise<Logind>;
  readonly takeLock: () => Promise<InhibitorLock>;
  /** Those that run. */
  readonly pods: () => readonly Pod[];
  /** Resolves when nothing of the pod runs any more. */
  readonly terminate: (pod: Pod, graceSeconds: number) => Promise<void>;
  /** The node has become unready, or ready again. */
  readonly onChange: () => void;
  readonly event: (reason: string, message: string) => void;
  /** `/var/lib/kubelet/graceful_node_shutdown_state` */
  readonly stateFile: string;
  readonly clock: Clock;
  readonly nowMs: () => number;
  readonly log: Logger;
  readonly observer?: ShutdownObserver | undefined;
}

export const terminatedMessage = 'Pod was terminated in response to imminent node shutdown.';
const reconnectMs = 1000;

export class ShutdownManager {
  readonly #options: ShutdownManagerOptions;
  #isShuttingDown = false;
  #lock: InhibitorLock | undefined;
  /** As the state file has it. */
  #startedMs = 0;
  /** Of the shutdown that is under way: ends when it is called off. */
  #round = new AbortController();

  constructor(options: ShutdownManagerOptions) {
    this.#options = options;
  }

  get isShuttingDown(): boolean {
    return this.#isShuttingDown;
  }

  /** Until the signal aborts. A machine without logind says so once. */
  async run(signal: AbortSignal): Promise<void> {
    const { config, clock, log } = this.#options;
    if (totalGraceMs(config) === 0) return;
    await this.#tellLast();
    let hasTold = false;
    while (!signal.aborted)
      try {
        await this.#watch(signal);
        hasTold = false;
      } catch (error) {
        if (signal.aborted) break;
        if (!hasTold) log.warn({ err: error }, 'pods are not ended when the machine shuts down');
        hasTold = true;
        await pause(clock, reconnectMs, signal);
      }
    this.#round.abort();
    this.#release();
  }

  /** The shutdown before this start of the machine, as far as it is known. */
  async #tellLast(): Promise<void> {
    const { stateFile, observer } = this.#options;
    const text = await readFile(stateFile, 'utf8').catch(() => '{}');
    const { startTime, endTime } = timesOf(text);
    if (startTime !== undefined) observer?.(startTime, endTime);
  }

  /** Until the connection is lost. */
  async #watch(signal: AbortSignal): Promise<void> {
    const { openLogind, takeLock, config } = this.#options;
    const logind = await openLogind();
    try {
      await lengthenDelay(logind, totalGraceMs(config));
      await logind.onPrepareForShutdown((isActive) => void this.#prepare(isActive));
      this.#lock ??= await takeLock();
      await abortable(logind.closed, signal);
    } finally {
      logind.close();
    }
  }

  async #prepare(isActive: boolean): Promise<void> {
    const { event, onChange, log, takeLock } = this.#options;
    if (isActive === this.#isShuttingDown) return;
    this.#isShuttingDown = isActive;
    this.#round.abort();
    this.#round = new AbortController();
    onChange();
    try {
      if (isActive) {
        event('Shutdown', 'Shutdown manager detected shutdown event');
        await this.#end(this.#round.signal);
      } else this.#lock ??= await takeLock();
    } catch (error) {
      log.error({ err: error }, 'the pods of a machine that shuts down could not be ended');
    }
  }

  async #end(signal: AbortSignal): Promise<void> {
    const { config, pods, log } = this.#options;
    await this.#writeState(true);
    for (const { graceSeconds, pods: group } of shutdownGroups(config, pods())) {
      if (signal.aborted) return;
      log.info({ pods: group.length, graceSeconds }, 'pods end because the machine shuts down');
      await this.#endGroup(group, graceSeconds, signal);
    }
    if (signal.aborted) return;
    await this.#writeState(false);
    this.#release();
  }

  async #endGroup(pods: readonly Pod[], graceSeconds: number, signal: AbortSignal): Promise<void> {
    const { terminate, clock, log } = this.#options;
    const ended = new AbortController();
    const either = AbortSignal.any([ended.signal, signal]);
    const all = Promise.all(
      pods.map((pod) => {
        const own = pod.spec.terminationGracePeriodSeconds;
        return terminate(pod, own === undefined ? graceSeconds : Math.min(graceSeconds, Number(own)));
      }),
    );
    const late = sleep(clock, graceSeconds * 1000, either).then(() => {
      if (!either.aborted) log.warn({ graceSeconds }, 'pods have not ended in their time');
    });
    await Promise.race([all, late]);
    ended.abort();
  }

  #release(): void {
    this.#lock?.release();
    this.#lock = undefined;
  }

  async #writeState(isStart: boolean): Promise<void> {
    const { stateFile, nowMs, log, observer } = this.#options;
    const now = nowMs();
    if (isStart) this.#startedMs = now;
    observer?.(this.#startedMs, isStart ? undefined : now);
    const state = { startTime: timeText(this.#startedMs), endTime: isStart ? zeroTime : timeText(now) };
    await writeFile(stateFile, JSON.stringify(state), { mode: 0o600 }).catch((error: unknown) =>
      log.warn({ err: error }, 'the time of the shutdown could not be written'),
    );
  }
}

const zeroTime = '0001-01-01T00:00:00Z';

/** Milliseconds since 1970; undefined for the time that stands for none, and for what is no time. */
function timesOf(text: string): { readonly startTime: number | undefined; readonly endTime: number | undefined } {
  const ms = (time: unknown): number | undefined => {
    const parsed = typeof time === 'string' && time !== zeroTime ? Date.parse(time) : NaN;
    return Number.isNaN(parsed) ? undefined : parsed;
  };
  try {
    const { startTime, endTime } = JSON.parse(text) as { startTime?: unknown; endTime?: unknown };
    return { startTime: ms(startTime), endTime: ms(endTime) };
  } catch {
    return { startTime: undefined, endTime: undefined };
  }
}

const timeText = (ms: number): string => new Date(ms).toISOString();

async function lengthenDelay(logind: Logind, neededMs: number): Promise<void> {
  if ((await logind.inhibitDelayMs()) >= neededMs) return;
  await logind.setInhibitDelay(neededMs);
  const delayMs = await logind.inhibitDelayMs();
  if (delayMs < neededMs)
    throw new Error(
      `node shutdown manager was unable to update logind InhibitDelayMaxSec to ${neededMs / 1000}s ` +
        `(ShutdownGracePeriod), current value of InhibitDelayMaxSec (${delayMs / 1000}s) is less than requested ` +
        'ShutdownGracePeriod',
    );
}
