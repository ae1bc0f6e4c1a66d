import type { Clock, Timer } from '../../../src/base/clock.ts';

interface Waiting {
  readonly at: number;
  readonly callback: () => void;
  handle: NodeJS.Timeout;
}

/** A clock that runs as time does, and that a test can put forward: what falls due then happens at once. */
export class JumpClock implements Clock {
  readonly #waiting = new Set<Waiting>();
  #ahead = 0;

  now(): number {
    return performance.now() + this.#ahead;
  }

  after(delayMs: number, callback: () => void): Timer {
    const waiting: Waiting = { at: this.now() + delayMs, callback, handle: setTimeout(() => undefined, 0) };
    this.#waiting.add(waiting);
    this.#arm(waiting);
    return {
      cancel: () => {
        clearTimeout(waiting.handle);
        this.#waiting.delete(waiting);
      },
    };
  }

  advance(ms: number): void {
    this.#ahead += ms;
    for (const waiting of [...this.#waiting].sort((a, b) => a.at - b.at)) this.#arm(waiting);
  }

  #arm(waiting: Waiting): void {
    clearTimeout(waiting.handle);
    const fire = (): void => {
      if (this.#waiting.delete(waiting)) waiting.callback();
    };
    waiting.handle = setTimeout(fire, Math.max(0, waiting.at - this.now())).unref();
  }
}
