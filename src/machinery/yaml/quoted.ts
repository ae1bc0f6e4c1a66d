import { Class, classOf } from './characters.ts';
import type { Cursor } from './cursor.ts';
import { scanError } from './yaml-error.ts';
import { fold } from './plain.ts';

/** What stands behind a backslash for one character. */
const escapes = new Map<number, string>(
  Object.entries({
    0: '\0',
    a: '\x07',
    b: '\b',
    t: '\t',
    '\t': '\t',
    n: '\n',
    v: '\v',
    f: '\f',
    r: '\r',
    e: '\x1b',
    ' ': ' ',
    '"': '"',
    "'": "'",
    '\\': '\\',
    N: '\x85',
    _: '\xa0',
    L: '\u2028',
    P: '\u2029',
  }).map(([letter, character]) => [letter.charCodeAt(0), character]),
);

const digitsOf = new Map([
  [0x78, 2],
  [0x75, 4],
  [0x55, 8],
]);

/** Reads from behind the opening quote to behind the closing one. */
export function scanQuoted(cursor: Cursor, quote: 0x22 | 0x27): string {
  const parts: string[] = [];
  for (;;) {
    if (cursor.atDocumentIndicator()) throw scanError('found unexpected document indicator', cursor.line);
    const start = cursor.p;
    const end = skipRun(cursor, quote);
    const code = cursor.code();
    if (code === quote && !(quote === 0x27 && cursor.code(1) === quote)) {
      const last = cursor.text.slice(start, cursor.p++);
      if (parts.length === 0) return last;
      parts.push(last);
      return parts.join('');
    }
    if (code === quote) {
      parts.push(cursor.text.slice(start, cursor.p + 1));
      cursor.p += 2;
    } else if (code === 0x5c) parts.push(cursor.text.slice(start, cursor.p), readEscape(cursor));
    else if (cursor.atEnd) throw scanError('found unexpected end of stream', cursor.line);
    else parts.push(cursor.text.slice(start, end), fold(skipLines(cursor)));
  }
}

/** Goes to the next quote, backslash, line break or the end; returns where the text without trailing blanks ends. */
function skipRun(cursor: Cursor, quote: number): number {
  const { text } = cursor;
  let p = cursor.p;
  let end = p;
  for (;;) {
    const code = text.charCodeAt(p);
    if (code === quote || (code === 0x5c && quote === 0x22)) break;
    const bits = classOf(code);
    if ((bits & (Class.break | Class.end)) !== 0) break;
    p++;
    if (bits !== Class.blank) end = p;
  }
  cursor.p = p;
  return end;
}

function skipLines(cursor: Cursor): string {
  let breaks = '';
  for (;;) {
    if (cursor.atBreak) breaks += cursor.readBreak();
    else if ((classOf(cursor.code()) & Class.blank) !== 0) cursor.p++;
    else return breaks;
  }
}

function readEscape(cursor: Cursor): string {
  const code = cursor.code(1);
  if ((classOf(code) & Class.break) !== 0) {
    cursor.p++;
    cursor.readBreak();
    // The line break itself counts for nothing, empty lines behind it do.
    return skipLines(cursor);
  }
  const character = escapes.get(code);
  if (character !== undefined) {
    cursor.p += 2;
    return character;
  }
  const digits = digitsOf.get(code);
  if (digits === undefined) throw scanError('found unknown escape character', cursor.line);
  return readCodePoint(cursor, digits);
}

function readCodePoint(cursor: Cursor, digits: number): string {
  const text = cursor.text.slice(cursor.p + 2, cursor.p + 2 + digits);
  if (!/^[\da-fA-F]+$/.test(text) || text.length < digits)
    throw scanError('did not find expected hexdecimal number', cursor.line);
  const value = parseInt(text, 16);
  if ((value >= 0xd800 && value <= 0xdfff) || value > 0x10ffff)
    throw scanError('found invalid Unicode character escape code', cursor.line);
  cursor.p += 2 + digits;
  return String.fromCodePoint(value);
}
