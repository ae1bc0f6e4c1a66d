import type { Clock, Timer } from './clock.ts';

/** Calls back every `periodMs` while it is started. */
export class Ticker {
  readonly #clock: Clock;
  readonly #periodMs: number;
  readonly #callback: () => void;
  #timer: Timer | undefined;

  constructor(clock: Clock, periodMs: number, callback: () => void) {
    this.#clock = clock;
    this.#periodMs = periodMs;
    this.#callback = callback;
  }

  start(): void {
    this.#timer ??= this.#clock.after(this.#periodMs, () => this.#tick());
  }

  stop(): void {
    this.#timer?.cancel();
    this.#timer = undefined;
  }

  #tick(): void {
    this.#timer = undefined;
    this.start();
    this.#callback();
  }
}
