/**
 * Encodes and decodes protobuf messages by tables of their fields (proto3).
 *
 * Zero values are not written. What a message does not have is absent from the object, and so is an unknown value of
 * an enumeration. Integers of 64 bits are read as bigint.
 * @see {@link https://protobuf.dev/programming-guides/encoding/ | Protocol Buffers: encoding}
 */
import { ProtobufError, type ProtoReader } from './reader.ts';
import { ProtoWriter } from './writer.ts';

/** Number, name, type, and whether there are several values, or a map from strings to values of the type. */
export type FieldRow = readonly [number: number, name: string, type: string, form?: 'repeated' | 'map'];

export interface WireSchema {
  readonly messages: Readonly<Record<string, readonly FieldRow[]>>;
  readonly enums: Readonly<Record<string, Readonly<Record<string, number>>>>;
}

type Fields = Record<string, unknown>;
type Integer = number | bigint;

const scalars: ReadonlySet<string> = new Set(['string', 'bytes', 'bool', 'int32', 'uint32', 'int64', 'uint64']);
const lengthDelimited = 2;
const usualBytes = 512;

interface Message {
  /** Numbers fall. */
  readonly rows: readonly FieldRow[];
  readonly byNumber: ReadonlyMap<number, FieldRow>;
}

export class MessageCodec {
  readonly #messages = new Map<string, Message>();
  readonly #schema: WireSchema;
  /** By enumeration. */
  readonly #names = new Map<string, ReadonlyMap<number, string>>();

  constructor(schema: WireSchema) {
    this.#schema = schema;
  }

  /** The message with gRPC's prefix. */
  encodeGrpc(type: string, value: object): Buffer {
    return this.#written(type, value).finishGrpc();
  }

  encode(type: string, value: object): Buffer {
    return this.#written(type, value).finish();
  }

  /** Throws `ProtobufError` for bytes that are no message. */
  decode(type: string, reader: ProtoReader): object {
    return this.#read(type, reader, reader.end);
  }

  #written(type: string, value: object): ProtoWriter {
    const writer = new ProtoWriter(usualBytes);
    this.#write(writer, type, value as Fields);
    return writer;
  }

  #messageOf(type: string): Message {
    let message = this.#messages.get(type);
    if (message === undefined) {
      const rows = this.#schema.messages[type];
      if (rows === undefined) throw new Error(`no message ${type}`);
      message = {
        rows: [...rows].sort((a, b) => b[0] - a[0]),
        byNumber: new Map(rows.map((row) => [row[0], row])),
      };
      this.#messages.set(type, message);
    }
    return message;
  }

  #write(writer: ProtoWriter, type: string, value: Fields): void {
    for (const [number, name, fieldType, form] of this.#messageOf(type).rows) {
      const member = value[name];
      if (member === undefined) continue;
      if (form === 'map') this.#writeMap(writer, number, fieldType, member as Fields);
      else if (form === 'repeated') this.#writeList(writer, number, fieldType, member as readonly unknown[]);
      else if (!isZero(member)) this.#writeValue(writer, number, fieldType, member);
    }
  }

  #writeList(writer: ProtoWriter, number: number, type: string, values: readonly unknown[]): void {
    for (const value of values.toReversed()) this.#writeValue(writer, number, type, value);
  }

  #writeValue(writer: ProtoWriter, number: number, type: string, value: unknown): void {
    switch (type) {
      case 'string':
        return writer.string(number, value as string);
      case 'bytes':
        return writer.bytes(number, value as Uint8Array);
      case 'bool':
        return writer.uint(number, value === true ? 1 : 0);
      case 'int32':
      case 'uint32':
      case 'int64':
      case 'uint64':
        return writer.bigint(number, BigInt.asUintN(64, BigInt(value as Integer)));
    }
    const values = this.#schema.enums[type];
    if (values !== undefined) return writer.uint(number, values[value as string] ?? 0);
    const end = writer.length;
    this.#write(writer, type, value as Fields);
    writer.message(number, end);
  }

  #read(type: string, reader: ProtoReader, end: number): Fields {
    const { byNumber } = this.#messageOf(type);
    const value: Fields = {};
    while (reader.next(end)) {
      const row = byNumber.get(reader.field);
      if (row === undefined) reader.skip();
      else this.#readField(value, row, reader);
      if (reader.at > end) throw new ProtobufError(`protobuf: a field of ${type} is longer than its message`);
    }
    return value;
  }

  #readField(value: Fields, [, name, type, form]: FieldRow, reader: ProtoReader): void {
    const isDelimited = reader.wireType === lengthDelimited;
    if (form === 'map') {
      this.#readMapEntry((value[name] ??= Object.create(null)) as Fields, type, reader);
      return;
    }
    if (isDelimited !== this.#isDelimited(type)) {
      if (form !== 'repeated' || !isDelimited) return reader.skip();
      return this.#readPacked((value[name] ??= []) as unknown[], type, reader);
    }
    const read = this.#readValue(type, reader);
    if (read === undefined) return;
    if (form === 'repeated') ((value[name] ??= []) as unknown[]).push(read);
    else value[name] = read;
  }

  #writeMap(writer: ProtoWriter, number: number, type: string, map: Fields): void {
    for (const [key, value] of Object.entries(map).reverse()) {
      const end = writer.length;
      this.#writeValue(writer, 2, type, value);
      writer.string(1, key);
      writer.message(number, end);
    }
  }

  #readMapEntry(map: Fields, type: string, reader: ProtoReader): void {
    const end = reader.message();
    let key = '';
    let value: unknown = type === 'string' ? '' : {};
    while (reader.next(end)) {
      if (reader.field === 1) key = reader.string();
      else if (reader.field === 2 && reader.wireType === lengthDelimited) value = this.#readValue(type, reader);
      else reader.skip();
    }
    map[key] = value;
  }

  #readPacked(list: unknown[], type: string, reader: ProtoReader): void {
    const end = reader.message();
    while (reader.at < end) {
      const read = this.#readValue(type, reader);
      if (read !== undefined) list.push(read);
    }
  }

  #isDelimited(type: string): boolean {
    return scalars.has(type) ? type === 'string' || type === 'bytes' : this.#schema.enums[type] === undefined;
  }

  #readValue(type: string, reader: ProtoReader): unknown {
    switch (type) {
      case 'string':
        return reader.string();
      case 'bytes':
        return reader.bytes();
      case 'bool':
        return reader.bool();
      case 'int32':
        return Number(BigInt.asIntN(32, reader.int64()));
      case 'uint32':
        return Number(BigInt.asUintN(32, reader.int64()));
      case 'int64':
        return reader.int64();
      case 'uint64':
        return BigInt.asUintN(64, reader.int64());
    }
    if (this.#schema.enums[type] !== undefined) return this.#namesOf(type).get(reader.uint());
    const end = reader.message();
    const message = this.#read(type, reader, end);
    reader.at = end;
    return message;
  }

  #namesOf(type: string): ReadonlyMap<number, string> {
    let names = this.#names.get(type);
    if (names === undefined) {
      names = new Map(Object.entries(this.#schema.enums[type]!).map(([name, number]) => [number, name]));
      this.#names.set(type, names);
    }
    return names;
  }
}

const isZero = (value: unknown): boolean => value === '' || value === false || value === 0 || value === 0n;
