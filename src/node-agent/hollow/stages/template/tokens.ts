/**
 * A template as texts and actions, and the words of the actions.
 * @see {@link https://pkg.go.dev/text/template#hdr-Text_and_spaces | text/template: Text and spaces}
 */
interface Place {
  readonly line: number;
  /** White space stands before it. */
  readonly isSpaced: boolean;
}

export type Token = Place &
  (
    | { readonly kind: 'field' | 'variable' | 'name' | 'symbol' | 'end' | 'text'; readonly text: string }
    | { readonly kind: 'number'; readonly text: string; readonly value: number }
  );

export type Piece =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'action'; readonly tokens: readonly Token[]; readonly line: number };

/** A text that is no template, or uses what is not supported here. */
export class TemplateError extends Error {
  override readonly name = 'TemplateError';
}

const words = [
  /("(?:[^"\\\n]|\\.)*"|`[^`]*`)/,
  /(-?\d+(?:\.\d+)?)/,
  /(\.[A-Za-z_]\w*)/,
  /(\$\w*)/,
  /([A-Za-z_]\w*)/,
  /(:=|[.()|,=])/,
];
const word = new RegExp(`\\s*(?:${words.map(({ source }) => source).join('|')})`, 'y');
const close = /(\s+-)?\}\}|\s*\}\}/y;

export function piecesOf(template: string): Piece[] {
  const pieces: Piece[] = [];
  let at = 0;
  let trimNext = false;
  const addText = (end: number, trimEnd: boolean): void => {
    let text = template.slice(at, end);
    if (trimNext) text = text.trimStart();
    if (trimEnd) text = text.trimEnd();
    if (text !== '') pieces.push({ kind: 'text', text });
  };
  for (;;) {
    const open = template.indexOf('{{', at);
    if (open < 0) break;
    const trimsBefore = /^\{\{-\s/.test(template.slice(open, open + 4));
    addText(open, trimsBefore);
    const action = readAction(template, open + (trimsBefore ? 3 : 2));
    if (action.tokens !== undefined)
      pieces.push({ kind: 'action', tokens: action.tokens, line: lineAt(template, open) });
    at = action.end;
    trimNext = action.trimsAfter;
  }
  addText(template.length, false);
  return pieces;
}

interface Action {
  /** Undefined for a comment. */
  readonly tokens: Token[] | undefined;
  readonly end: number;
  readonly trimsAfter: boolean;
}

function readAction(template: string, begin: number): Action {
  const comment = /\s*\/\*[^]*?\*\/(\s-)?\}\}/y;
  comment.lastIndex = begin;
  const ended = comment.exec(template);
  if (ended !== null) return { tokens: undefined, end: comment.lastIndex, trimsAfter: ended[1] !== undefined };
  const line = lineAt(template, begin);
  const tokens: Token[] = [];
  let at = begin;
  for (;;) {
    close.lastIndex = at;
    const closed = close.exec(template);
    if (closed !== null) {
      tokens.push({ kind: 'end', text: '', line, isSpaced: false });
      return { tokens, end: close.lastIndex, trimsAfter: closed[1] !== undefined };
    }
    word.lastIndex = at;
    const match = word.exec(template);
    if (match === null) throw new TemplateError(`line ${line}: unexpected text in action: ${shown(template, at)}`);
    tokens.push(tokenFrom(match, line));
    at = word.lastIndex;
  }
}

function tokenFrom([whole, text, number, field, variable, name, symbol]: RegExpExecArray, line: number): Token {
  const place = { line, isSpaced: /^\s/.test(whole) };
  if (text !== undefined) return { kind: 'text', text: readText(text, line), ...place };
  if (number !== undefined) return { kind: 'number', text: number, value: Number(number), ...place };
  if (field !== undefined) return { kind: 'field', text: field.slice(1), ...place };
  if (variable !== undefined) return { kind: 'variable', text: variable, ...place };
  if (name !== undefined) return { kind: 'name', text: name, ...place };
  return { kind: 'symbol', text: symbol!, ...place };
}

function readText(quoted: string, line: number): string {
  if (quoted.startsWith('`')) return quoted.slice(1, -1);
  try {
    return JSON.parse(quoted) as string;
  } catch {
    throw new TemplateError(`line ${line}: invalid string ${quoted}`);
  }
}

const lineAt = (template: string, at: number): number => template.slice(0, at).split('\n').length;
const shown = (template: string, at: number): string => JSON.stringify(template.slice(at, at + 20).trim());
