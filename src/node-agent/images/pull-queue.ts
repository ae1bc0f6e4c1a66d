/** How many images are pulled at the same time. */
import { abortable } from '../../base/abortable.ts';

export class PullQueue {
  readonly #most: number;
  readonly #waiting: (() => void)[] = [];
  #running = 0;

  /** @param most `Infinity` for no limit */
  constructor(most: number) {
    this.#most = most;
  }

  /** In the order of the calls. Rejects when the signal aborts, also while it waits. */
  async run<T>(pull: () => Promise<T>, signal: AbortSignal): Promise<T> {
    await this.#turn(signal);
    try {
      return await pull();
    } finally {
      this.#release();
    }
  }

  async #turn(signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    if (this.#running < this.#most) {
      this.#running++;
      return;
    }
    let take: () => void = () => undefined;
    const turn = new Promise<void>((resolve) => (take = resolve));
    this.#waiting.push(take);
    try {
      await abortable(turn, signal);
    } catch (error) {
      const at = this.#waiting.indexOf(take);
      if (at >= 0) this.#waiting.splice(at, 1);
      // The turn came at the same moment.
      else this.#release();
      throw error;
    }
  }

  #release(): void {
    const next = this.#waiting.shift();
    if (next === undefined) this.#running--;
    else next();
  }
}
