/**
 * Error recovery of the parser: which token is expected, the message when another token comes, and where parsing goes
 * on. It does what upstream's generated parser does, because users see its messages: an extra token is skipped, a
 * missing token is assumed, and otherwise all tokens up to one that is allowed are skipped.
 */
import type { Token } from './lexer.ts';
import type { Issue } from './source.ts';

/** In the order in which messages list them. */
const order = [
  '<EOF>',
  "'=='",
  "'!='",
  "'in'",
  "'<'",
  "'<='",
  "'>='",
  "'>'",
  "'&&'",
  "'||'",
  "'['",
  "']'",
  "'{'",
  "'}'",
  "'('",
  "')'",
  "'.'",
  "','",
  "'-'",
  "'!'",
  "'?'",
  "':'",
  "'+'",
  "'*'",
  "'/'",
  "'%'",
  "'true'",
  "'false'",
  "'null'",
  'NUM_FLOAT',
  'NUM_INT',
  'NUM_UINT',
  'STRING',
  'BYTES',
  'IDENTIFIER',
  'ESC_IDENTIFIER',
];

/** What an expression starts with. */
export const expressionStart: readonly string[] = [
  "'['",
  "'{'",
  "'('",
  "'.'",
  "'-'",
  "'!'",
  "'true'",
  "'false'",
  "'null'",
  'NUM_FLOAT',
  'NUM_INT',
  'NUM_UINT',
  'STRING',
  'BYTES',
  'IDENTIFIER',
];

/** What can stand after a complete part. */
const followers = new Set([
  "'=='",
  "'!='",
  "'in'",
  "'<'",
  "'<='",
  "'>='",
  "'>'",
  "'&&'",
  "'||'",
  "'['",
  "']'",
  "'}'",
  "')'",
  "','",
  "'.'",
  "'-'",
  "'?'",
  "':'",
  "'+'",
  "'*'",
  "'/'",
  "'%'",
  '<EOF>',
]);

const kindNames: Partial<Record<Token['kind'], string>> = {
  int: 'NUM_INT',
  uint: 'NUM_UINT',
  double: 'NUM_FLOAT',
  string: 'STRING',
  bytes: 'BYTES',
  escaped: 'ESC_IDENTIFIER',
  end: '<EOF>',
};
const keywords = new Set(['true', 'false', 'null', 'in']);

/** How messages name a token's kind. */
export function tokenName({ kind, text }: Token): string {
  if (kind === 'identifier') return keywords.has(text) ? `'${text}'` : 'IDENTIFIER';
  return kindNames[kind] ?? `'${text}'`;
}

const listed = (names: readonly string[]): string => {
  const sorted = [...new Set(names)].sort((a, b) => order.indexOf(a) - order.indexOf(b));
  return sorted.length === 1 ? sorted[0]! : `{${sorted.join(', ')}}`;
};

/** Ends the reading of the innermost part; the message is already noted. */
export class SyntaxFailure extends Error {}

/** More errors than this say nothing new. */
const maxRecoveries = 30;

export class TokenReader {
  readonly issues: Issue[];
  readonly #tokens: readonly Token[];
  #position = 0;
  /** After an error nothing is noted until a token fits again. */
  #recovering = false;
  #recoveries = 0;

  constructor(tokens: readonly Token[], issues: Issue[]) {
    this.#tokens = tokens;
    this.issues = issues;
  }

  peek(ahead = 0): Token {
    return this.#tokens[Math.min(this.#position + ahead, this.#tokens.length - 1)]!;
  }

  name(ahead = 0): string {
    return tokenName(this.peek(ahead));
  }

  /** The token that was just looked at. */
  take(): Token {
    const token = this.peek();
    if (token.kind !== 'end') this.#position++;
    this.#recovering = false;
    return token;
  }

  /** Takes the symbol when it is next. */
  accept(text: string): Token | undefined {
    const token = this.peek();
    return token.text === text && (token.kind === 'symbol' || token.kind === 'identifier') ? this.take() : undefined;
  }

  /** Before a part that starts with one of `names`: skips one token too much. Throws {@link SyntaxFailure}. */
  sync(names: readonly string[]): void {
    if (this.#recovering || names.includes(this.name())) return;
    if (names.includes(this.name(1))) return this.#skipUnwanted(names);
    throw this.mismatch(names);
  }

  /**
   * Takes a token of this name. When it is missing and the next token is one that is allowed after it, it is assumed.
   * Throws {@link SyntaxFailure}.
   */
  expect(name: string): Token {
    if (this.name() === name) return this.take();
    if (this.name(1) === name) {
      this.#skipUnwanted([name]);
      return this.take();
    }
    const { offset } = this.peek();
    if (name !== 'IDENTIFIER' && name !== '<EOF>' && name !== "':'" && followers.has(this.name())) {
      this.#note(offset, `Syntax error: missing ${name} at '${this.peek().text}'`);
      return { kind: 'symbol', text: name, offset };
    }
    throw this.mismatch([name]);
  }

  mismatch(names: readonly string[]): SyntaxFailure {
    return this.fail(
      this.peek().offset,
      `Syntax error: mismatched input '${this.peek().text}' expecting ${listed(names)}`,
    );
  }

  fail(offset: number, message: string): SyntaxFailure {
    this.#note(offset, message);
    return new SyntaxFailure();
  }

  /** After a failure: skips to the next token that is allowed here. False when there is none. */
  recover(): boolean {
    this.#recovering = true;
    if (++this.#recoveries > maxRecoveries) this.#position = this.#tokens.length - 1;
    while (!followers.has(this.name())) this.#position++;
    return this.peek().kind !== 'end';
  }

  #skipUnwanted(names: readonly string[]): void {
    this.#note(this.peek().offset, `Syntax error: extraneous input '${this.peek().text}' expecting ${listed(names)}`);
    this.#position++;
  }

  #note(offset: number, message: string): void {
    if (!this.#recovering) this.issues.push({ offset, message });
    this.#recovering = true;
  }
}
