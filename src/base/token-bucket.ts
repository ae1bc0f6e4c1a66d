import { type Clock, systemClock } from './clock.ts';

export interface TokenBucketLimits {
  /** Tokens that come back per second. */
  readonly perSecond: number;
  /** Tokens of a full bucket. */
  readonly burst: number;
}

/** A token bucket: it begins full, is refilled at a steady rate, and never holds more than the burst. */
export class TokenBucket {
  readonly #clock: Clock;
  #perMs: number;
  readonly #burst: number;
  #tokens: number;
  #filledAt: number;

  constructor({ perSecond, burst }: TokenBucketLimits, clock: Clock = systemClock) {
    this.#clock = clock;
    this.#perMs = perSecond / 1000;
    this.#burst = burst;
    this.#tokens = burst;
    this.#filledAt = clock.now();
  }

  /** Tokens that come back per second from now on; what has come back until now stays. */
  set perSecond(rate: number) {
    this.#refill();
    this.#perMs = rate / 1000;
  }

  /** Takes tokens if there are that many. @returns false when there are not, and none was taken */
  take(count = 1): boolean {
    this.#refill();
    if (this.#tokens < count) return false;
    this.#tokens -= count;
    return true;
  }

  /** Takes one token, in advance when there is none. @returns milliseconds to wait until it is there */
  reserve(): number {
    this.#refill();
    this.#tokens--;
    return this.#tokens >= 0 ? 0 : -this.#tokens / this.#perMs;
  }

  /** Adds tokens, up to the burst. */
  give(count: number): void {
    this.#tokens = Math.min(this.#burst, this.#tokens + count);
  }

  #refill(): void {
    const now = this.#clock.now();
    this.give((now - this.#filledAt) * this.#perMs);
    this.#filledAt = now;
  }
}
