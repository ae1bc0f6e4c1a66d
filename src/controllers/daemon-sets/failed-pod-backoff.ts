/**
 * How long a failed pod of a node stays before it is replaced: a kubelet that refuses each pod is not asked in a loop.
 * Nothing the first time, then 1 s, and twice as long each time up to 15 minutes.
 */
import type { Clock } from '../../base/clock.ts';

const firstMs = 1000;
const maxMs = 15 * 60_000;
/** After so long without a failure the next one is a first one. */
const forgetAfterMs = 2 * maxMs;

interface Entry {
  readonly delayMs: number;
  /** When a pod was replaced last. */
  readonly at: number;
}

export class FailedPodBackoff {
  readonly #clock: Clock;
  readonly #entries = new Map<string, Entry>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Milliseconds for which the failed pod is to stay; 0 when it can be replaced now. */
  waitMs(key: string): number {
    const entry = this.#entries.get(key);
    return entry === undefined ? 0 : Math.max(0, entry.at + entry.delayMs - this.#clock.now());
  }

  /** A failed pod is replaced now. */
  replaced(key: string): void {
    const entry = this.#entries.get(key);
    const delayMs = entry === undefined || this.#isOver(entry) ? firstMs : Math.min(2 * entry.delayMs, maxMs);
    this.#entries.set(key, { delayMs, at: this.#clock.now() });
  }

  forgetOld(): void {
    for (const [key, entry] of this.#entries) if (this.#isOver(entry)) this.#entries.delete(key);
  }

  #isOver({ at }: Entry): boolean {
    return this.#clock.now() - at > forgetAfterMs;
  }
}
