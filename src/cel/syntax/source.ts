/**
 * The text of an expression, and its errors as clients see them: message, line, and a mark below the position.
 *
 * Lines count from 1, columns from 1 in code points, as upstream counts them.
 */
export interface Issue {
  /** Offset into the text in UTF-16 units; -1 when the error is about the whole. */
  readonly offset: number;
  readonly message: string;
}

/** Longer lines are not shown. */
const maxShown = 16_384;
const wide = /[^\x00-\x7f]/;

/** Each issue shows its line: a hundred in one long line would make megabytes. */
const maxCharacters = 64 * 1024;

/** Issues as text in the order of their places, as many as fit. */
export function issueTexts(text: string, issues: readonly Issue[]): string[] {
  const shown: string[] = [];
  let characters = 0;
  for (const issue of [...issues].sort((a, b) => a.offset - b.offset)) {
    if (characters >= maxCharacters) break;
    const one = issueText(text, issue);
    shown.push(one);
    characters += one.length;
  }
  return shown;
}

function issueText(text: string, { offset, message }: Issue): string {
  if (offset < 0) return `ERROR: <input>:-1:0: ${message}`;
  const start = text.lastIndexOf('\n', offset - 1) + 1;
  const end = text.indexOf('\n', start);
  const line = text.slice(start, end < 0 ? undefined : end);
  const number = text.slice(0, start).split('\n').length;
  const before = [...text.slice(start, offset)];
  const place = `ERROR: <input>:${number}:${before.length + 1}: ${message}`;
  if (Buffer.byteLength(line) > maxShown) return place;
  const at = String.fromCodePoint(text.codePointAt(offset) ?? 0x20);
  // Marks are as wide as the characters above them.
  const mark = before.map((char) => (wide.test(char) ? '．' : '.')).join('') + (wide.test(at) ? '＾' : '^');
  return `${place}\n | ${line.replaceAll('\t', ' ')}\n | ${mark}`;
}
