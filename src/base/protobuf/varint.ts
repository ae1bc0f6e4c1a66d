/**
 * Varints and doubles of protobuf, written back to front: writers take `(bytes, position, value)`, write so that the
 * last byte lies before `position`, and return where they began.
 *
 * @see {@link https://protobuf.dev/programming-guides/encoding/ | Protocol Buffers: encoding}
 */

/** A whole number from 0 to 2^53. */
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

/** 64 bits as two halves of 32. */
export function writeHalves(b: Uint8Array, p: number, low: number, high: number): number {
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

/** Bytes of a varint. */
export function varintSize(value: number): number {
  let size = 1;
  for (; value >= 128; value = Math.floor(value / 128)) size++;
  return size;
}

const float = new Float64Array(1);
const floatBytes = new Uint8Array(float.buffer);

export function writeDouble(b: Uint8Array, p: number, value: number | bigint): number {
  float[0] = Number(value);
  for (let i = 7; i >= 0; i--) b[--p] = floatBytes[i]!;
  return p;
}
