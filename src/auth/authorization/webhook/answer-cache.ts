import { BoundedCache } from '../../../base/bounded-cache.ts';
import { type Clock, systemClock } from '../../../base/clock.ts';

const maxBytes = 16 * 1024 * 1024;
/** UTF-16 units of a question; users may have hundreds of groups. */
const maxKeyLength = 64 * 1024;

/** Answers that hold for a time, by their questions. */
export class AnswerCache<T> {
  readonly #entries: BoundedCache<{ readonly value: T; readonly until: number }>;
  readonly #clock: Clock;

  /** @param bytesOf an answer, as estimated */
  constructor(bytesOf: (value: T) => number, clock: Clock = systemClock) {
    this.#entries = new BoundedCache({ maxBytes, maxKeyLength, bytesOf: ({ value }) => bytesOf(value) });
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
    if (ttlMs > 0) this.#entries.set(key, { value, until: this.#clock.now() + ttlMs });
  }
}
