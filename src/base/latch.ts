interface Waiting {
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

/** Something many wait for until it is so; it can cease to be so again. */
export class Latch {
  #open = false;
  #failure: Error | undefined;
  readonly #waiting = new Set<Waiting>();

  get isOpen(): boolean {
    return this.#open;
  }

  open(): void {
    this.#open = true;
    this.#failure = undefined;
    for (const { resolve } of this.#waiting) resolve();
    this.#waiting.clear();
  }

  shut(): void {
    this.#open = false;
  }

  /** Fails for present and later callers, until it is opened. */
  fail(error: Error): void {
    this.#failure = error;
    this.#open = false;
    for (const { reject } of this.#waiting) reject(error);
    this.#waiting.clear();
  }

  /** Throws the signal's reason when it aborts, or what the latch failed with last. */
  async wait(signal?: AbortSignal): Promise<void> {
    if (this.#failure !== undefined) throw this.#failure;
    signal?.throwIfAborted();
    while (!this.#open) await this.#once(signal);
  }

  #once(signal: AbortSignal | undefined): Promise<void> {
    return new Promise((resolve, reject) => {
      const waiting: Waiting = { resolve: () => settle(resolve), reject: (error) => settle(() => reject(error)) };
      const onAbort = (): void => waiting.reject(signal?.reason);
      const settle = (then: () => void): void => {
        this.#waiting.delete(waiting);
        signal?.removeEventListener('abort', onAbort);
        then();
      };
      this.#waiting.add(waiting);
      signal?.addEventListener('abort', onAbort, { once: true });
    });
  }
}
