/** One operation at a time for each key, in the order of asking. */
export class KeyedLock {
  readonly #last = new Map<string, Promise<unknown>>();

  async run<T>(key: string, work: () => Promise<T>): Promise<T> {
    const before = this.#last.get(key) ?? Promise.resolve();
    const running = before.then(work, work);
    const settled = running.catch(() => undefined);
    this.#last.set(key, settled);
    try {
      return await running;
    } finally {
      if (this.#last.get(key) === settled) this.#last.delete(key);
    }
  }
}
