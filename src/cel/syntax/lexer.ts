/**
 * Splits an expression into tokens. What is no token is noted and skipped, as upstream's scanner does.
 * @see {@link https://github.com/google/cel-spec/blob/master/doc/langdef.md#syntax | CEL language definition: syntax}
 */
import type { Issue } from './source.ts';

export type TokenKind = 'int' | 'uint' | 'double' | 'string' | 'bytes' | 'identifier' | 'escaped' | 'symbol' | 'end';

export interface Token {
  readonly kind: TokenKind;
  /** As it stands in the text; `<EOF>` at the end. */
  readonly text: string;
  readonly offset: number;
}

const space = /[ \t\r\n\f]+|\/\/[^\n]*/y;
const uint = /(?:0x[0-9a-fA-F]+|\d+)[uU]/y;
const double = /\d*\.\d+(?:[eE][+-]?\d+)?|\d+[eE][+-]?\d+/y;
const int = /0x[0-9a-fA-F]+|\d+/y;
const word = /[A-Za-z_][A-Za-z0-9_]*/y;
const symbol = /&&|\|\||==|!=|<=|>=|[<>+\-*/%!?:.,()[\]{}]/y;
const escapedName = /`[A-Za-z0-9_.\-/ ]+`/y;

/** Escapes in texts; a raw text has none. */
const escape =
  String.raw`\\(?:[abfnrtv"'\\?` +
  '`' +
  String.raw`]|x[0-9a-fA-F]{2}|X[0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8}|[0-3][0-7]{2})`;
const cooked = [
  String.raw`"""(?:[^\\]|${escape})*?"""`,
  String.raw`'''(?:[^\\]|${escape})*?'''`,
  String.raw`"(?:[^\\"\n\r]|${escape})*"`,
  String.raw`'(?:[^\\'\n\r]|${escape})*'`,
];
const raw = [
  String.raw`[rR]"""[\s\S]*?"""`,
  String.raw`[rR]'''[\s\S]*?'''`,
  String.raw`[rR]"[^"\n\r]*"`,
  String.raw`[rR]'[^'\n\r]*'`,
];
const text = new RegExp([...cooked, ...raw].join('|'), 'y');
const bytes = new RegExp(`[bB](?:${[...cooked, ...raw].join('|')})`, 'y');
/** As much of a text as can be read where it never ends, with the character that ends it. */
const brokenEnd = String.raw`(?:\\(?:[xX][0-9a-fA-F]?|u[0-9a-fA-F]{0,3}|U[0-9a-fA-F]{0,7}|[0-3][0-7]?)?)?[\s\S]?`;
const brokenText = new RegExp(
  String.raw`"(?:[^\\"\n\r]|${escape})*${brokenEnd}|'(?:[^\\'\n\r]|${escape})*${brokenEnd}`,
  'y',
);

/** Where the match from `offset` on ends; -1 when there is none. */
function endOf(pattern: RegExp, input: string, offset: number): number {
  pattern.lastIndex = offset;
  return pattern.test(input) ? pattern.lastIndex : -1;
}

/** The tokens with an end token last. */
export function tokenize(input: string, issues: Issue[]): Token[] {
  const tokens: Token[] = [];
  let offset = 0;
  while (offset < input.length) {
    const blank = endOf(space, input, offset);
    if (blank >= 0) {
      offset = blank;
      continue;
    }
    const token = tokenAt(input, offset);
    if (token === undefined) {
      const skipped = unreadable(input, offset);
      issues.push({
        offset,
        message:
          'Syntax error: token recognition error at: ' +
          `'${skipped.replaceAll('\n', '\\n').replaceAll('\t', '\\t').replaceAll('\r', '\\r')}'`,
      });
      offset += skipped.length;
      continue;
    }
    tokens.push(token);
    offset += token.text.length;
  }
  tokens.push({ kind: 'end', text: '<EOF>', offset: input.length });
  return tokens;
}

/** By the first character, the patterns that are tried, in this order. */
const patterns: readonly { readonly kind: TokenKind; readonly starts: RegExp; readonly pattern: RegExp }[] = [
  { kind: 'uint', starts: /\d/, pattern: uint },
  { kind: 'double', starts: /[\d.]/, pattern: double },
  { kind: 'int', starts: /\d/, pattern: int },
  { kind: 'bytes', starts: /[bB]/, pattern: bytes },
  { kind: 'string', starts: /["'rR]/, pattern: text },
  { kind: 'identifier', starts: /[A-Za-z_]/, pattern: word },
  { kind: 'escaped', starts: /`/, pattern: escapedName },
  { kind: 'symbol', starts: /[^\w"'`]/, pattern: symbol },
];
const byStart = Array.from({ length: 128 }, (_, code) =>
  patterns.filter(({ starts }) => starts.test(String.fromCharCode(code))),
);

function tokenAt(input: string, offset: number): Token | undefined {
  for (const { kind, pattern } of byStart[input.charCodeAt(offset)] ?? []) {
    const end = endOf(pattern, input, offset);
    if (end >= 0) return { kind, text: input.slice(offset, end), offset };
  }
  return undefined;
}

/** What the scanner gives up on: the start of a longer token with the character that does not fit, or one character. */
function unreadable(input: string, offset: number): string {
  const begun = endOf(brokenText, input, offset);
  if (begun >= 0) return input.slice(offset, begun);
  const char = String.fromCodePoint(input.codePointAt(offset)!);
  if (char !== '&' && char !== '|' && char !== '=') return char;
  return (
    char + (input.codePointAt(offset + 1) === undefined ? '' : String.fromCodePoint(input.codePointAt(offset + 1)!))
  );
}
