/**
 * Messages of D-Bus as bytes: values by their signatures, and the header. Both byte orders are read, and little endian
 * is written.
 * @see {@link https://dbus.freedesktop.org/doc/dbus-specification.html#message-protocol | D-Bus Specification, Message
 *   Protocol}
 */

/** A `v` carries its own signature. */
export interface Variant {
  readonly signature: string;
  readonly value: DBusValue;
}

export type DBusValue = boolean | number | bigint | string | Variant | readonly DBusValue[];

export const messageType = { call: 1, return: 2, error: 3, signal: 4 } as const;

export interface DBusMessage {
  readonly type: number;
  readonly serial: number;
  readonly path?: string | undefined;
  readonly interface?: string | undefined;
  readonly member?: string | undefined;
  readonly errorName?: string | undefined;
  readonly replySerial?: number | undefined;
  readonly destination?: string | undefined;
  readonly sender?: string | undefined;
  readonly signature?: string | undefined;
  readonly body?: readonly DBusValue[] | undefined;
  readonly noReply?: boolean | undefined;
}

/** Bytes that are no message, or one that is too long. */
export class DBusFormatError extends Error {
  override readonly name = 'DBusFormatError';
}

/** Of one message. The protocol allows 128 MiB; what the agent asks has some hundred bytes. */
export const maxMessageBytes = 1 << 20;
const maxDepth = 32;
const fixedHeaderBytes = 16;
const littleEndian = 'l'.charCodeAt(0);
const bigEndian = 'B'.charCodeAt(0);
const protocolVersion = 1;
const noReplyFlag = 1;

/** Members of the header by code: the name and the signature of each. */
const headerFields = [
  [1, 'path', 'o'],
  [2, 'interface', 's'],
  [3, 'member', 's'],
  [4, 'errorName', 's'],
  [5, 'replySerial', 'u'],
  [6, 'destination', 's'],
  [7, 'sender', 's'],
  [8, 'signature', 'g'],
] as const;

/** The first complete type of a signature, and what follows it. */
export function splitType(signature: string): readonly [type: string, rest: string] {
  const length = typeLength(signature, 0, 0);
  return [signature.slice(0, length), signature.slice(length)];
}

function typeLength(signature: string, at: number, depth: number): number {
  if (depth > maxDepth) throw new DBusFormatError('a signature that is nested too deeply');
  const code = signature[at];
  if (code === undefined) throw new DBusFormatError(`the signature ${signature} ends early`);
  if (code === 'a') return 1 + typeLength(signature, at + 1, depth + 1);
  const close = code === '(' ? ')' : code === '{' ? '}' : undefined;
  if (close === undefined) return 1;
  let end = at + 1;
  while (signature[end] !== close) end += typeLength(signature, end, depth + 1);
  return end + 1 - at;
}

const alignments: Readonly<Record<string, number>> = {
  y: 1,
  g: 1,
  v: 1,
  n: 2,
  q: 2,
  b: 4,
  i: 4,
  u: 4,
  h: 4,
  s: 4,
  o: 4,
  a: 4,
  x: 8,
  t: 8,
  d: 8,
  '(': 8,
  '{': 8,
};

const alignmentOf = (type: string): number => {
  const alignment = alignments[type[0] ?? ''];
  if (alignment === undefined) throw new DBusFormatError(`there is no type ${type}`);
  return alignment;
};

export function encodeMessage(message: DBusMessage): Buffer {
  const { type, serial, signature = '', body = [], noReply = false } = message;
  const content = new Writer();
  let rest = signature;
  for (const value of body) {
    const [first, after] = splitType(rest);
    content.write(first, value);
    rest = after;
  }
  const header = new Writer();
  header.write('(yyyyuu)', [littleEndian, type, noReply ? noReplyFlag : 0, protocolVersion, content.length, serial]);
  const fields = headerFields.flatMap(([code, name, fieldType]): DBusValue[] => {
    const value = message[name];
    return value === undefined || value === '' ? [] : [[code, { signature: fieldType, value }]];
  });
  header.write('a(yv)', fields);
  header.align(8);
  return Buffer.concat([header.bytes(), content.bytes()]);
}

/**
 * The message at the beginning of the bytes, and how many it takes; undefined when more have to come.
 * Throws a `DBusFormatError`.
 */
export function decodeMessage(bytes: Buffer): { readonly message: DBusMessage; readonly length: number } | undefined {
  if (bytes.length < fixedHeaderBytes) return undefined;
  const order = bytes[0];
  if (order !== littleEndian && order !== bigEndian) throw new DBusFormatError('no byte order');
  const isLittle = order === littleEndian;
  const read32 = (at: number): number => (isLittle ? bytes.readUInt32LE(at) : bytes.readUInt32BE(at));
  const bodyLength = read32(4);
  const fieldsLength = read32(12);
  const bodyAt = Math.ceil((fixedHeaderBytes + fieldsLength) / 8) * 8;
  const length = bodyAt + bodyLength;
  if (length > maxMessageBytes) throw new DBusFormatError(`a message of ${length} bytes`);
  if (bytes.length < length) return undefined;
  const header = new Reader(bytes.subarray(0, bodyAt), isLittle, 12);
  const members: Record<string, DBusValue> = {};
  for (const field of header.read('a(yv)', 0) as readonly (readonly [number, Variant])[]) {
    const known = headerFields.find(([code, , type]) => code === field[0] && type === field[1].signature);
    if (known !== undefined) members[known[1]] = field[1].value;
  }
  const signature = (members['signature'] as string | undefined) ?? '';
  const content = new Reader(bytes.subarray(bodyAt, length), isLittle, 0);
  const body: DBusValue[] = [];
  for (let rest = signature; rest !== ''; ) {
    const [first, after] = splitType(rest);
    body.push(content.read(first, 0));
    rest = after;
  }
  return { message: { ...members, type: bytes[1]!, serial: read32(8), body }, length };
}

