const noBytes = Buffer.alloc(0);

/**
 * Of an integer of 64 bits.
 * @see {@link https://protobuf.dev/programming-guides/encoding/#varints | Protocol Buffers: varints}
 */
const maxVarintBytes = 10;

/** Bytes that are no protobuf. */
export class ProtobufError extends Error {
  override readonly name = 'ProtobufError';
}

/**
 * Reads protobuf fields from a part of a buffer that belongs to the caller: everything that is kept is copied.
 *
 * ```ts
 * while (reader.next(end)) switch (reader.field) { case 1: revision = reader.uint(); break; default: reader.skip(); }
 * ```
 */
export class ProtoReader {
  readonly #buffer: Buffer;
  /** Where the next field, or the value of the current one, begins. */
  at: number;
  readonly end: number;
  field = 0;
  #wireType = 0;

  constructor(buffer: Buffer, start: number, end: number) {
    this.#buffer = buffer;
    this.at = start;
    this.end = end;
  }

  /** Moves to the next field before `end`; false when there is none. */
  next(end: number): boolean {
    if (this.at >= end) return false;
    const tag = this.#varint();
    this.field = tag >>> 3;
    this.#wireType = tag & 7;
    return true;
  }

  /** Of the current field: 2 for what has a length. */
  get wireType(): number {
    return this.#wireType;
  }

  /** An unsigned or non-negative value below 2^53; larger ones lose precision. */
  uint(): number {
    return this.#varint();
  }

  bool(): boolean {
    return this.#varint() !== 0;
  }

  /** All 64 bits of an int64. */
  int64(): bigint {
    let value = 0n;
    const last = this.at + maxVarintBytes;
    for (let shift = 0n; ; shift += 7n) {
      if (this.at === last) throw tooLong();
      if (this.at >= this.end) throw new ProtobufError('protobuf: truncated integer');
      const byte = this.#buffer[this.at++]!;
      value |= BigInt(byte & 0x7f) << shift;
      if (byte < 0x80) return BigInt.asIntN(64, value);
    }
  }

  string(): string {
    const end = this.message();
    const text = this.#buffer.toString('utf8', this.at, end);
    this.at = end;
    return text;
  }

  /** A copy with memory of its own: a slice, or a place in Node's buffer pool, would keep all of that alive. */
  bytes(): Buffer {
    const end = this.message();
    const length = end - this.at;
    if (length === 0) return noBytes;
    const copy = Buffer.allocUnsafeSlow(length);
    this.#buffer.copy(copy, 0, this.at, end);
    this.at = end;
    return copy;
  }

  /** Enters a nested message and returns where it ends. */
  message(): number {
    const length = this.#varint();
    const end = this.at + length;
    if (end > this.end) throw new ProtobufError('protobuf: truncated message');
    return end;
  }

  skip(): void {
    switch (this.#wireType) {
      case 0:
        this.#varint();
        return;
      case 1:
        this.at += 8;
        return;
      case 2:
        this.at = this.message();
        return;
      case 5:
        this.at += 4;
        return;
      default:
        throw new ProtobufError(`protobuf: wire type ${this.#wireType}`);
    }
  }

  #varint(): number {
    const last = this.at + maxVarintBytes;
    let byte = this.#buffer[this.at++]!;
    if (byte < 0x80) return byte;
    let value = byte & 0x7f;
    let scale = 128;
    do {
      if (this.at === last) throw tooLong();
      if (this.at >= this.end) throw new ProtobufError('protobuf: truncated integer');
      byte = this.#buffer[this.at++]!;
      value += (byte & 0x7f) * scale;
      scale *= 128;
    } while (byte >= 0x80);
    return value;
  }
}

const tooLong = (): ProtobufError => new ProtobufError('protobuf: an integer of more than ten bytes');
