/** When a key that failed is tried again. The defaults are those of client-go's controllers. */
import { type Clock, systemClock } from '../base/clock.ts';
import { TokenBucket, type TokenBucketLimits } from '../base/token-bucket.ts';

export interface RateLimiter {
  /** Milliseconds until the key may be tried again; each call counts as one more failure. */
  when(key: string): number;
  /** The key is in order: its next failure is the first one. */
  forget(key: string): void;
  /** How often the key has failed since it was forgotten. */
  numRequeues(key: string): number;
}

export interface ExponentialLimits {
  readonly firstMs: number;
  readonly maxMs: number;
}

/** Twice as long after each failure of the same key. */
export class ExponentialRateLimiter implements RateLimiter {
  readonly #limits: ExponentialLimits;
  readonly #failures = new Map<string, number>();

  constructor(limits: ExponentialLimits) {
    this.#limits = limits;
  }

  when(key: string): number {
    const failures = this.numRequeues(key);
    this.#failures.set(key, failures + 1);
    return Math.min(this.#limits.firstMs * 2 ** Math.min(failures, maxDoublings), this.#limits.maxMs);
  }

  forget(key: string): void {
    this.#failures.delete(key);
  }

  numRequeues(key: string): number {
    return this.#failures.get(key) ?? 0;
  }
}

/** Beyond that the longest delay is reached for any first one that makes sense. */
const maxDoublings = 30;

/** All keys together: a token for each try, which is reserved in advance when there is none. */
export class TokenBucketRateLimiter implements RateLimiter {
  readonly #bucket: TokenBucket;

  constructor(limits: TokenBucketLimits, clock: Clock = systemClock) {
    this.#bucket = new TokenBucket(limits, clock);
  }

  when(): number {
    return this.#bucket.reserve();
  }

  forget(): void {}

  numRequeues(): number {
    return 0;
  }
}

/** The longest of the delays. */
export class MaxOfRateLimiter implements RateLimiter {
  readonly #limiters: readonly RateLimiter[];

  constructor(limiters: readonly RateLimiter[]) {
    this.#limiters = limiters;
  }

  when(key: string): number {
    return Math.max(0, ...this.#limiters.map((limiter) => limiter.when(key)));
  }

  forget(key: string): void {
    for (const limiter of this.#limiters) limiter.forget(key);
  }

  numRequeues(key: string): number {
    return Math.max(0, ...this.#limiters.map((limiter) => limiter.numRequeues(key)));
  }
}

/** 5 ms to 1,000 s for a key, and ten tries a second for all keys once a hundred have been made. */
export const defaultRateLimiter = (clock: Clock = systemClock): RateLimiter =>
  new MaxOfRateLimiter([
    new ExponentialRateLimiter({ firstMs: 5, maxMs: 1_000_000 }),
    new TokenBucketRateLimiter({ perSecond: 10, burst: 100 }, clock),
  ]);
