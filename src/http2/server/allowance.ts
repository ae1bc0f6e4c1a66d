/** What a client may do in vain: so much at once, and so much per second in the long run (a token bucket). */
export class Allowance {
  readonly #burst: number;
  readonly #perMs: number;
  #left: number;
  #asOf = performance.now();

  constructor({ burst, perSecond }: { readonly burst: number; readonly perSecond: number }) {
    this.#burst = burst;
    this.#perMs = perSecond / 1000;
    this.#left = burst;
  }

  /** False when it is used up. */
  take(cost = 1): boolean {
    // The clock is read only when it matters.
    if (this.#left < cost) this.#refill();
    if (this.#left < cost) return false;
    this.#left -= cost;
    return true;
  }

  /** For what was useful. */
  give(count: number): void {
    this.#left = Math.min(this.#burst, this.#left + count);
  }

  #refill(): void {
    const now = performance.now();
    this.give((now - this.#asOf) * this.#perMs);
    this.#asOf = now;
  }
}
