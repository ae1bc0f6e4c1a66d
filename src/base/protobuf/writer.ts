/**
 * Writes a protobuf message from its end to its beginning: the length of a nested message is known when its prefix is
 * written, and a value is copied once. Fields are therefore written in falling order. Zero values are left out by the
 * caller, as proto3 does.
 *
 * @see {@link https://protobuf.dev/programming-guides/encoding/ | Protocol Buffers: encoding}
 */
export class ProtoWriter {
  readonly #buffer: Buffer;
  #at: number;

  /** `capacity` is an upper bound of what will be written. */
  constructor(capacity: number) {
    this.#buffer = Buffer.allocUnsafe(capacity);
    this.#at = capacity;
  }

  /** Bytes written so far; `message()` takes an earlier value as the place where a nested message ends. */
  get length(): number {
    return this.#buffer.length - this.#at;
  }

  uint(field: number, value: number): void {
    this.#varint(value);
    this.#varint(field << 3);
  }

  bigint(field: number, value: bigint): void {
    const groups: number[] = [];
    for (let rest = BigInt.asUintN(64, value); ; rest >>= 7n) {
      groups.push(Number(rest & 0x7fn));
      if (rest < 128n) break;
    }
    groups.toReversed().forEach((group, i) => (this.#buffer[--this.#at] = i === 0 ? group : group | 0x80));
    this.#varint(field << 3);
  }

  bool(field: number, value: boolean): void {
    if (value) this.uint(field, 1);
  }

  bytes(field: number, value: Uint8Array): void {
    this.#at -= value.length;
    this.#buffer.set(value, this.#at);
    this.#prefix(field, value.length);
  }

  string(field: number, value: string): void {
    const length = Buffer.byteLength(value);
    this.#at -= length;
    this.#buffer.write(value, this.#at);
    this.#prefix(field, length);
  }

  /** Makes what was written since `end` (an earlier `length`) a nested message. */
  message(field: number, end: number): void {
    this.#prefix(field, this.length - end);
  }

  /** What stands before `length` bytes that are sent without being copied in here. */
  prefix(field: number, length: number): void {
    this.#prefix(field, length);
  }

  finish(): Buffer {
    return this.#buffer.subarray(this.#at);
  }

  /** The message with gRPC's prefix: not compressed, length. */
  finishGrpc(): Buffer {
    const length = this.length;
    this.#at -= 5;
    this.#buffer[this.#at] = 0;
    this.#buffer.writeUInt32BE(length, this.#at + 1);
    return this.#buffer.subarray(this.#at);
  }

  #prefix(field: number, length: number): void {
    this.#varint(length);
    this.#varint((field << 3) | 2);
  }

  #varint(value: number): void {
    if (value < 0x80) {
      this.#buffer[--this.#at] = value;
      return;
    }
    let size = 1;
    for (let rest = Math.floor(value / 128); rest > 0; rest = Math.floor(rest / 128)) size++;
    this.#at -= size;
    let rest = value;
    for (let i = 0; i < size - 1; i++) {
      this.#buffer[this.#at + i] = (rest % 128) | 0x80;
      rest = Math.floor(rest / 128);
    }
    this.#buffer[this.#at + size - 1] = rest;
  }
}
