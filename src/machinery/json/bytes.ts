/**
 * Writing JSON front to back into a scratch buffer, byte for byte as Go's encoder prints it: `<`, `>`, `&`, U+2028 and
 * U+2029 are escaped, what is no UTF-8 becomes `\ufffd`, numbers are in their shortest notation.
 *
 * Writers take `(out, o, …)` and return the position behind what they wrote. They write to a `Scratch`, and leave
 * `reserve` bytes behind them.
 *
 * @see {@link https://pkg.go.dev/encoding/json#Marshal | json.Marshal}
 */
import '../../base/native-buffer.ts';
import { EncodeError } from '../codec/decode-error.ts';
import { reserve, scratchFull } from '../bytes/scratch.ts';
import { sequenceSize } from '../bytes/utf8.ts';

/** For a character: 0 when it stands for itself, the letter behind the backslash, 1 for `\u00xx`, 2 from 128 on. */
const escapes = new Uint8Array(256);
escapes.fill(1, 0, 32);
escapes.fill(2, 128);
for (const [character, letter] of ['""', '\\\\', '\bb', '\ff', '\nn', '\rr', '\tt'].map((pair) => [
  pair.charCodeAt(0),
  pair.charCodeAt(1),
]))
  escapes[character!] = letter!;
for (const character of '<>&') escapes[character.charCodeAt(0)] = 1;

const hex = Buffer.from('0123456789abcdef');
const quote = 0x22;
const backslash = 0x5c;

export function checkSpace(out: Uint8Array, o: number): number {
  if (o > out.length - reserve) throw scratchFull;
  return o;
}

/** Bytes that are JSON already: names of members, punctuation. Short. */
export function writeLiteral(out: Uint8Array, o: number, literal: Uint8Array): number {
  const { length } = literal;
  for (let i = 0; i < length; i++) out[o + i] = literal[i]!;
  return o + length;
}

/** Bytes that are JSON already, of any length. */
export function writeVerbatim(out: Buffer, o: number, b: Uint8Array, p: number, q: number): number {
  if (o + (q - p) > out.length - reserve) throw scratchFull;
  if (q - p < 32) for (let i = p; i < q; i++) out[o++] = b[i]!;
  else {
    out.set(b.subarray(p, q), o);
    o += q - p;
  }
  return o;
}

/** A string whose UTF-8 bytes lie in `b` from `p` to `q`. */
export function writeTextBytes(out: Uint8Array, o: number, b: Uint8Array, p: number, q: number): number {
  // Six bytes are the most that one becomes.
  if (o + (q - p) * 6 > out.length - reserve) throw scratchFull;
  out[o++] = quote;
  for (;;) {
    while (p < q && escapes[b[p]!] === 0) out[o++] = b[p++]!;
    if (p === q) break;
    const code = b[p]!;
    if (code < 128) {
      o = writeEscape(out, o, code);
      p++;
    } else {
      const size = sequenceSize(b, p, q);
      if (size === 0) o = writeUnicodeEscape(out, o, 0xfffd);
      else if (size === 3 && code === 0xe2 && b[p + 1] === 0x80 && (b[p + 2]! & 0xfe) === 0xa8)
        o = writeUnicodeEscape(out, o, 0x2000 | (b[p + 2]! & 0x3f));
      else for (let i = 0; i < size; i++) out[o++] = b[p + i]!;
      p += size === 0 ? 1 : size;
    }
  }
  out[o++] = quote;
  return o;
}

const longText = 64;
const needsCare = /[^ !#-%'-;=?-[\]-~]/;

export function writeText(out: Buffer, o: number, text: string): number {
  const { length } = text;
  if (o + length * 6 > out.length - reserve) throw scratchFull;
  out[o++] = quote;
  if (length > longText && !needsCare.test(text)) {
    out.latin1Write(text, o, length);
    o += length;
  } else {
    for (let i = 0; i < length; i++) {
      const code = text.charCodeAt(i);
      if (code >= 128) {
        o = writeWideCharacter(out, o, text, i, code);
        if (code >= 0xd800 && code < 0xdc00 && out[o - 1] !== 0x64) i++;
      } else if (escapes[code] === 0) out[o++] = code;
      else o = writeEscape(out, o, code);
    }
  }
  out[o++] = quote;
  return o;
}

/** A character beyond ASCII; a lone surrogate ends in the letter d of `\ufffd`, which no UTF-8 sequence does. */
function writeWideCharacter(out: Uint8Array, o: number, text: string, i: number, code: number): number {
  if (code < 0x800) {
    out[o++] = 0xc0 | (code >> 6);
  } else if (code >= 0xd800 && code < 0xe000) {
    const low = text.charCodeAt(i + 1);
    if (code >= 0xdc00 || !(low >= 0xdc00 && low < 0xe000)) return writeUnicodeEscape(out, o, 0xfffd);
    code = 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00);
    out[o++] = 0xf0 | (code >> 18);
    out[o++] = 0x80 | ((code >> 12) & 63);
    out[o++] = 0x80 | ((code >> 6) & 63);
  } else {
    if ((code & 0xfffe) === 0x2028) return writeUnicodeEscape(out, o, code);
    out[o++] = 0xe0 | (code >> 12);
    out[o++] = 0x80 | ((code >> 6) & 63);
  }
  out[o++] = 0x80 | (code & 63);
  return o;
}

