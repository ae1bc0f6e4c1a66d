/**
 * Text and its bytes where they are not plain ASCII.
 *
 * Upstream keeps whatever bytes a protobuf client put into a string, and so do we: a byte that is no UTF-8 becomes a
 * lone surrogate U+DC80 to U+DCFF in memory and the same byte on the way out. Those cannot come from anywhere else,
 * because JSON readers turn lone surrogates into U+FFFD, as Go does.
 */
import '../../base/native-buffer.ts';

/** Bytes as text; each byte that is no UTF-8 as one lone surrogate. */
export function decodeUtf8(b: Buffer, p: number, q: number): string {
  const text = b.utf8Slice(p, q);
  return text.includes('\ufffd') ? decodeCarefully(b, p, q, true) : text;
}

/** Bytes as text as Go reads JSON: each byte that is no UTF-8 as U+FFFD. */
export function decodeUtf8Replacing(b: Buffer, p: number, q: number): string {
  const text = b.utf8Slice(p, q);
  return text.includes('\ufffd') ? decodeCarefully(b, p, q, false) : text;
}

/** One unit of UTF-16 per byte is the most that there can be. */
function decodeCarefully(b: Buffer, p: number, q: number, keep: boolean): string {
  const units = new Uint16Array(q - p);
  let n = 0;
  while (p < q) {
    const size = sequenceSize(b, p, q);
    if (size <= 1) {
      const byte = b[p]!;
      units[n++] = size === 1 ? byte : keep ? 0xdc00 + byte : 0xfffd;
      p++;
      continue;
    }
    const code = codePointAt(b, p, size);
    if (code < 0x10000) units[n++] = code;
    else {
      units[n++] = 0xd800 + ((code - 0x10000) >> 10);
      units[n++] = 0xdc00 + ((code - 0x10000) & 0x3ff);
    }
    p += size;
  }
  return Buffer.from(units.buffer, 0, n * 2).toString('utf16le');
}

function codePointAt(b: Buffer, p: number, size: number): number {
  let code = b[p]! & (0xff >> (size + 1));
  for (let i = 1; i < size; i++) code = (code << 6) | (b[p + i]! & 0x3f);
  return code;
}

/** How many bytes the character at `p` has; 0 when there is no valid one (RFC 3629, section 4). */
export function sequenceSize(b: Uint8Array, p: number, q: number): number {
  const first = b[p]!;
  if (first < 0x80) return 1;
  if (first < 0xc2 || first > 0xf4) return 0;
  const size = first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
  if (p + size > q) return 0;
  const second = b[p + 1]!;
  const least = first === 0xe0 ? 0xa0 : first === 0xf0 ? 0x90 : 0x80;
  const most = first === 0xed ? 0x9f : first === 0xf4 ? 0x8f : 0xbf;
  if (second < least || second > most) return 0;
  for (let i = p + 2; i < p + size; i++) if ((b[i]! & 0xc0) !== 0x80) return 0;
  return size;
}

/** The bytes of a text that may hold lone surrogates. */
export function encodeUtf8(text: string): Buffer {
  if (text.isWellFormed()) return Buffer.from(text, 'utf8');
  // Three bytes per unit of UTF-16 are the most.
  const out = Buffer.allocUnsafe(text.length * 3);
  let o = 0;
  let from = 0;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code < 0xd800 || code > 0xdfff) continue;
    if (code < 0xdc00 && isLowSurrogate(text.charCodeAt(i + 1))) {
      i++;
      continue;
    }
    if (i > from) o += out.write(text.slice(from, i), o);
    if (code >= 0xdc80 && code <= 0xdcff) out[o++] = code - 0xdc00;
    else o += out.write('\ufffd', o);
    from = i + 1;
  }
  o += out.write(text.slice(from), o);
  return out.subarray(0, o);
}

const isLowSurrogate = (code: number): boolean => code >= 0xdc00 && code <= 0xdfff;
