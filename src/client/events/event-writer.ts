/**
 * Writes events in the background: those of one key one after the other, others at the same time. What cannot be
 * written is told to the log and dropped.
 */
import { type Clock } from '../../base/clock.ts';
import type { Logger } from '../../base/logger.ts';
import { pause } from '../../reconcile/pause.ts';
import { isApiError } from '../api-error.ts';

/** As client-go's recorder of core events: more than that are not kept while the server is away. */
const usualMaxWaiting = 1000;
const maxTries = 12;
const retryMs = 10_000;
/** Of different keys: a burst of events is written while it lasts, beside the other requests of the client. */
const maxAtOnce = 8;

type Write = (signal: AbortSignal) => Promise<unknown>;

export class EventWriter {
  readonly #clock: Clock;
  readonly #log: Logger;
  readonly #maxWaiting: number;
  /** By key; the key that waits for longest is first. */
  readonly #waiting = new Map<string, Write[]>();
  readonly #abort = new AbortController();
  readonly #running = new Map<string, Promise<void>>();
  #count = 0;
  #isDropping = false;

  /** @param maxWaiting what is beyond is dropped */
  constructor(clock: Clock, log: Logger, maxWaiting = usualMaxWaiting) {
    this.#clock = clock;
    this.#log = log;
    this.#maxWaiting = maxWaiting;
  }

  add(write: Write, key = ''): void {
    if (this.#abort.signal.aborted) return;
    if (this.#count >= this.#maxWaiting) return this.#drop();
    this.#isDropping = false;
    this.#count++;
    const waiting = this.#waiting.get(key);
    if (waiting === undefined) this.#waiting.set(key, [write]);
    else waiting.push(write);
    this.#begin();
  }

  /** Resolves when all that was added is written or dropped. */
  async flush(): Promise<void> {
    while (this.#running.size > 0) await Promise.all(this.#running.values());
  }

  /** Drops what waits. */
  async stop(): Promise<void> {
    this.#waiting.clear();
    this.#count = 0;
    this.#abort.abort();
    await this.flush();
  }

  /** Told once for a burst. */
  #drop(): void {
    if (!this.#isDropping)
      this.#log.warn({ waiting: this.#maxWaiting }, 'events are dropped: too many are waiting to be written');
    this.#isDropping = true;
  }

  #begin(): void {
    for (const key of this.#waiting.keys()) {
      if (this.#running.size >= maxAtOnce) return;
      if (this.#running.has(key)) continue;
      const running = this.#run(key).finally(() => {
        this.#running.delete(key);
        this.#begin();
      });
      this.#running.set(key, running);
    }
  }

  async #run(key: string): Promise<void> {
    const waiting = this.#waiting.get(key)!;
    for (let write = waiting.shift(); write !== undefined; write = waiting.shift()) {
      this.#count = Math.max(0, this.#count - 1);
      await this.#write(write);
    }
    if (this.#waiting.get(key) === waiting) this.#waiting.delete(key);
  }

  async #write(write: Write): Promise<void> {
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
