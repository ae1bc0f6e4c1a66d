const minChunkBytes = 1024;
const maxChunkBytes = 64 * 1024;

/**
 * Bytes that arrive in pieces of any size, copied into few buffers: a sender of single bytes does not cause an object
 * per byte.
 */
export class GatheredBytes {
  #full: Buffer[] = [];
  #last: Buffer | undefined;
  /** Of the last buffer. */
  #used = 0;
  #length = 0;

  get length(): number {
    return this.#length;
  }

  add(piece: Buffer): void {
    if (this.#last === undefined) {
      // Most come in one piece.
      this.#last = Buffer.from(piece);
      this.#used = piece.length;
    } else this.#append(piece);
    this.#length += piece.length;
  }

  /** All there is; what is added from here on begins anew. */
  take(): Buffer {
    const last = this.#last === undefined ? nothing : this.#last.subarray(0, this.#used);
    const all = this.#full.length === 0 ? last : Buffer.concat([...this.#full, last], this.#length);
    this.#full = [];
    this.#last = undefined;
    this.#used = 0;
    this.#length = 0;
    return all;
  }

  #append(piece: Buffer): void {
    if (this.#used + piece.length > this.#last!.length) {
      this.#full.push(this.#last!.subarray(0, this.#used));
      this.#last = Buffer.allocUnsafe(
        Math.max(piece.length, Math.min(maxChunkBytes, Math.max(minChunkBytes, this.#length))),
      );
      this.#used = 0;
    }
    piece.copy(this.#last!, this.#used);
    this.#used += piece.length;
  }
}

const nothing = Buffer.alloc(0);
