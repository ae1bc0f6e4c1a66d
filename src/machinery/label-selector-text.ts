/**
 * Label selectors as text: `?labelSelector=a=b,c in (x,y),!d`.
 * @see {@link https://kubernetes.io/docs/concepts/overview/working-with-objects/labels/#label-selectors | Label
 *   selectors}
 */
import { runToEnd } from './cooperative-scheduling.ts';
import { FieldPath } from './field-path.ts';
import {
  checkRequirementKey,
  createRequirement,
  nothing,
  type Requirement,
  type Requirements,
  SelectorError,
  type SelectorOperator,
  sortByKey,
} from './label-selector.ts';

/** The selector as text: `a=b,c in (x,y),!d`. Set values are sorted. */
export function selectorText(requirements: Requirements): string {
  return requirements === nothing ? '' : requirements.map(requirementText).join(',');
}

function requirementText({ key, operator, values }: Requirement): string {
  switch (operator) {
    case '!':
      return `!${key}`;
    case 'exists':
      return key;
    case '=':
    case '==':
    case '!=':
      return `${key}${operator}${values[0] ?? ''}`;
    case 'gt':
      return `${key}>${values[0] ?? ''}`;
    case 'lt':
      return `${key}<${values[0] ?? ''}`;
    case 'in':
    case 'notin':
      return `${key} ${operator} (${[...values].sort().join(',')})`;
  }
}

/**
 * Parses a selector's text. Throws {@link SelectorError}: the 400 answer to an invalid `?labelSelector=`.
 * @see {@link https://kubernetes.io/docs/concepts/overview/working-with-objects/labels/#api | Labels: API}
 */
export function parseLabelSelector(text: string): readonly Requirement[] {
  return runToEnd(labelSelectorSteps(text));
}

/** As {@link parseLabelSelector}, in steps: for texts that may be long. */
export function* labelSelectorSteps(text: string): Generator<void, readonly Requirement[]> {
  const requirements: Requirement[] = [];
  for (const requirement of readLabelSelector(text)) {
    if (requirement !== undefined) requirements.push(requirement);
    if (requirement === undefined || requirements.length % partsPerStep === 0) yield;
  }
  return sortByKey(requirements);
}

/** Requirements, or values of one: a fraction of a millisecond. */
const partsPerStep = 256;

/**
 * As {@link parseLabelSelector}, requirement by requirement in the order of the text: for texts that may be long.
 * Undefined stands for a step within a requirement with many values.
 */
export const readLabelSelector = (text: string): Generator<Requirement | undefined, void> =>
  new Parser(text).requirements();

type TokenKind = 'end' | 'error' | 'identifier' | ',' | '(' | ')' | '!' | 'operator';

interface Token {
  readonly kind: TokenKind;
  readonly text: string;
  /** Of `in` and `notin`, which are identifiers where a value can stand. */
  readonly word?: boolean;
}

const symbolTokens: Readonly<Record<string, Token['kind']>> = {
  ',': ',',
  '(': '(',
  ')': ')',
  '!': '!',
  '=': 'operator',
  '==': 'operator',
  '!=': 'operator',
  '>': 'operator',
  '<': 'operator',
};
const isSymbol = (char: string): boolean => '=!(),><'.includes(char);
const isSpace = (char: string): boolean => char === ' ' || char === '\t' || char === '\r' || char === '\n';

/** @NOTE differs from upstream, for which a character NUL is where the text ends: here it is one that no word has. */
class Tokens {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  next(): Token {
    const text = this.#text;
    while (this.#at < text.length && isSpace(text[this.#at]!)) this.#at++;
    const at = this.#at;
    if (at === text.length) return end;
    const length = isSymbol(text[at]!) ? symbolLength(text, at) : wordLength(text, at);
    this.#at = at + length;
    return tokenOf(text.slice(at, at + length));
  }
}

const end: Token = { kind: 'end', text: '' };

function tokenOf(text: string): Token {
  if (isSymbol(text[0]!)) return { kind: symbolTokens[text] ?? 'error', text };
  return text === 'in' || text === 'notin' ? { kind: 'operator', text, word: true } : { kind: 'identifier', text };
}

/** As many symbol characters as still make a known symbol. */
function symbolLength(text: string, at: number): number {
  let length = 1;
  while (at + length < text.length && isSymbol(text[at + length]!) && text.slice(at, at + length + 1) in symbolTokens)
    length++;
  return length;
}

function wordLength(text: string, at: number): number {
  let length = 1;
  while (at + length < text.length && !isSymbol(text[at + length]!) && !isSpace(text[at + length]!)) length++;
  return length;
}

const operatorOfText: Readonly<Record<string, SelectorOperator>> = {
  in: 'in',
  notin: 'notin',
  '=': '=',
  '==': '==',
  '!=': '!=',
  '>': 'gt',
  '<': 'lt',
};

type Steps<T> = Generator<undefined, T>;

/** Recursive descent over the tokens; each method reads one rule and says what it expected instead. */
class Parser {
  readonly #tokens: Tokens;
  #current: Token;

