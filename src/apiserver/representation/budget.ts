/**
 * Keeps encodings of objects within a byte budget: the oldest ones go first. An encoding lies on the object version it
 * was made from, so all readers and watchers of that version share it.
 */
interface Holder {
  representations?: Map<string, object> | undefined;
}

interface Entry {
  readonly holder: WeakRef<Holder>;
  readonly key: string;
  readonly size: number;
}

export class RepresentationBudget {
  readonly #maxBytes: number;
  #bytes = 0;
  #queue: Entry[] = [];
  #head = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** The encoding of `holder` under `key`, made at first use. */
  get(holder: Holder, key: string, make: () => Buffer): Buffer {
    const known = holder.representations?.get(key) as Buffer | undefined;
    if (known !== undefined) return known;
    const made = make();
    this.keep(holder, key, made, made.length);
    return made;
  }

  /**
   * Keeps what was made, in place of what there was; not when it would take too much of the budget. @param size bytes
   */
  keep(holder: Holder, key: string, made: object, size: number): void {
    if (size > this.#maxBytes / 4) return;
    holder.representations ??= new Map();
    holder.representations.set(key, made);
    this.#queue.push({ holder: new WeakRef(holder), key, size });
    this.#bytes += size;
    while (this.#bytes > this.#maxBytes) this.#dropOldest();
  }

  #dropOldest(): void {
    const entry = this.#queue[this.#head++]!;
    this.#bytes -= entry.size;
    entry.holder.deref()?.representations?.delete(entry.key);
    if (this.#head > 1024 && this.#head * 2 > this.#queue.length) {
      this.#queue = this.#queue.slice(this.#head);
      this.#head = 0;
    }
  }
}
