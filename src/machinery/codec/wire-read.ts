/**
 * Reading protobuf: what the generated decoders call for everything that is not a few instructions.
 *
 * A reader takes `(bytes, position, …)`, returns the value and leaves the position behind it in {@link at}. Reading
 * past the end of a message is harmless (a missing byte counts as 0): every message loop ends with a check that it
 * stopped exactly at its end.
 *
 * These are functions beside `ProtoReader` because the generated decoders keep the position in a local variable and
 * read short tags, lengths and numbers in place: a message of 1.2 kB with 140 short fields takes 4.2 µs, read by
 * `ProtoReader` 6.3 µs (Node 20). Their errors are those of upstream's decoder as well.
 *
 * @see {@link https://protobuf.dev/programming-guides/encoding/ | Protocol Buffers: encoding}
 */
import '../../base/native-buffer.ts';
import { DecodeError } from './decode-error.ts';
import { decodeUtf8 } from '../bytes/utf8.ts';

/** Where the last reader stopped. An object and not a binding, so that generated code can see it change. */
export const at = { p: 0 };

/** How many messages a decoder may still read. Set by its caller. */
export const budget = { messages: 0 };

let low = 0;
let high = 0;

/** Reads a whole varint into `low` and `high`, 32 bits each. */
function readVarint(b: Uint8Array, p: number): void {
  low = 0;
  high = 0;
  for (let shift = 0; shift < 70; shift += 7) {
    const byte = b[p++] ?? 0;
    if (shift < 28) low |= (byte & 127) << shift;
    else if (shift === 28) {
      low |= (byte & 127) << 28;
      high |= (byte & 127) >>> 4;
    } else if (shift < 63) high |= (byte & 127) << (shift - 32);
    else high |= (byte & 1) << 31;
    if (byte < 128) {
      low >>>= 0;
      high >>>= 0;
      at.p = p;
      return;
    }
  }
  throw new DecodeError('proto: integer overflow');
}

/** A length or tag; what exceeds every buffer is refused by the caller's bounds check. */
export function readUint(b: Uint8Array, p: number): number {
  const byte = b[p]!;
  if (byte < 128) {
    at.p = p + 1;
    return byte;
  }
  readVarint(b, p);
  return high * 4294967296 + low;
}

export function readInt32(b: Uint8Array, p: number): number {
  readVarint(b, p);
  return low | 0;
}

export function readUint32(b: Uint8Array, p: number): number {
  readVarint(b, p);
  return low;
}

export function readInt64(b: Uint8Array, p: number): number | bigint {
  readVarint(b, p);
  const signedHigh = high | 0;
  if (signedHigh >= -0x200000 && signedHigh < 0x200000) {
    const value = signedHigh * 4294967296 + low;
    if (value !== -0x20000000000000) return value;
  }
  return (BigInt(signedHigh) << 32n) | BigInt(low);
}

export function readUint64(b: Uint8Array, p: number): number | bigint {
  readVarint(b, p);
  if (high < 0x200000) return high * 4294967296 + low;
  return (BigInt(high) << 32n) | BigInt(low);
}

export function readBool(b: Uint8Array, p: number): boolean {
  readVarint(b, p);
  return (low | high) !== 0;
}

const float = new Float64Array(1);
const floatBytes = new Uint8Array(float.buffer);

export function readDouble(b: Uint8Array, p: number): number {
  for (let i = 0; i < 8; i++) floatBytes[i] = b[p + i] ?? 0;
  at.p = p + 8;
  return float[0]!;
}

const longText = 96;

export function readString(b: Buffer, p: number, q: number): string {
  if (q - p > longText) return decodeUtf8(b, p, q);
  let bits = 0;
  for (let i = p; i < q; i++) bits |= b[i]!;
  return bits < 128 ? b.latin1Slice(p, q) : decodeUtf8(b, p, q);
}

/** The length of a length-delimited field whose bytes must lie before `end`; `at.p` is its first byte. */
export function readLength(b: Uint8Array, p: number, end: number): number {
  const length = readUint(b, p);
  if (at.p + length > end) throw unexpectedEnd();
  return length;
}

/**
 * Skips a field that the type does not have (or whose tag took more than two bytes to read) and returns the position
 * after it. `tag` may be incomplete: it is read again from `start`.
 */
export function skipField(
  b: Uint8Array,
  start: number,
  end: number,
  known: Readonly<Record<number, string>>,
  typeName: string,
): number {
  const wireType = readWireType(b, start);
  // Upstream keeps field numbers in 32 bits.
  const number = (high << 29) | (low >>> 3);
  if (wireType === 4) throw new DecodeError(`proto: ${typeName}: wiretype end group for non-group`);
  if (number <= 0) throw new DecodeError(`proto: ${typeName}: illegal tag ${number} (wire type ${wireType})`);
  if (known[number] !== undefined)
    throw new DecodeError(`proto: wrong wireType = ${wireType} for field ${known[number]}`);
  return skipValue(b, at.p, end, wireType);
}

/** Reads a tag, all of whose bits lie in `low` and `high` then. */
function readWireType(b: Uint8Array, p: number): number {
  readVarint(b, p);
  return low & 7;
}

/** Skips any field, known or not, and returns the position after it. */
export function skipAny(b: Uint8Array, start: number, end: number): number {
  const wireType = readWireType(b, start);
  return skipValue(b, at.p, end, wireType);
}

function skipValue(b: Uint8Array, p: number, end: number, wireType: number): number {
  let depth = 0;
  for (;;) {
    switch (wireType) {
      case 0:
        readVarint(b, p);
        p = at.p;
        break;
      case 1:
        p += 8;
        break;
      case 2:
        p = readLength(b, p, end) + at.p;
        break;
      case 3:
        depth++;
        break;
      case 4:
        if (depth === 0) throw new DecodeError('proto: unexpected end of group');
        depth--;
        break;
      case 5:
        p += 4;
        break;
      default:
        throw new DecodeError(`proto: illegal wireType ${wireType}`);
    }
    if (p > end) throw unexpectedEnd();
    if (depth === 0) return p;
    if (p === end) throw unexpectedEnd();
    wireType = readWireType(b, p);
    p = at.p;
  }
}

export function unexpectedEnd(): DecodeError {
  return new DecodeError('unexpected EOF');
}

/** A loop over a message's fields did not stop at its end. */
export function failUnexpectedEnd(): never {
  throw unexpectedEnd();
}

/** Messages nested deeper than any type needs. The functions of large types take two kilobytes of stack each. */
export const maxDepth = 200;

export function failTooMany(): never {
  throw new DecodeError('proto: too many messages for the length of the object');
}

export function failTooDeep(): never {
  throw new DecodeError('proto: message nested too deep');
}
