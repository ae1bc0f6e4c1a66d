import type { Clock, Timer } from '../clock.ts';

interface Waiting {
  readonly at: number;
  readonly callback: () => void;
}

/** A clock that stands still until the test moves it. */
export class FakeClock implements Clock {
  #now = 0;
  readonly #waiting = new Set<Waiting>();

  now(): number {
    return this.#now;
  }

  after(delayMs: number, callback: () => void): Timer {
    const waiting = { at: this.#now + delayMs, callback };
    this.#waiting.add(waiting);
    return { cancel: () => void this.#waiting.delete(waiting) };
  }

  /** How many timers wait. */
  get pending(): number {
    return this.#waiting.size;
  }

  /** Moves time forward; timers that fall due run in order, each at its own time, with what they lead to in between. */
  async advance(ms: number): Promise<void> {
    const end = this.#now + ms;
    for (;;) {
      const next = this.#nextUntil(end);
      if (next === undefined) break;
      this.#waiting.delete(next);
      this.#now = next.at;
      next.callback();
      await settle();
    }
    this.#now = end;
    await settle();
  }

  #nextUntil(end: number): Waiting | undefined {
    let next: Waiting | undefined;
    for (const waiting of this.#waiting) {
      if (waiting.at <= end && (next === undefined || waiting.at < next.at)) next = waiting;
    }
    return next;
  }
}

/** Lets promises and immediates that are due run. */
async function settle(): Promise<void> {
  for (let round = 0; round < 3; round++) await new Promise((resolve) => setImmediate(resolve));
}
