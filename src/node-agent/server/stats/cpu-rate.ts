/** How much CPU is used now: from two readings of what was used altogether. */

interface Reading {
  readonly atMs: number;
  readonly nanoSeconds: number;
  readonly rate: number | undefined;
}

/** A shorter time says little. */
const leastMs = 1000;
const maxKept = 10_000;

export class CpuRates {
  readonly #readings = new Map<string, Reading>();

  /** @returns nanocores since the reading before; undefined for the first */
  next(name: string, nanoSeconds: number, atMs: number): number | undefined {
    const before = this.#readings.get(name);
    if (before !== undefined && atMs - before.atMs < leastMs) return before.rate;
    // Nanocores: nanoseconds of CPU in a second.
    const rate =
      before === undefined || nanoSeconds < before.nanoSeconds
        ? undefined
        : Math.round(((nanoSeconds - before.nanoSeconds) * 1000) / (atMs - before.atMs));
    this.#readings.delete(name);
    this.#readings.set(name, { atMs, nanoSeconds, rate });
    // Groups come and go: the ones that were not asked for longest are forgotten.
    if (this.#readings.size > maxKept) this.#readings.delete(this.#readings.keys().next().value!);
    return rate;
  }
}
