/** What a start has opened so far: closed again, the last first, when a later step of it fails. */
export class CleanupStack {
  readonly #closers: (() => Promise<void> | void)[] = [];

  /** @param close called once, unless the start succeeds and its result has an end of its own */
  add(close: () => Promise<void> | void): void {
    this.#closers.push(close);
  }

  /**
   * One after the other. Never rejects: why the start failed is what its caller should hear, so a failure here is
   * dropped.
   */
  async close(): Promise<void> {
    for (let close = this.#closers.pop(); close !== undefined; close = this.#closers.pop()) {
      try {
        await close();
      } catch {
        // The others have to be closed all the same.
      }
    }
  }
}

/** The result of a start, or its failure with nothing left open. */
export async function withCleanupStack<T>(start: (cleanup: CleanupStack) => Promise<T>): Promise<T> {
  const cleanup = new CleanupStack();
  try {
    return await start(cleanup);
  } catch (error) {
    await cleanup.close();
    throw error;
  }
}
