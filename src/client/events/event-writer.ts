/** Writes events one after the other, in the background. What cannot be written is told to the log and dropped. */
import { type Clock } from '../../base/clock.ts';
import type { Logger } from '../../base/logger.ts';
import { pause } from '../../reconcile/pause.ts';
import { isApiError } from '../api-error.ts';

/** As client-go: more events than that are not kept while the server is away. */
const maxWaiting = 1000;
const maxTries = 12;
const retryMs = 10_000;

export class EventWriter {
  readonly #clock: Clock;
  readonly #log: Logger;
  readonly #waiting: ((signal: AbortSignal) => Promise<unknown>)[] = [];
  readonly #abort = new AbortController();
  #running: Promise<void> | undefined;

  constructor(clock: Clock, log: Logger) {
    this.#clock = clock;
    this.#log = log;
  }

  add(write: (signal: AbortSignal) => Promise<unknown>): void {
    if (this.#abort.signal.aborted) return;
    if (this.#waiting.length >= maxWaiting) {
      this.#log.warn({ waiting: maxWaiting }, 'an event is dropped: too many are waiting to be written');
      return;
    }
    this.#waiting.push(write);
    this.#running ??= this.#run().finally(() => (this.#running = undefined));
  }

  /** Resolves when all that was added is written or dropped. */
  async flush(): Promise<void> {
    while (this.#running !== undefined) await this.#running;
  }

  /** Drops what waits. */
  async stop(): Promise<void> {
    this.#waiting.length = 0;
    this.#abort.abort();
    await this.flush();
  }

  async #run(): Promise<void> {
    for (let write = this.#waiting.shift(); write !== undefined; write = this.#waiting.shift())
      await this.#write(write);
  }

  async #write(write: (signal: AbortSignal) => Promise<unknown>): Promise<void> {
    const { signal } = this.#abort;
    for (let attempt = 1; !signal.aborted; attempt++) {
      try {
        await write(signal);
        return;
      } catch (error) {
        // A server that refuses an event would refuse it again.
        if (signal.aborted) return;
        if (isApiError(error) || attempt === maxTries) {
          this.#log.warn({ err: error }, 'an event could not be written');
          return;
        }
        await pause(this.#clock, retryMs, signal);
      }
    }
  }
}
