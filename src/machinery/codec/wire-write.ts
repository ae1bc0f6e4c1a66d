/**
 * Writing protobuf back to front: when a message's length is to be written its content is there already, so nothing is
 * measured first and nothing moved afterwards.
 *
 * Writers take `(bytes, position, value)`, write so that the last byte lies before `position`, and return where they
 * began. They write to a {@link Scratch}: a writer of unbounded size leaves {@link reserve} bytes in front.
 */
import '../../base/native-buffer.ts';
import { EncodeError } from './decode-error.ts';
import { reserve, scratchFull } from '../bytes/scratch.ts';
import { encodeUtf8 } from '../bytes/utf8.ts';

/** For a writer that is about to return. */
export function checkRoom(p: number): number {
  if (p < reserve) throw scratchFull;
  return p;
}

export function writeVarint(b: Uint8Array, p: number, value: number): number {
  if (value < 128) {
    b[--p] = value;
    return p;
  }
  if (value < 16384) {
    b[--p] = value >>> 7;
    b[--p] = (value & 127) | 128;
    return p;
  }
  return writeUint64(b, p, value);
}

export function writeUint64(b: Uint8Array, p: number, value: number | bigint): number {
  if (typeof value === 'bigint')
    return writeHalves(b, p, Number(value & 0xffffffffn), Number((value >> 32n) & 0xffffffffn));
  return writeHalves(b, p, value >>> 0, Math.floor(value / 4294967296) >>> 0);
}

/** Numbers of any sign as 64 bits in two's complement, which is what protobuf makes of negative ones. */
export function writeInt(b: Uint8Array, p: number, value: number | bigint): number {
  if (typeof value === 'number') {
    if ((value & 127) === value) {
      b[--p] = value;
      return p;
    }
    if (!Number.isSafeInteger(value)) throw new EncodeError(`${value} is no integer`);
    return writeHalves(b, p, value >>> 0, Math.floor(value / 4294967296) >>> 0);
  }
  if (typeof value !== 'bigint') throw wrongType(value, 'integer');
  return writeUint64(b, p, BigInt.asUintN(64, value));
}

function writeHalves(b: Uint8Array, p: number, low: number, high: number): number {
  const size = high === 0 ? sizeOf32(low) : high < 8 ? 5 : 4 + sizeOf32(high >>> 3) + (high >>> 3 === 0 ? 0 : 1);
  const begin = p - size;
  for (let i = begin; i < p - 1; i++) {
    b[i] = (low & 127) | 128;
    low = ((low >>> 7) | (high << 25)) >>> 0;
    high >>>= 7;
  }
  b[p - 1] = low;
  return begin;
}

function sizeOf32(value: number): number {
  return value < 0x80 ? 1 : value < 0x4000 ? 2 : value < 0x200000 ? 3 : value < 0x10000000 ? 4 : 5;
}

const float = new Float64Array(1);
const floatBytes = new Uint8Array(float.buffer);

export function writeDouble(b: Uint8Array, p: number, value: number | bigint): number {
  float[0] = Number(value);
  for (let i = 7; i >= 0; i--) b[--p] = floatBytes[i]!;
  return p;
}

const longText = 48;

/** The text and its length in front of it. */
export function writeString(b: Buffer, p: number, text: unknown): number {
  if (typeof text !== 'string') throw wrongType(text, 'string');
  const { length } = text;
  const begin = p - length;
  if (begin < reserve) throw scratchFull;
  if (length > longText) return writeLongString(b, p, text);
  for (let i = 0; i < length; i++) {
    const code = text.charCodeAt(i);
    if (code > 127) return writeLongString(b, p, text);
    b[begin + i] = code;
  }
  b[begin - 1] = length;
  return begin - 1;
}

function writeLongString(b: Buffer, p: number, text: string): number {
  const size = Buffer.byteLength(text);
  const begin = p - size;
  if (begin < reserve) throw scratchFull;
  if (size === text.length) b.latin1Write(text, begin, size);
  else if (text.isWellFormed()) b.utf8Write(text, begin, size);
  else return writeBlob(b, p, encodeUtf8(text));
  return writeVarint(b, begin, size);
}

/** Bytes and their length in front of them. */
export function writeBlob(b: Buffer, p: number, bytes: Uint8Array): number {
  const begin = p - bytes.length;
  if (begin < reserve) throw scratchFull;
  b.set(bytes, begin);
  return writeVarint(b, begin, bytes.length);
}

/** Base64 text as the bytes it stands for, and their length. */
export function writeBase64(b: Buffer, p: number, text: unknown): number {
  if (typeof text !== 'string') throw wrongType(text, 'base64 string');
  const padding = text.endsWith('==') ? 2 : text.endsWith('=') ? 1 : 0;
  const size = Math.floor((text.length * 3) / 4) - padding;
  const begin = p - size;
  if (begin < reserve) throw scratchFull;
  if (b.base64Write(text, begin, size) !== size) return writeBlob(b, p, Buffer.from(text, 'base64'));
  return writeVarint(b, begin, size);
}

export function wrongType(value: unknown, expected: string): EncodeError {
  return new EncodeError(
    'cannot ' +
      `encode ${value === null ? 'null' : Array.isArray(value) ? 'a list' : `a value of type ${typeof value}`} ` +
      `as ${expected}`,
  );
}

export function failNotList(value: unknown): never {
  throw wrongType(value, 'a list');
}

export function failNotObject(value: unknown): never {
  throw wrongType(value, 'an object');
}
