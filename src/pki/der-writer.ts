/**
 * The few DER types that a certificate consists of. Writing only: certificates are read by Node's `X509Certificate`.
 *
 * @see {@link https://www.itu.int/rec/T-REC-X.690 | ITU-T X.690}, sections 8 and 10
 */

const tags = {
  boolean: 0x01,
  integer: 0x02,
  bitString: 0x03,
  octetString: 0x04,
  oid: 0x06,
  utf8String: 0x0c,
  utcTime: 0x17,
  generalizedTime: 0x18,
  sequence: 0x30,
  set: 0x31,
};

function element(tag: number, content: Uint8Array): Buffer {
  return Buffer.concat([Buffer.from([tag]), encodeLength(content.length), content]);
}

/** Section 8.1.3: one byte up to 127, else the number of length bytes before them. */
function encodeLength(length: number): Buffer {
  if (length < 0x80) return Buffer.from([length]);
  const bytes = bigEndian(length);
  return Buffer.from([0x80 | bytes.length, ...bytes]);
}

function bigEndian(value: number): number[] {
  const bytes: number[] = [];
  for (let rest = value; rest > 0; rest = Math.floor(rest / 256)) bytes.unshift(rest % 256);
  return bytes;
}

export const sequence = (...items: readonly Uint8Array[]): Buffer => element(tags.sequence, Buffer.concat(items));
export const set = (...items: readonly Uint8Array[]): Buffer => element(tags.set, Buffer.concat(items));
export const boolean = (value: boolean): Buffer => element(tags.boolean, Buffer.from([value ? 0xff : 0]));
export const octetString = (content: Uint8Array): Buffer => element(tags.octetString, content);
export const utf8String = (text: string): Buffer => element(tags.utf8String, Buffer.from(text));
/** `[n]` around content, as in `version [0] EXPLICIT`. */
export const explicit = (n: number, content: Uint8Array): Buffer => element(0xa0 | n, content);
/** `[n]` in place of a simple type's own tag. */
export const implicit = (n: number, content: Uint8Array): Buffer => element(0x80 | n, content);

/** A positive integer, given by its bytes, highest first. */
export function integer(bytes: Uint8Array): Buffer {
  const start = bytes.findIndex((byte) => byte !== 0);
  const digits = start < 0 ? Buffer.from([0]) : bytes.subarray(start);
  // A set top bit would make it negative.
  return element(tags.integer, digits[0]! >= 0x80 ? Buffer.concat([Buffer.from([0]), digits]) : digits);
}

export const bitString = (content: Uint8Array, unusedBits = 0): Buffer =>
  element(tags.bitString, Buffer.concat([Buffer.from([unusedBits]), content]));

/**
 * Bits by their numbers, the first being the highest of the first byte; trailing zeros are left out (section 11.2.2).
 */
export function namedBits(bits: readonly number[]): Buffer {
  const last = Math.max(...bits);
  const bytes = Buffer.alloc((last >> 3) + 1);
  for (const bit of bits) bytes[bit >> 3]! |= 0x80 >> (bit & 7);
  return bitString(bytes, 7 - (last & 7));
}

/**
 * `2.5.29.15`. The first two numbers share a byte; the others are in base 128, each byte but the last with the top bit
 * set.
 */
export function oid(dotted: string): Buffer {
  const [first = 0, second = 0, ...rest] = dotted.split('.').map(Number);
  return element(tags.oid, Buffer.from([first * 40 + second, ...rest.flatMap(base128)]));
}

function base128(value: number): number[] {
  const bytes = [value & 0x7f];
  for (let rest = value >>> 7; rest > 0; rest >>>= 7) bytes.unshift((rest & 0x7f) | 0x80);
  return bytes;
}

/** Whole seconds in UTC; from 2050 on with four digits of the year (RFC 5280, section 4.1.2.5). */
export function time(date: Date): Buffer {
  const digits = `${date.toISOString().slice(0, 19).replace(/[-:T]/g, '')}Z`;
  return date.getUTCFullYear() < 2050
    ? element(tags.utcTime, Buffer.from(digits.slice(2)))
    : element(tags.generalizedTime, Buffer.from(digits));
}