function writeEscape(out: Uint8Array, o: number, code: number): number {
  const letter = escapes[code]!;
  if (letter === 1) return writeUnicodeEscape(out, o, code);
  out[o++] = backslash;
  out[o++] = letter;
  return o;
}

function writeUnicodeEscape(out: Uint8Array, o: number, code: number): number {
  out[o++] = backslash;
  out[o++] = 0x75;
  for (let shift = 12; shift >= 0; shift -= 4) out[o++] = hex[(code >> shift) & 15]!;
  return o;
}

/** An integer, or a number with a fraction as Go prints a float64: the same digits as JavaScript's. */
export function writeNumber(out: Buffer, o: number, value: number | bigint): number {
  if (typeof value === 'number') {
    if (value >= 0 && value < 0x40000000 && Number.isInteger(value)) return writeSmallInteger(out, o, value);
    if (!Number.isFinite(value))
      throw new EncodeError(`json: unsupported value: ${value > 0 ? '+Inf' : value < 0 ? '-Inf' : 'NaN'}`);
  }
  return writeAscii(out, o, String(value));
}

function writeSmallInteger(out: Uint8Array, o: number, value: number): number {
  if (value < 10) {
    out[o] = 48 + value;
    return o + 1;
  }
  let digits = 2;
  for (let power = 100; value >= power; power *= 10) digits++;
  let rest = value | 0;
  for (let i = o + digits - 1; i >= o; i--) {
    const quotient = (rest / 10) | 0;
    out[i] = 48 + rest - quotient * 10;
    rest = quotient;
  }
  return o + digits;
}

/** `"…"` around text that needs no escapes: dates, quantities. */
export function writeQuoted(out: Buffer, o: number, text: string): number {
  out[o++] = quote;
  o = writeAscii(out, o, text);
  out[o++] = quote;
  return o;
}

/** Bytes as a string in base64. */
export function writeBase64(out: Buffer, o: number, b: Buffer, p: number, q: number): number {
  return writeLongAscii(out, o, b.base64Slice(p, q));
}

/** `"…"` around ASCII of any length that needs no escapes. */
export function writeLongAscii(out: Buffer, o: number, text: string): number {
  if (o + text.length > out.length - reserve) throw scratchFull;
  out[o++] = quote;
  out.latin1Write(text, o, text.length);
  o += text.length;
  out[o++] = quote;
  return o;
}

/** Text that is ASCII and short: digits, dates. */
export function writeAscii(out: Buffer, o: number, text: string): number {
  if (o + text.length > out.length - reserve) throw scratchFull;
  for (let i = 0; i < text.length; i++) out[o + i] = text.charCodeAt(i);
  return o + text.length;
}

/**
 * JSON text that came from elsewhere, as Go prints what a `json.Marshaler` returns: without spaces, with `<`, `>`, `&`,
 * U+2028 and U+2029 escaped, otherwise unchanged. The text must be valid JSON.
 */
export function writeCompact(out: Uint8Array, o: number, b: Uint8Array, p: number, q: number): number {
  if (o + (q - p) * 6 > out.length - reserve) throw scratchFull;
  let inText = false;
  for (;;) {
    while (p < q && compactable[b[p]!] === 0) out[o++] = b[p++]!;
    if (p >= q) return o;
    const code = b[p++]!;
    if (code === quote) {
      inText = !inText;
      out[o++] = code;
    } else if (code === backslash) {
      out[o++] = code;
      if (p < q) out[o++] = b[p++]!;
    } else if (code === 0x3c || code === 0x3e || code === 0x26) o = writeUnicodeEscape(out, o, code);
    else if (code === 0xe2 && p + 1 < q && b[p] === 0x80 && (b[p + 1]! & 0xfe) === 0xa8) {
      o = writeUnicodeEscape(out, o, 0x2000 | (b[p + 1]! & 0x3f));
      p += 2;
    } else if (inText || code === 0xe2) out[o++] = code;
  }
}

/**
 * 1 for bytes that {@link writeCompact} looks at: quotes, backslashes, spaces, what HTML needs escaped, U+2028's first.
 */
const compactable = new Uint8Array(256);
for (const character of '"\\ \n\r\t<>&') compactable[character.charCodeAt(0)] = 1;
compactable[0xe2] = 1;
