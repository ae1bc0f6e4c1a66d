interface Seen {
  readonly progress: number;
  readonly since: number;
}

/** Notices what makes no progress for a time, by looking now and then instead of keeping a timer for each. */
export class StallTimer<T> {
  readonly #limitMs: number;
  #seen = new Map<T, Seen>();

  constructor(limitMs: number) {
    this.#limitMs = limitMs;
  }

  /**
   * Begins a look. What is not asked about in it has nothing to wait for, and is forgotten.
   *
   * @returns whether something stands still: its progress, a number that changes with each step, is what it was in all
   *   looks for the time
   */
  look(): (what: T, progress: number) => boolean {
    const now = performance.now();
    const before = this.#seen;
    const seen = (this.#seen = new Map());
    return (what, progress) => {
      const known = before.get(what);
      const entry: Seen = known?.progress === progress ? known : { progress, since: now };
      seen.set(what, entry);
      return now - entry.since >= this.#limitMs;
    };
  }
}
