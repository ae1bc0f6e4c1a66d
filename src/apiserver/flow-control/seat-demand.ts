/** How many seats a level could have used: what runs and what waits, observed over the time between two adjustments. */

/** Share of the past in the smoothed demand at each adjustment (KEP-1040, "Dispatching"). */
const smoothing = 0.977;

export class SeatDemand {
  #now: number;
  #since: number;
  #value = 0;
  #max = 0;
  /** Integrals of the value and of its square over the time, in milliseconds. */
  #sum = 0;
  #squares = 0;
  highWatermark = 0;
  average = 0;
  deviation = 0;
  smoothed = 0;

  constructor(nowMs: number) {
    this.#now = nowMs;
    this.#since = nowMs;
  }

  set(value: number, nowMs: number): void {
    this.#pass(nowMs);
    this.#value = value;
    if (value > this.#max) this.#max = value;
  }

  /** Ends a period. A period without length says only what the demand is. */
  endPeriod(nowMs: number): void {
    this.#pass(nowMs);
    this.highWatermark = this.#max;
    const length = nowMs - this.#since;
    if (length > 0) {
      this.average = this.#sum / length;
      this.deviation = Math.sqrt(Math.max(0, this.#squares / length - this.average ** 2));
      const envelope = this.average + this.deviation;
      // The demand rises at once and falls slowly.
      this.smoothed = Math.max(envelope, smoothing * this.smoothed + (1 - smoothing) * envelope);
    }
    this.#since = nowMs;
    this.#max = this.#value;
    this.#sum = 0;
    this.#squares = 0;
  }

  #pass(nowMs: number): void {
    const length = nowMs - this.#now;
    this.#sum += length * this.#value;
    this.#squares += length * this.#value ** 2;
    this.#now = nowMs;
  }
}
