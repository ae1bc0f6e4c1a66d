/**
 * Keeps one controller running: a controller that fails, or whose work does not come to an end, is ended and started
 * again, after a delay that grows. Others go on meanwhile.
 */
import { type Clock, sleep } from '../../base/clock.ts';
import type { Logger } from '../../base/logger.ts';
import type { ControllerDefinition } from './controller-table.ts';
import type { ManagerDependencies } from './dependencies.ts';
import { createRun, type Run } from './running-context.ts';

export type ControllerState = 'starting' | 'running' | 'failed' | 'stopped';

/** Work that takes longer is taken to be blocked: requests end after a minute, and a sync makes few of them. */
const blockedAfterMs = 10 * 60_000;
const lookEveryMs = 30_000;
const firstDelayMs = 1000;
const maxDelayMs = 5 * 60_000;
/** A run that lasted so long was in order: the next failure is the first one again. */
const orderlyAfterMs = 10 * 60_000;

export class Supervisor {
  readonly name: string;
  readonly #definition: ControllerDefinition;
  readonly #dependencies: ManagerDependencies;
  readonly #clock: Clock;
  readonly #log: Logger;
  readonly #abort = new AbortController();
  #state: ControllerState = 'starting';
  #reason: unknown;
  #restarts = 0;
  #running: Promise<void> | undefined;

  constructor(definition: ControllerDefinition, dependencies: ManagerDependencies) {
    this.name = definition.name;
    this.#definition = definition;
    this.#dependencies = dependencies;
    this.#clock = dependencies.clock;
    this.#log = dependencies.log;
  }

  get state(): ControllerState {
    return this.#state;
  }

  /** Why the last run ended; undefined while the first one goes on. */
  get reason(): unknown {
    return this.#reason;
  }

  get restarts(): number {
    return this.#restarts;
  }

  start(): void {
    this.#running ??= this.#keepRunning();
  }

  async stop(): Promise<void> {
    this.#abort.abort();
    await this.#running;
    this.#state = 'stopped';
  }

  async #keepRunning(): Promise<void> {
    const { signal } = this.#abort;
    for (let delayMs = firstDelayMs; !signal.aborted; delayMs = Math.min(2 * delayMs, maxDelayMs)) {
      const begun = this.#clock.now();
      await this.#runOnce();
      if (signal.aborted) return;
      if (this.#clock.now() - begun >= orderlyAfterMs) delayMs = firstDelayMs;
      this.#log.error(
        { controller: this.name, err: this.#reason, restartInMs: delayMs },
        'a controller failed and is started again',
      );
      await sleep(this.#clock, delayMs, signal);
      this.#restarts++;
      this.#dependencies.onRestart?.(this.name);
    }
  }

  /** Resolves when the run is over and its parts are closed. */
  async #runOnce(): Promise<void> {
    this.#state = 'starting';
    const run = createRun(this.#definition, this.#dependencies);
    const { signal } = this.#abort;
    const over = new AbortController();
    const stopped = new Promise<void>((resolve) =>
      signal.addEventListener('abort', () => resolve(), { once: true, signal: over.signal }),
    );
    try {
      const begin = await this.#definition.load!();
      await Promise.race([Promise.resolve(begin(run.context)), stopped]);
      if (signal.aborted) return;
      this.#state = 'running';
      const blocked = this.#untilBlocked(run, over.signal);
      const failure = await Promise.race([run.failed, blocked, stopped]);
      if (!signal.aborted) this.#failed(failure);
    } catch (error) {
      this.#failed(error);
    } finally {
      over.abort();
      await run.stop().catch((error: unknown) => {
        this.#log.warn({ controller: this.name, err: error }, 'a part of a controller could not be closed');
      });
    }
  }

  #failed(reason: unknown): void {
    this.#reason = reason;
    this.#state = 'failed';
  }

  async #untilBlocked(run: Run, signal: AbortSignal): Promise<Error | undefined> {
    for (;;) {
      await sleep(this.#clock, lookEveryMs, signal);
      if (signal.aborted) return undefined;
      const oldest = run.oldestWork();
      if (oldest !== undefined && this.#clock.now() - oldest >= blockedAfterMs)
        return new Error(`work has been going on for ${Math.round((this.#clock.now() - oldest) / 1000)} s`);
    }
  }
}
