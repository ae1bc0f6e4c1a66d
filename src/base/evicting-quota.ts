/** What occupies memory until a client goes on: the rest of an answer, the beginning of a request. */
export interface Evictable {
  /** Frees the memory and ends what it is for. Called once. */
  readonly evict: () => void;
  /** A number that changes whenever the client makes progress. What makes progress is evicted last. */
  readonly progress?: () => number;
}

/** The memory of one {@link Evictable}. */
export interface Usage {
  /** The bytes that it occupies from here on. */
  set(bytes: number): void;
}

/**
 * A limit in bytes on what all connections occupy together. When it is reached, those that have made no progress for
 * longest are evicted until the rest fits. One that is larger than the limit is left alone while it makes progress.
 */
export class EvictingQuota {
  readonly #limit: number;
  readonly #onEvict: () => void;
  /** Those that occupy something, the longest first. */
  readonly #entries = new Set<Entry>();
  #used = 0;
  #isEvicting = false;

  /** @param onEvict called for each one that is evicted */
  constructor(limitBytes: number, onEvict: () => void = () => undefined) {
    this.#limit = limitBytes;
    this.#onEvict = onEvict;
  }

  /** In bytes. */
  get used(): number {
    return this.#used;
  }

  track(owner: Evictable): Usage {
    return new Entry(owner, this.#update);
  }

  readonly #update = (entry: Entry, bytes: number): void => {
    const isNew = entry.bytes === 0;
    if (isNew) {
      entry.seenProgress = entry.progress;
      this.#entries.add(entry);
    } else if (bytes === 0) this.#entries.delete(entry);
    this.#used += bytes - entry.bytes;
    entry.bytes = bytes;
    if (this.#used > this.#limit && !this.#isEvicting) this.#makeFit(isNew ? entry : undefined);
  };

  /** @param latest has had no time to make progress */
  #makeFit(latest: Entry | undefined): void {
    this.#isEvicting = true;
    // Each is spared once: also when all make progress, the limit holds.
    for (let spares = this.#entries.size; this.#used > this.#limit && this.#entries.size > 0; ) {
      const entry = this.#entries.values().next().value!;
      const { progress } = entry;
      if ((progress !== entry.seenProgress || entry === latest) && spares-- > 0) {
        entry.seenProgress = progress;
        if (this.#entries.size === 1) break;
        this.#entries.delete(entry);
        this.#entries.add(entry);
        continue;
      }
      this.#entries.delete(entry);
      this.#used -= entry.bytes;
      entry.bytes = 0;
      this.#onEvict();
      entry.owner.evict();
    }
    this.#isEvicting = false;
  }
}

class Entry implements Usage {
  readonly owner: Evictable;
  bytes = 0;
  /** The progress when it was last looked at. */
  seenProgress = 0;
  readonly #update: (entry: Entry, bytes: number) => void;

  constructor(owner: Evictable, update: (entry: Entry, bytes: number) => void) {
    this.owner = owner;
    this.#update = update;
  }

  get progress(): number {
    return this.owner.progress?.() ?? 0;
  }

  set(bytes: number): void {
    if (bytes !== this.bytes) this.#update(this, bytes);
  }
}
