/**
 * Walking over JSON text without parsing it: for objects that are stored as JSON, as this server writes it, of which
 * only a few members are needed. Text that is no JSON gives a `DecodeError` or nonsense, never a hang.
 */
import { DecodeError } from '../codec/decode-error.ts';
import { parseJson } from './reader.ts';

const quote = 0x22;
const backslash = 0x5c;

function unexpectedEnd(): never {
  throw new DecodeError('unexpected end of JSON input');
}

export function skipSpace(b: Uint8Array, p: number): number {
  while (b[p] === 0x20 || b[p] === 0x0a || b[p] === 0x0d || b[p] === 0x09) p++;
  return p;
}

/** From an opening quote to behind the closing one. */
export function skipString(b: Uint8Array, p: number): number {
  const end = b.length;
  for (p++; p < end; p++) {
    if (b[p] === quote) return p + 1;
    if (b[p] === backslash) p++;
  }
  return unexpectedEnd();
}

/** Behind the value that begins at `p`. */
export function skipValue(b: Uint8Array, p: number): number {
  const first = b[p];
  if (first === quote) return skipString(b, p);
  if (first !== 0x7b && first !== 0x5b) return skipScalar(b, p);
  let depth = 0;
  while (p < b.length) {
    const code = b[p]!;
    if (code === quote) {
      p = skipString(b, p);
      continue;
    }
    p++;
    if (code === 0x7b || code === 0x5b) depth++;
    else if ((code === 0x7d || code === 0x5d) && --depth === 0) return p;
  }
  return unexpectedEnd();
}

function skipScalar(b: Uint8Array, p: number): number {
  const start = p;
  while (p < b.length && b[p] !== 0x2c && b[p] !== 0x7d && b[p] !== 0x5d && b[p]! > 0x20) p++;
  return p === start ? unexpectedEnd() : p;
}

/** A string whose quotes are at `p` and before `q`. */
export function readText(b: Buffer, p: number, q: number): string {
  const text = b.utf8Slice(p + 1, q - 1);
  return text.includes('\\') ? String(parseJson(b.subarray(p, q))) : text;
}

/** What the visitor of {@link eachMember} sees: where the name and the value of a member lie, the quotes included. */
export interface MemberPlace {
  keyStart: number;
  keyEnd: number;
  valueStart: number;
  valueEnd: number;
}

/**
 * Calls back for each member of the object that begins at `p`, until told to stop; returns the position after the
 * object, or -1 when told to stop. The place is the same object every time.
 */
export function eachMember(b: Buffer, p: number, visit: (place: MemberPlace) => boolean | void): number {
  if (b[p] !== 0x7b) throw new DecodeError('JSON object expected');
  const place: MemberPlace = { keyStart: 0, keyEnd: 0, valueStart: 0, valueEnd: 0 };
  p = skipSpace(b, p + 1);
  while (b[p] !== 0x7d) {
    if (b[p] !== quote) throw new DecodeError('JSON object key expected');
    place.keyStart = p;
    place.keyEnd = skipString(b, p);
    p = skipSpace(b, place.keyEnd);
    if (b[p] !== 0x3a) throw new DecodeError('colon expected after JSON object key');
    place.valueStart = skipSpace(b, p + 1);
    place.valueEnd = skipValue(b, place.valueStart);
    if (visit(place) === false) return -1;
    p = skipSpace(b, place.valueEnd);
    if (b[p] === 0x2c) p = skipSpace(b, p + 1);
    else if (b[p] !== 0x7d) throw new DecodeError('comma expected after JSON object member');
  }
  return p + 1;
}

/** Whether the name between the quotes is this one (ASCII without escapes). */
export function isName(b: Uint8Array, place: MemberPlace, name: string): boolean {
  const { length } = name;
  if (place.keyEnd - place.keyStart !== length + 2) return false;
  for (let i = 0; i < length; i++) if (b[place.keyStart + 1 + i] !== name.charCodeAt(i)) return false;
  return true;
}
