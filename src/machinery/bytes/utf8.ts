/**
 * Text and its bytes where they are not plain ASCII.
 *
 * Upstream keeps whatever bytes a protobuf client put into a string, and so do we: a byte that is no UTF-8 becomes a lone
 * surrogate U+DC80 to U+DCFF in memory and the same byte on the way out. Those cannot come from anywhere else, because
 * JSON readers turn lone surrogates into U+FFFD, as Go does.
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

function decodeCarefully(b: Buffer, p: number, q: number, keep: boolean): string {
  let out = '';
  let valid = p;
  while (p < q) {
    const size = sequenceSize(b, p, q);
    if (size > 0) {
      p += size;
      continue;
    }
    out += b.utf8Slice(valid, p) + (keep ? String.fromCharCode(0xdc00 + b[p]!) : '\ufffd');
    valid = ++p;
  }
  return out + b.utf8Slice(valid, q);
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
  const parts: Buffer[] = [];
  let from = 0;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code < 0xd800 || code > 0xdfff) continue;
    if (code < 0xdc00 && isLowSurrogate(text.charCodeAt(i + 1))) {
      i++;
      continue;
    }
    parts.push(Buffer.from(text.slice(from, i), 'utf8'), loneSurrogate(code));
    from = i + 1;
  }
  parts.push(Buffer.from(text.slice(from), 'utf8'));
  return Buffer.concat(parts);
}

const isLowSurrogate = (code: number): boolean => code >= 0xdc00 && code <= 0xdfff;

function loneSurrogate(code: number): Buffer {
  return code >= 0xdc80 && code <= 0xdcff ? Buffer.from([code - 0xdc00]) : Buffer.from('\ufffd', 'utf8');
}
