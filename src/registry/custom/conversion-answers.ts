/**
 * Responses of conversion webhooks, by the text of the request, for the callers that waited: they repeat their work at
 * once. So young entries are always kept, or work that needs many objects would never finish; older ones are evicted
 * when there are too many bytes of them, and all expire after a while.
 */
import type { Clock } from '../../base/clock.ts';

interface Entry<T> {
  readonly answer: T;
  readonly bytes: number;
  readonly at: number;
}

const maxAnswers = 1000;
const maxBytes = 64 * 1024 * 1024;
const youngMs = 1_000;
const keepMs = 10_000;

export class ConversionAnswers<T> {
  readonly #clock: Clock;
  /** The oldest is first. */
  readonly #entries = new Map<string, Entry<T>>();
  #bytes = 0;
  #isTidying = false;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** As estimated. */
  get bytes(): number {
    return this.#bytes;
  }

  get(key: string): T | undefined {
    return this.#entries.get(key)?.answer;
  }

  /** @param bytes of question and answer, as estimated */
  set(key: string, answer: T, bytes: number): void {
    this.delete(key);
    this.#entries.set(key, { answer, bytes, at: this.#clock.now() });
    this.#bytes += bytes;
    this.#shrink();
    this.#tidyLater();
  }

  delete(key: string): void {
    const entry = this.#entries.get(key);
    if (entry === undefined) return;
    this.#entries.delete(key);
    this.#bytes -= entry.bytes;
  }

  #shrink(): void {
    const young = this.#clock.now() - youngMs;
    for (const [key, { at }] of this.#entries) {
      if (this.#entries.size <= maxAnswers && (this.#bytes <= maxBytes || at > young)) return;
      this.delete(key);
    }
  }

  #tidyLater(): void {
    if (this.#isTidying) return;
    this.#isTidying = true;
    this.#clock.after(keepMs, () => {
      this.#isTidying = false;
      const old = this.#clock.now() - keepMs;
      for (const [key, { at }] of this.#entries) if (at <= old) this.delete(key);
      if (this.#entries.size > 0) this.#tidyLater();
    });
  }
}
