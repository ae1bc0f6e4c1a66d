/**
 * Encodes header blocks that any peer can decode at any time: from the static table and literals that nobody is to
 * remember, without Huffman coding. That costs some bytes on the wire, and no work.
 *
 * @see {@link https://www.rfc-editor.org/rfc/rfc7541 | RFC 7541}
 */
import { matchStatic } from './static-table.ts';

/** Encodes a header block. Names are lower case already. */
export function encodeHeaders(headers: ReadonlyArray<readonly [name: string, value: string]>): Buffer {
  return Buffer.from(headers.map(([name, value]) => encodeField(name, value)).join(''), 'latin1');
}

/** RFC 7541, section 6, as Latin-1 text: a character a byte. */
function encodeField(name: string, value: string): string {
  const match = matchStatic(name, value);
  if (match?.whole) return encodeInteger(match.index, 0x7f, 0x80);
  return (match === undefined ? `\0${encodeString(name)}` : encodeInteger(match.index, 0x0f, 0x00)) + encodeString(value);
}

function encodeString(text: string): string {
  return encodeInteger(text.length, 0x7f, 0x00) + text;
}

/** RFC 7541, section 5.1: an integer in the low bits of a byte, as `limit` masks them, and, if need be, the bytes after. */
function encodeInteger(value: number, limit: number, pattern: number): string {
  if (value < limit) return String.fromCharCode(pattern | value);
  let text = String.fromCharCode(pattern | limit);
  let rest = value - limit;
  for (; rest >= 128; rest = Math.floor(rest / 128)) text += String.fromCharCode((rest % 128) | 0x80);
  return text + String.fromCharCode(rest);
}
