/**
 * What a start has opened so far, and how each is closed: unwound, the last first, when a later step of the start
 * fails, or when what was started ends.
 */
export class CleanupStack {
  readonly #closers: (() => Promise<unknown> | void)[] = [];

  /** @param close called once */
  add(close: () => Promise<unknown> | void): void {
    this.#closers.push(close);
  }

  /**
   * One after the other; a failure does not keep the others from being closed. Rejects when all are: with the failure,
   * or with an AggregateError of several. A second call finds nothing left.
   */
  async close(): Promise<void> {
    const failures: unknown[] = [];
    for (let close = this.#closers.pop(); close !== undefined; close = this.#closers.pop()) {
      try {
        await close();
      } catch (error) {
        failures.push(error);
      }
    }
    if (failures.length === 1) throw failures[0];
    if (failures.length > 1) throw new AggregateError(failures, 'several parts could not be closed');
  }
}

/**
 * The result of a start, or its failure with nothing left open. The result may keep the stack, to unwind it at its own
 * end.
 */
export async function withCleanupStack<T>(start: (cleanup: CleanupStack) => Promise<T>): Promise<T> {
  const cleanup = new CleanupStack();
  try {
    return await start(cleanup);
  } catch (error) {
    // Why the start failed is what the caller should hear.
    await cleanup.close().catch(() => undefined);
    throw error;
  }
}