class Writer {
  readonly #parts: Buffer[] = [];
  length = 0;

  bytes(): Buffer {
    return Buffer.concat(this.#parts);
  }

  align(to: number): void {
    const padding = (to - (this.length % to)) % to;
    if (padding > 0) this.#push(Buffer.alloc(padding));
  }

  write(type: string, value: DBusValue): void {
    this.align(alignmentOf(type));
    switch (type[0]) {
      case 'y':
        return this.#push(Buffer.from([value as number]));
      case 'b':
        return this.#number(4, BigInt(value as boolean));
      case 'n':
      case 'q':
        return this.#number(2, BigInt(value as number));
      case 'i':
      case 'u':
      case 'h':
        return this.#number(4, BigInt(value as number));
      case 'x':
      case 't':
        return this.#number(8, BigInt(value as bigint));
      case 's':
      case 'o':
        return this.#text(value as string, 4);
      case 'g':
        return this.#text(value as string, 1);
      case 'v': {
        const { signature, value: inner } = value as Variant;
        this.#text(signature, 1);
        return this.write(signature, inner);
      }
      case 'a':
        return this.#array(type.slice(1), value as readonly DBusValue[]);
      case '(':
      case '{':
        return this.#members(type, value as readonly DBusValue[]);
      default:
        throw new DBusFormatError(`the type ${type} is not written`);
    }
  }

  #members(type: string, values: readonly DBusValue[]): void {
    let rest = type.slice(1, -1);
    for (const value of values) {
      const [first, after] = splitType(rest);
      this.write(first, value);
      rest = after;
    }
  }

  #array(type: string, values: readonly DBusValue[]): void {
    const size = Buffer.alloc(4);
    this.#push(size);
    this.align(alignmentOf(type));
    const start = this.length;
    for (const value of values) this.write(type, value);
    size.writeUInt32LE(this.length - start);
  }

  #text(text: string, lengthBytes: 1 | 4): void {
    const bytes = Buffer.from(text);
    this.#number(lengthBytes, BigInt(bytes.length));
    this.#push(Buffer.concat([bytes, Buffer.from([0])]));
  }

  #number(size: number, value: bigint): void {
    const bytes = Buffer.alloc(8);
    bytes.writeBigUInt64LE(BigInt.asUintN(64, value));
    this.#push(bytes.subarray(0, size));
  }

  #push(bytes: Buffer): void {
    this.#parts.push(bytes);
    this.length += bytes.length;
  }
}

class Reader {
  readonly #bytes: Buffer;
  readonly #isLittle: boolean;
  #at: number;

  constructor(bytes: Buffer, isLittle: boolean, at: number) {
    this.#bytes = bytes;
    this.#isLittle = isLittle;
    this.#at = at;
  }

  read(type: string, depth: number): DBusValue {
    if (depth > maxDepth) throw new DBusFormatError('values that are nested too deeply');
    this.#at = Math.ceil(this.#at / alignmentOf(type)) * alignmentOf(type);
    switch (type[0]) {
      case 'y':
        return Number(this.#number(1));
      case 'b':
        return this.#number(4) !== 0n;
      case 'n':
        return Number(BigInt.asIntN(16, this.#number(2)));
      case 'q':
        return Number(this.#number(2));
      case 'i':
        return Number(BigInt.asIntN(32, this.#number(4)));
      case 'u':
      case 'h':
        return Number(this.#number(4));
      case 'x':
        return BigInt.asIntN(64, this.#number(8));
      case 't':
        return this.#number(8);
      case 'd':
        return this.#double();
      case 's':
      case 'o':
        return this.#text(4);
      case 'g':
        return this.#text(1);
      case 'v': {
        const signature = this.#text(1);
        const [first, rest] = splitType(signature);
        if (rest !== '') throw new DBusFormatError(`a variant of ${signature}`);
        return { signature, value: this.read(first, depth + 1) };
      }
      case 'a':
        return this.#array(type.slice(1), depth);
      default: {
        const members: DBusValue[] = [];
        for (let rest = type.slice(1, -1); rest !== ''; ) {
          const [first, after] = splitType(rest);
          members.push(this.read(first, depth + 1));
          rest = after;
        }
        return members;
      }
    }
  }

  #array(type: string, depth: number): readonly DBusValue[] {
    const length = Number(this.#number(4));
    this.#at = Math.ceil(this.#at / alignmentOf(type)) * alignmentOf(type);
    const end = this.#at + length;
    if (end > this.#bytes.length) throw new DBusFormatError('an array that is longer than its message');
    const values: DBusValue[] = [];
    while (this.#at < end) values.push(this.read(type, depth + 1));
    return values;
  }

  #text(lengthBytes: 1 | 4): string {
    const length = Number(this.#number(lengthBytes));
    const text = this.#take(length).toString('utf8');
    this.#take(1);
    return text;
  }

  #number(size: 1 | 2 | 4 | 8): bigint {
    const bytes = this.#take(size);
    let value = 0n;
    for (const byte of this.#isLittle ? bytes.toReversed() : bytes) value = (value << 8n) | BigInt(byte);
    return value;
  }

  #double(): number {
    const bytes = this.#take(8);
    return this.#isLittle ? bytes.readDoubleLE() : bytes.readDoubleBE();
  }

  #take(length: number): Buffer {
    const end = this.#at + length;
    if (end > this.#bytes.length) throw new DBusFormatError('a value that is longer than its message');
    const bytes = this.#bytes.subarray(this.#at, end);
    this.#at = end;
    return bytes;
  }
}
