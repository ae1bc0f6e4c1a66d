/**
 * Writing protobuf back to front: when a message's length is to be written its content is there already, so nothing is
 * measured first and nothing moved afterwards.
 *
 * Writers take `(bytes, position, value)`, write so that the last byte lies before `position`, and return where they
 * began. They write to a {@link Scratch}: a writer of unbounded size leaves {@link reserve} bytes in front.
 *
 * Numbers are written by `base/protobuf/varint.ts`, which `ProtoWriter` uses as well. What stands here is for the
 * generated encoders alone: values of any type, texts in place, errors as upstream words them.
 */
import '../../base/native-buffer.ts';
import { writeHalves, writeUint64, writeVarint } from '../../base/protobuf/varint.ts';
import { EncodeError } from './decode-error.ts';
import { reserve, scratchFull } from '../bytes/scratch.ts';
import { encodeUtf8 } from '../bytes/utf8.ts';

/** For a writer that is about to return. */
export function checkSpace(p: number): number {
  if (p < reserve) throw scratchFull;
  return p;
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
