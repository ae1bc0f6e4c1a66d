/**
 * Keys in byte order.
 *
 * JavaScript orders strings by UTF-16 units, the store by UTF-8 bytes; the two disagree beyond the basic plane. Inside,
 * a key is therefore a *byte string*: one character per UTF-8 byte, which any string comparison orders rightly. For
 * ASCII keys, nearly all there are, it is the key itself.
 */

const nonAscii = /[^\x00-\x7f]/;

export function toByteString(key: string): string {
  return nonAscii.test(key) ? Buffer.from(key, 'utf8').toString('latin1') : key;
}

export function fromByteString(bytes: string): string {
  return nonAscii.test(bytes) ? Buffer.from(bytes, 'latin1').toString('utf8') : bytes;
}

export function compareByteStrings(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** The first byte string behind all that begin with `prefix`; no byte is as large as its last character. */
export function endOfPrefix(prefix: string): string {
  return `${prefix}\u0100`;
}
