/** Asks the container runtime how it is, and what it has. */
import { abortable } from '../../base/abortable.ts';
import type { Clock } from '../../base/clock.ts';
import type { Logger } from '../../base/logger.ts';
import type { NodeRuntime, RuntimeImage, RuntimeStatusReport, RuntimeVersion } from './node-runtime.ts';
import { repeat } from './repeat.ts';
import { RuntimeHealth } from './runtime-health.ts';

export interface RuntimeWatchOptions {
  readonly runtime: NodeRuntime;
  readonly log: Logger;
  readonly clock: Clock;
  readonly random: () => number;
}

const statusEveryMs = 5000;
const imagesEveryMs = 30_000;

export class RuntimeWatch {
  readonly #options: RuntimeWatchOptions;
  readonly health: RuntimeHealth;
  #status: RuntimeStatusReport | undefined;
  #name = 'unknown';
  #images: readonly RuntimeImage[] = [];
  #imagesAt = -Infinity;
  #hasFailed = false;

  constructor(options: RuntimeWatchOptions) {
    this.#options = options;
    this.health = new RuntimeHealth(options.clock);
  }

  /** As it was said last. */
  get status(): RuntimeStatusReport | undefined {
    return this.#status;
  }

  /** Until the signal aborts. */
  run(signal: AbortSignal): Promise<void> {
    return repeat(() => this.#ask(signal), { ...this.#options, everyMs: statusEveryMs, signal });
  }

  /** Waits for the runtime: one that hangs holds up the status of its node. */
  async version(): Promise<{ readonly runtimeName: string; readonly runtimeVersion: string | undefined }> {
    try {
      const { runtimeName, runtimeVersion }: RuntimeVersion = await this.#options.runtime.version();
      this.#name = runtimeName;
      return { runtimeName, runtimeVersion };
    } catch {
      return { runtimeName: this.#name, runtimeVersion: undefined };
    }
  }

  /** At most half a minute old. */
  async images(): Promise<readonly RuntimeImage[]> {
    const { clock, runtime, log } = this.#options;
    if (clock.now() - this.#imagesAt < imagesEveryMs) return this.#images;
    try {
      this.#images = await runtime.listImages();
      this.#imagesAt = clock.now();
    } catch (error) {
      log.debug({ err: error }, 'the runtime did not list its images');
    }
    return this.#images;
  }

  async #ask(signal: AbortSignal): Promise<void> {
    const { runtime, log } = this.#options;
    try {
      // A runtime that hangs does not hold up the end of the agent.
      this.#status = await abortable(runtime.status(), signal);
      this.health.heard(this.#status);
      this.#hasFailed = false;
    } catch (error) {
      if (signal.aborted) return;
      // Said once, not at each of its calls.
      if (!this.#hasFailed) log.warn({ err: error }, 'the container runtime does not say how it is');
      this.#hasFailed = true;
    }
  }
}
