import { Class, classOf } from './characters.ts';
import type { Cursor } from './cursor.ts';
import { scanError } from './yaml-error.ts';

interface Header {
  /** What becomes of the line breaks at the end: one is kept (clip), none (strip), all (keep). */
  readonly chomping: 'clip' | 'strip' | 'keep';
  /** Spaces that the lines have more than the collection around them; 0 when the first line shows it. */
  readonly increment: number;
}

/**
 * Reads a literal (`|`) or folded (`>`) scalar, from its indicator on.
 * @param parent column of the collection around it, -1 at the top
 */
export function scanBlock(cursor: Cursor, parent: number): string {
  const isFolded = cursor.code() === 0x3e;
  cursor.p++;
  const { chomping, increment } = readHeader(cursor);
  const indentation = new Indentation(increment === 0 ? 0 : Math.max(parent, 0) + increment, parent);
  const parts: string[] = [];
  let lastBreak = '';
  let empty = indentation.skipEmptyLines(cursor);
  let wasBlank = false;
  while (cursor.column === indentation.columns && !cursor.atEnd) {
    const isBlank = (classOf(cursor.code()) & Class.blank) !== 0;
    // Lines that begin with a blank are not folded into their neighbours.
    if (isFolded && lastBreak === '\n' && !wasBlank && !isBlank) {
      if (empty === '') parts.push(' ');
    } else parts.push(lastBreak);
    parts.push(empty, readLine(cursor));
    wasBlank = isBlank;
    lastBreak = cursor.atBreak ? cursor.readBreak() : '';
    empty = indentation.skipEmptyLines(cursor);
  }
  if (chomping !== 'strip') parts.push(lastBreak);
  if (chomping === 'keep') parts.push(empty);
  return parts.join('');
}

/** Indicators of chomping and indentation, in either order, and the rest of the line. */
function readHeader(cursor: Cursor): Header {
  let chomping: Header['chomping'] = 'clip';
  let increment = 0;
  for (let i = 0; i < 2; i++) {
    const code = cursor.code();
    if (chomping === 'clip' && (code === 0x2b || code === 0x2d)) chomping = code === 0x2b ? 'keep' : 'strip';
    else if (increment === 0 && code >= 0x30 && code <= 0x39) {
      if (code === 0x30) throw scanError('found an indentation indicator equal to 0', cursor.line);
      increment = code - 0x30;
    } else break;
    cursor.p++;
  }
  cursor.skipBlanks();
  cursor.skipComment();
  if (cursor.atBreak) cursor.readBreak();
  else if (!cursor.atEnd) throw scanError('did not find expected comment or line break', cursor.line);
  return { chomping, increment };
}

function readLine(cursor: Cursor): string {
  const start = cursor.p;
  while ((classOf(cursor.code()) & (Class.break | Class.end)) === 0) cursor.p++;
  return cursor.text.slice(start, cursor.p);
}

/** The column at which the lines of the scalar begin: given by the header, or found from the first line with text. */
class Indentation {
  columns: number;
  readonly #parent: number;

  constructor(columns: number, parent: number) {
    this.columns = columns;
    this.#parent = parent;
  }

  /** Goes to the next line with text and returns the line breaks before it. */
  skipEmptyLines(cursor: Cursor): string {
    let breaks = '';
    let widest = 0;
    for (;;) {
      while ((this.columns === 0 || cursor.column < this.columns) && cursor.code() === 0x20) cursor.p++;
      widest = Math.max(widest, cursor.column);
      if ((this.columns === 0 || cursor.column < this.columns) && cursor.code() === 0x09)
        throw scanError('found a tab character where an indentation space is expected', cursor.line);
      if (!cursor.atBreak) break;
      breaks += cursor.readBreak();
    }
    if (this.columns === 0) this.columns = Math.max(widest, this.#parent + 1, 1);
    return breaks;
  }
}
