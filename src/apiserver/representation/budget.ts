/**
 * Keeps encodings of objects within a byte budget: the oldest ones go first. An encoding lies on the object version it
 * was made from, so all readers and watchers of that version share it.
 */
interface Holder {
  representations?: Map<string, Buffer> | undefined;
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
    const known = holder.representations?.get(key);
    if (known !== undefined) return known;
    const made = make();
    this.#keep(holder, key, made);
    return made;
  }

  #keep(holder: Holder, key: string, bytes: Buffer): void {
    if (bytes.length > this.#maxBytes / 4) return;
    holder.representations ??= new Map();
    holder.representations.set(key, bytes);
    this.#queue.push({ holder: new WeakRef(holder), key, size: bytes.length });
    this.#bytes += bytes.length;
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
