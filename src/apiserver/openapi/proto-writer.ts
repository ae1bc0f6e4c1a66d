/**
 * Writes protobuf messages into one growing buffer. Field numbers come from the caller; zero values are the caller's
 * business too.
 */
const utf8 = new TextEncoder();

export class ProtoWriter {
  #bytes = new Uint8Array(64 * 1024);
  #length = 0;

  text(field: number, value: string): void {
    this.#embed(field, () => {
      // A UTF-16 unit takes at most three bytes.
      this.#reserve(value.length * 3);
      this.#length += utf8.encodeInto(value, this.#bytes.subarray(this.#length)).written;
    });
  }

  flag(field: number, value: boolean): void {
    this.#varint(field * 8);
    this.#varint(value ? 1 : 0);
  }

  /** A non-negative integer. */
  integer(field: number, value: number): void {
    this.#varint(field * 8);
    this.#varint(value);
  }

  double(field: number, value: number): void {
    this.#varint(field * 8 + 1);
    this.#reserve(8);
    new DataView(this.#bytes.buffer).setFloat64(this.#length, value, true);
    this.#length += 8;
  }

  message(field: number, write: () => void): void {
    this.#embed(field, write);
  }

  finish(): Uint8Array {
    return this.#bytes.slice(0, this.#length);
  }

  /** Leaves one byte for the length, and moves the content when that was not enough. */
  #embed(field: number, write: () => void): void {
    this.#varint(field * 8 + 2);
    this.#reserve(1);
    const start = ++this.#length;
    write();
    const size = this.#length - start;
    const extra = varintSize(size) - 1;
    if (extra > 0) {
      this.#reserve(extra);
      this.#bytes.copyWithin(start + extra, start, this.#length);
    }
    this.#length = start - 1;
    this.#varint(size);
    this.#length += size;
  }

  #varint(value: number): void {
    this.#reserve(10);
    let rest = value;
    while (rest > 127) {
      this.#bytes[this.#length++] = (rest % 128) | 128;
      rest = Math.floor(rest / 128);
    }
    this.#bytes[this.#length++] = rest;
  }

  #reserve(count: number): void {
    if (this.#length + count <= this.#bytes.length) return;
    const larger = new Uint8Array(Math.max(this.#bytes.length * 2, this.#length + count));
    larger.set(this.#bytes);
    this.#bytes = larger;
  }
}

function varintSize(value: number): number {
  let size = 1;
  for (let rest = value; rest > 127; rest = Math.floor(rest / 128)) size++;
  return size;
}
