/**
 * Synchronous work that sometimes has to wait: custom objects that a webhook converts
 * (docs/adr/0007-pending-writes.md).
 */

/** Thrown where an object is needed whose conversion is not done yet. */
export class Pending extends Error {
  override readonly name = 'Pending';
  /** Resolves when it is worth trying again; never rejects. */
  readonly settled: Promise<void>;

  constructor(settled: Promise<void>) {
    super('an object is still being converted');
    this.settled = settled;
  }
}

/**
 * Does the work, and again after each `Pending` that it threw. It must have no effect before it returns.
 */
export async function settled<T>(work: () => T): Promise<Awaited<T>> {
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof Pending)) throw error;
      await error.settled;
    }
  }
}

/** So many items are requested, and awaited, together. */
const together = 200;

/** Does the work for each item, so that repeating it needs no waiting. Throws what the work throws. */
export async function settleAll<T>(items: readonly T[], work: (item: T) => unknown): Promise<void> {
  for (let start = 0; start < items.length; start += together) {
    const part = items.slice(start, start + together);
    for (
      let waits = part.flatMap((item) => waitOf(item, work));
      waits.length > 0;
      waits = part.flatMap((item) => waitOf(item, work))
    )
      await Promise.all(waits);
  }
}

function waitOf<T>(item: T, work: (item: T) => unknown): Promise<void>[] {
  try {
    work(item);
    return [];
  } catch (error) {
    if (error instanceof Pending) return [error.settled];
    throw error;
  }
}
