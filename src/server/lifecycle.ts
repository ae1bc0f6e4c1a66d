/**
 * Where a server stands on its way to its end, and what it has in work. Requests are counted, so that it can wait for
 * them; watches are known one by one, so that they can be ended one after the other.
 */
import { type Clock, sleep } from '../base/clock.ts';

export class Lifecycle {
  readonly #watches = new Set<() => void>();
  #requests = 0;
  #isStopping = false;
  #takesRequests = true;
  #drained: () => void = () => undefined;

  /** From the moment it was told to stop. */
  get isStopping(): boolean {
    return this.#isStopping;
  }

  /** False once it no longer begins anything new. */
  get takesRequests(): boolean {
    return this.#takesRequests;
  }

  get watches(): number {
    return this.#watches.size;
  }

  get requests(): number {
    return this.#requests;
  }

  stop(): void {
    this.#isStopping = true;
  }

  refuse(): void {
    this.#isStopping = true;
    this.#takesRequests = false;
  }

  enter(): void {
    this.#requests++;
  }

  leave(): void {
    if (--this.#requests === 0) this.#drained();
  }

  /** When nothing is in work. Call it once no request is taken any more. */
  drained(): Promise<void> {
    return this.#requests === 0 ? Promise.resolve() : new Promise((resolve) => (this.#drained = resolve));
  }

  /** @param end ends the watch, which then is taken out with what this returns */
  addWatch(end: () => void): () => void {
    this.#watches.add(end);
    return () => this.#watches.delete(end);
  }

  /**
   * Ends all watches one after the other within the time, but not slower than upstream does, so that their clients do
   * not arrive at the next server all at once. Resolves when all have ended, or after the time.
   */
  async endWatches(graceMs: number, clock: Clock): Promise<void> {
    const waiting = [...this.#watches];
    const began = clock.now();
    const perMs = Math.max(leastWatchesPerSecond / 1000, waiting.length / graceMs);
    let ended = 0;
    for (let passed = 0; this.#watches.size > 0 && passed < graceMs; passed = clock.now() - began) {
      const due = 1 + Math.floor(passed * perMs);
      for (const end of waiting.slice(ended, due)) end();
      ended = due;
      await sleep(clock, stepMs);
    }
    for (const end of waiting.slice(ended)) end();
  }
}

const leastWatchesPerSecond = 200;
const stepMs = 5;
