import { isStatusError } from '../machinery/status.ts';

export interface RetryLimits {
  readonly firstMs: number;
  readonly maxMs: number;
  /** Up to so many times the delay is added at random, so that clients do not all come back at once. */
  readonly jitter: number;
}

/** How long to wait before the next attempt: twice as long after each failure. */
export class RetryDelay {
  readonly #limits: RetryLimits;
  readonly #random: () => number;
  #delayMs: number;

  constructor(limits: RetryLimits, random: () => number) {
    this.#limits = limits;
    this.#random = random;
    this.#delayMs = limits.firstMs;
  }

  reset(): void {
    this.#delayMs = this.#limits.firstMs;
  }

  /** In milliseconds; at least as long as the server that failed asked for. */
  next(error?: unknown): number {
    const { maxMs, jitter } = this.#limits;
    const delayMs = Math.min(this.#delayMs, maxMs);
    this.#delayMs = Math.min(delayMs * 2, maxMs);
    const askedMs = isStatusError(error) ? (error.details?.retryAfterSeconds ?? 0) * 1000 : 0;
    return Math.max(delayMs, askedMs) + delayMs * jitter * this.#random();
  }
}
