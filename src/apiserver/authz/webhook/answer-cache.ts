import { type Clock, systemClock } from '../../../base/clock.ts';

/** Answers that hold for a time. The oldest goes when there are too many. */
export class AnswerCache<T> {
  readonly #entries = new Map<string, { readonly value: T; readonly until: number }>();
  readonly #limit: number;
  readonly #clock: Clock;

  constructor(limit: number, clock: Clock = systemClock) {
    this.#limit = limit;
    this.#clock = clock;
  }

  get(key: string): T | undefined {
    const entry = this.#entries.get(key);
    if (entry === undefined) return undefined;
    if (entry.until > this.#clock.now()) return entry.value;
    this.#entries.delete(key);
    return undefined;
  }

  set(key: string, value: T, ttlMs: number): void {
    if (ttlMs <= 0) return;
    this.#entries.delete(key);
    if (this.#entries.size >= this.#limit) this.#entries.delete(this.#entries.keys().next().value!);
    this.#entries.set(key, { value, until: this.#clock.now() + ttlMs });
  }
}
