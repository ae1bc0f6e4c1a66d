import { writeDouble, writeUint64, writeVarint } from './varint.ts';

/** A varint and the number of its field take at most this much. */
const numberBytes = 16;
const grpcPrefixBytes = 5;

/**
 * Writes a protobuf message from its end to its beginning: the length of a nested message is known when its prefix is
 * written, and a value is copied once. Fields are therefore written in falling order. Zero values are left out by the
 * caller, as proto3 does, or written, as proto2 has it.
 *
 * @see {@link https://protobuf.dev/programming-guides/encoding/ | Protocol Buffers: encoding}
 */
export class ProtoWriter {
  #buffer: Buffer;
  #at: number;

  /** `capacity`: as much as will be written, in bytes. More is copied to a larger buffer. */
  constructor(capacity: number) {
    this.#buffer = Buffer.allocUnsafe(capacity);
    this.#at = capacity;
  }

  /** Bytes written so far; `message()` takes an earlier value as the place where a nested message ends. */
  get length(): number {
    return this.#buffer.length - this.#at;
  }

  uint(field: number, value: number): void {
    this.#reserve(numberBytes);
    this.#at = writeVarint(this.#buffer, this.#at, value);
    this.#tag(field, 0);
  }

  bigint(field: number, value: bigint): void {
    this.#reserve(numberBytes);
    this.#at = writeUint64(this.#buffer, this.#at, value);
    this.#tag(field, 0);
  }

  double(field: number, value: number): void {
    this.#reserve(numberBytes);
    this.#at = writeDouble(this.#buffer, this.#at, value);
    this.#tag(field, 1);
  }

  /** Writes nothing for the zero value. */
  bool(field: number, value: boolean): void {
    if (value) this.uint(field, 1);
  }

  bytes(field: number, value: Uint8Array): void {
    this.#reserve(value.length + numberBytes);
    this.#at -= value.length;
    this.#buffer.set(value, this.#at);
    this.prefix(field, value.length);
  }

  string(field: number, value: string): void {
    const length = Buffer.byteLength(value);
    this.#reserve(length + numberBytes);
    this.#at -= length;
    this.#buffer.write(value, this.#at);
    this.prefix(field, length);
  }

  /** Makes what was written since `end` (an earlier `length`) a nested message. */
  message(field: number, end: number): void {
    this.prefix(field, this.length - end);
  }

  /** What stands before `length` bytes, which need not have been written here. */
  prefix(field: number, length: number): void {
    this.#reserve(numberBytes);
    this.#at = writeVarint(this.#buffer, this.#at, length);
    this.#tag(field, 2);
  }

  /** What was written, in the memory of the writer. */
  finish(): Buffer {
    return this.#buffer.subarray(this.#at);
  }

  /** The message with gRPC's prefix: not compressed, length. */
  finishGrpc(): Buffer {
    const length = this.length;
    this.#reserve(grpcPrefixBytes);
    this.#at -= grpcPrefixBytes;
    this.#buffer[this.#at] = 0;
    this.#buffer.writeUInt32BE(length, this.#at + 1);
    return this.#buffer.subarray(this.#at);
  }

  #tag(field: number, wireType: number): void {
    this.#at = writeVarint(this.#buffer, this.#at, (field << 3) | wireType);
  }

  #reserve(count: number): void {
    if (this.#at < count) this.#grow(count);
  }

  #grow(count: number): void {
    const { length } = this;
    const larger = Buffer.allocUnsafe(Math.max(this.#buffer.length * 2, length + count));
    this.#at = larger.length - length;
    this.#buffer.copy(larger, this.#at, this.#buffer.length - length);
    this.#buffer = larger;
  }
}
