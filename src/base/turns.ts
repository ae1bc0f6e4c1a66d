import { abortable } from './abortable.ts';

/** Work that is done for one key at a time: writers of one object that would only undo each other's attempts. */
export class Turns {
  readonly #last = new Map<string, Promise<void>>();

  /** In the order of the calls. Rejects with the signal's reason for a turn that has not come by then. */
  async run<T>(key: string, work: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    const before = this.#last.get(key);
    let done = (): void => undefined;
    const own = new Promise<void>((resolve) => (done = resolve));
    const turn = before === undefined ? own : before.then(() => own);
    this.#last.set(key, turn);
    try {
      if (before !== undefined) await abortable(before, signal);
      signal?.throwIfAborted();
      return await work();
    } finally {
      done();
      void turn.then(() => {
        if (this.#last.get(key) === turn) this.#last.delete(key);
      });
    }
  }

  /** Keys with work that is done or waits. */
  get size(): number {
    return this.#last.size;
  }
}
