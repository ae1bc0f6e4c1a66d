/**
 * Which numbers of a range are taken. Stored as the bytes of one big-endian integer without leading zeros, number n
 * being bit n: that is how upstream stores it, and both can work on one store.
 *
 * The lower numbers are the static band. Numbers that are not requested by name come from above it as long as there are
 * any, so that the lower ones stay free for services that request one.
 * @see {@link https://kep.k8s.io/3070 | KEP-3070} for cluster IPs, {@link https://kep.k8s.io/3668 | KEP-3668} for node
 *   ports
 */
export interface BitmapShape {
  /** How many numbers there are. */
  readonly size: number;
  /** How many of them are in the static band. */
  readonly staticSize: number;
}

export class AllocationBitmap {
  readonly #shape: BitmapShape;
  /** Bit n is in byte n / 8, counted from the lowest. */
  readonly #bits: Uint8Array;
  #count = 0;
  #changed = false;

  constructor(shape: BitmapShape, bytes: Uint8Array = new Uint8Array()) {
    this.#shape = shape;
    this.#bits = new Uint8Array(Math.max(Math.ceil(shape.size / 8), bytes.length));
    bytes.forEach((byte, i) => (this.#bits[bytes.length - 1 - i] = byte));
    for (const byte of bytes) this.#count += bitCount(byte);
  }

  /** How many numbers are taken. */
  get count(): number {
    return this.#count;
  }

  /** Whether anything was taken or given back since it was made. */
  get changed(): boolean {
    return this.#changed;
  }

  has(number: number): boolean {
    return ((this.#bits[number >> 3] ?? 0) & (1 << (number & 7))) !== 0;
  }

  /** False when it is taken already. */
  take(number: number): boolean {
    if (this.has(number)) return false;
    this.#flip(number, 1);
    return true;
  }

  /** A free number; undefined when there is none. `random` is uniform in [0, 1). */
  takeNext(random: () => number): number | undefined {
    const { size, staticSize } = this.#shape;
    const number = this.#free(staticSize, size, random) ?? this.#free(0, staticSize, random);
    if (number !== undefined) this.#flip(number, 1);
    return number;
  }

  giveBack(number: number): void {
    if (this.has(number)) this.#flip(number, -1);
  }

  *taken(): Iterable<number> {
    for (let i = 0; i < this.#bits.length; i++) {
      if (this.#bits[i] !== 0) for (let bit = 0; bit < 8; bit++) if (this.has(i * 8 + bit)) yield i * 8 + bit;
    }
  }

  toBytes(): Buffer {
    let length = this.#bits.length;
    while (length > 0 && this.#bits[length - 1] === 0) length--;
    return Buffer.from(this.#bits.subarray(0, length)).reverse();
  }

  #flip(number: number, step: 1 | -1): void {
    this.#bits[number >> 3]! ^= 1 << (number & 7);
    this.#count += step;
    this.#changed = true;
  }

  /** The first free number from a random place on, in [from, to), around the end. */
  #free(from: number, to: number, random: () => number): number | undefined {
    const size = to - from;
    const start = Math.floor(random() * size);
    for (let i = 0; i < size; i++) {
      const number = from + ((start + i) % size);
      if (!this.has(number)) return number;
    }
    return undefined;
  }
}

function bitCount(byte: number): number {
  let count = 0;
  for (let rest = byte; rest !== 0; rest &= rest - 1) count++;
  return count;
}
