/**
 * Tells when the wall time was set: after a correction, or after the machine was suspended. Timers count the time that
 * passes, so what is due by the wall time is another then.
 * @NOTE differs from upstream: there what a clock that is set makes due waits for its timer.
 */
import type { Clock, Timer } from '../../base/clock.ts';

const lookEveryMs = 10_000;
/** Less is in order: clocks are adjusted all the time. */
const jumpMs = 1000;

export class ClockJumps {
  readonly #clock: Clock;
  readonly #wallTime: () => number;
  readonly #listeners = new Set<() => void>();
  #known: number;
  #timer: Timer;

  constructor(clock: Clock, wallTime: () => number) {
    this.#clock = clock;
    this.#wallTime = wallTime;
    this.#known = this.#difference();
    this.#timer = this.#lookLater();
  }

  /** @returns what ends it */
  listen(onJump: () => void): () => void {
    this.#listeners.add(onJump);
    return () => void this.#listeners.delete(onJump);
  }

  stop(): void {
    this.#timer.cancel();
  }

  #lookLater(): Timer {
    return this.#clock.after(lookEveryMs, () => {
      this.#timer = this.#lookLater();
      const difference = this.#difference();
      const hasJumped = Math.abs(difference - this.#known) > jumpMs;
      this.#known = difference;
      if (hasJumped) for (const onJump of this.#listeners) onJump();
    });
  }

  #difference(): number {
    return this.#wallTime() - this.#clock.now();
  }
}
