import { Class, classOf, isBlankOrEnd } from './characters.ts';
import type { Cursor } from './cursor.ts';
import { scanError } from './yaml-error.ts';

/** What the line breaks between two lines of text come to: one is a space, more are one fewer; LS and PS stay. */
export const fold = (breaks: string): string =>
  !breaks.startsWith('\n') ? breaks : breaks.length === 1 ? ' ' : breaks.slice(1);

export interface PlainScalar {
  readonly text: string;
  /** The scalar ended with a line: the next token may be a key. */
  readonly endsLine: boolean;
}

/**
 * Reads a scalar without quotes, which may have several lines.
 * @param indent the least column that its further lines have, outside of flow collections
 */
export function scanPlain(cursor: Cursor, inFlow: boolean, indent: number): PlainScalar {
  let text = '';
  let parts: string[] | undefined;
  let breaks = '';
  for (;;) {
    if (cursor.atDocumentIndicator() || cursor.code() === 0x23) break;
    const start = cursor.p;
    skipRun(cursor, inFlow);
    if (cursor.p === start) break;
    if (breaks === '') text = cursor.text.slice(start, cursor.p);
    else (parts ??= [text]).push(fold(breaks), cursor.text.slice(start, cursor.p));
    breaks = '';
    cursor.skipBlanks();
    if (!cursor.atBreak) break;
    breaks = skipLines(cursor, indent);
    if (!inFlow && cursor.column < indent) break;
  }
  return { text: parts?.join('') ?? text, endsLine: breaks !== '' };
}

/** Goes behind the last character of the text in this line; blanks within it belong to it. */
function skipRun(cursor: Cursor, inFlow: boolean): void {
  const { text } = cursor;
  const ends = Class.break | Class.end | (inFlow ? Class.flow : 0);
  const special = ends | Class.blank | Class.inner;
  let p = cursor.p;
  let end = p;
  for (;;) {
    const bits = classOf(text.charCodeAt(p));
    if ((bits & special) === 0) end = ++p;
    else if ((bits & Class.blank) !== 0) p++;
    else if ((bits & ends) !== 0) break;
    else if (text.charCodeAt(p) === 0x3a ? isBlankOrEnd(text.charCodeAt(p + 1)) : p > end) break;
    else end = ++p;
  }
  cursor.p = end;
}

/** The line breaks up to the next line with text; goes behind the spaces before that text. */
function skipLines(cursor: Cursor, indent: number): string {
  let breaks = '';
  for (;;) {
    if (cursor.atBreak) breaks += cursor.readBreak();
    else if (cursor.code() === 0x20) cursor.p++;
    else if (cursor.code() === 0x09) {
      if (cursor.column < indent) throw scanError('found a tab character that violates indentation', cursor.line);
      cursor.p++;
    } else return breaks;
  }
}