  constructor(text: string) {
    this.#tokens = new Tokens(text);
    this.#current = this.#tokens.next();
  }

  *requirements(): Generator<Requirement | undefined, void> {
    for (;;) {
      const first = this.#peek();
      if (first.kind === 'end') return;
      if (first.kind !== 'identifier' && first.kind !== '!')
        throw found(first, ", expected: !, identifier, or 'end of string'");
      yield yield* this.#wrapped();
      const next = this.#take();
      if (next.kind === 'end') return;
      if (next.kind !== ',') throw found(next, ", expected: ',' or 'end of string'");
      const after = this.#peek();
      if (after.kind !== 'identifier' && after.kind !== '!') throw found(after, ", expected: identifier after ','");
    }
  }

  *#wrapped(): Steps<Requirement> {
    try {
      return yield* this.#requirement();
    } catch (error) {
      if (error instanceof SelectorError) throw new SelectorError(`unable to parse requirement: ${error.message}`);
      throw error;
    }
  }

  *#requirement(): Steps<Requirement> {
    const negated = this.#peek().kind === '!';
    if (negated) this.#take();
    const key = this.#take();
    if (key.kind !== 'identifier') throw found(key, ', expected: identifier');
    checkRequirementKey(key.text, FieldPath.root);
    const next = this.#peek();
    if (negated) return createRequirement(key.text, '!', []);
    if (next.kind === 'end' || next.kind === ',') return createRequirement(key.text, 'exists', []);
    const operator = this.#operator();
    const values = operator === 'in' || operator === 'notin' ? yield* this.#valueSet() : this.#exactValue();
    return createRequirement(key.text, operator, [...new Set(values)].sort());
  }

  #operator(): SelectorOperator {
    const token = this.#takeRaw();
    const operator = token.kind === 'operator' ? operatorOfText[token.text] : undefined;
    if (operator === undefined) throw found(token, ', expected: in, notin, =, ==, !=, gt, lt');
    return operator;
  }

  #exactValue(): string[] {
    const next = this.#peek();
    if (next.kind === 'end' || next.kind === ',') return [''];
    const token = this.#take();
    if (token.kind !== 'identifier') throw found(token, ', expected: identifier');
    return [token.text];
  }

  *#valueSet(): Steps<string[]> {
    const open = this.#take();
    if (open.kind !== '(') throw found(open, " expected: '('");
    const next = this.#peek();
    if (next.kind === ')') {
      this.#take();
      return [''];
    }
    if (next.kind !== 'identifier' && next.kind !== ',') throw found(next, ", expected: ',', ')' or identifier");
    const values = yield* this.#values();
    if (this.#take().kind !== ')') throw found(next, ", expected: ')'");
    return values;
  }

  /** Values between the parentheses; an empty place between commas is an empty value. */
  *#values(): Steps<string[]> {
    const values: string[] = [];
    for (;;) {
      const token = this.#take();
      if (values.length % partsPerStep === partsPerStep - 1) yield undefined;
      if (token.kind === 'identifier') {
        values.push(token.text);
        const next = this.#peek();
        if (next.kind === ')') return values;
        if (next.kind !== ',') throw found(next, ", expected: ',' or ')'");
      } else if (token.kind === ',') {
        if (values.length === 0) values.push('');
        const next = this.#peek();
        if (next.kind === ')') {
          values.push('');
          return values;
        }
        if (next.kind === ',') {
          this.#take();
          values.push('');
        }
      } else throw found(token, ", expected: ',', or identifier");
    }
  }

  /** Where a value or key can stand, `in` and `notin` are ordinary words. */
  #peek(): Token {
    const token = this.#current;
    return token.word === true ? { kind: 'identifier', text: token.text } : token;
  }

  #take(): Token {
    const token = this.#peek();
    this.#current = this.#tokens.next();
    return token;
  }

  #takeRaw(): Token {
    const token = this.#current;
    this.#current = this.#tokens.next();
    return token;
  }
}

const found = (token: Token, expected: string): SelectorError => new SelectorError(`found '${token.text}'${expected}`);
