/**
 * Programs of jq, compiled to functions: paths, pipes, `select`, comparisons, `and`, `or`, `//`, and the functions of
 * `functions.ts`. What else jq has (variables, definitions, `reduce`, assignments, formats) is refused by its place.
 *
 * One file because the rules of the grammar call each other.
 * @see {@link https://jqlang.org/manual/v1.7/ | jq 1.7 manual}
 */
import type { JsonValue } from '../../../../machinery/value.ts';
import { jqFunctions } from './functions.ts';
import { JqError, type Token, tokensOf } from './tokens.ts';
import { compare, elements, type Filter, isTruthy, JqRuntimeError, member, numeric, plus } from './values.ts';

export { JqError } from './tokens.ts';

/** Outputs of the program that are not null; none when it does not fit the input. */
export type Query = (input: JsonValue) => readonly JsonValue[];

/** Programs come from files of an operator: what is longer is a mistake. */
const maxLength = 10_000;
const maxDepth = 100;

/** Throws {@link JqError}. */
export function compileJq(program: string): Query {
  if (program.length > maxLength) throw new JqError(`longer than ${maxLength} characters`);
  const filter = new Parser(tokensOf(program)).parse();
  return (input) => {
    try {
      return filter(input).filter((value) => value !== null);
    } catch (error) {
      if (error instanceof JqRuntimeError) return [];
      throw error;
    }
  };
}

type Binary = (a: JsonValue, b: JsonValue) => JsonValue;

const operators: readonly ReadonlyMap<string, Binary>[] = [
  new Map<string, Binary>([
    ['==', (a, b) => compare(a, b) === 0],
    ['!=', (a, b) => compare(a, b) !== 0],
    ['<', (a, b) => compare(a, b) < 0],
    ['<=', (a, b) => compare(a, b) <= 0],
    ['>', (a, b) => compare(a, b) > 0],
    ['>=', (a, b) => compare(a, b) >= 0],
  ]),
  new Map<string, Binary>([
    ['+', plus],
    ['-', (a, b) => numeric(a) - numeric(b)],
  ]),
  new Map<string, Binary>([
    ['*', (a, b) => numeric(a) * numeric(b)],
    ['/', (a, b) => numeric(a) / numeric(b)],
    ['%', (a, b) => Math.trunc(numeric(a)) % Math.trunc(numeric(b))],
  ]),
];

class Parser {
  readonly #tokens: readonly Token[];
  #index = 0;
  #depth = 0;

  constructor(tokens: readonly Token[]) {
    this.#tokens = tokens;
  }

  parse(): Filter {
    const filter = this.#pipe();
    if (this.#next.kind !== 'end') throw this.#unexpected();
    return filter;
  }

  #pipe(): Filter {
    if (++this.#depth > maxDepth) throw new JqError('nested too deeply');
    const left = this.#comma();
    let filter = left;
    if (this.#take('|')) {
      const right = this.#pipe();
      filter = (input) => left(input).flatMap((value) => [...right(value)]);
    }
    this.#depth--;
    return filter;
  }

  #comma(): Filter {
    const parts = [this.#alternative()];
    while (this.#take(',')) parts.push(this.#alternative());
    return parts.length === 1 ? parts[0]! : (input) => parts.flatMap((part) => [...part(input)]);
  }

  #alternative(): Filter {
    const left = this.#or();
    if (!this.#take('//')) return left;
    const right = this.#alternative();
    return (input) => {
      const values = orNone(left, input).filter(isTruthy);
      return values.length > 0 ? values : right(input);
    };
  }

  #or(): Filter {
    let filter = this.#and();
    while (this.#takeName('or')) {
      const left = filter;
      const right = this.#and();
      filter = (input) =>
        left(input).flatMap((value) => (isTruthy(value) ? [true] : right(input).map((other) => isTruthy(other))));
    }
    return filter;
  }

  #and(): Filter {
    let filter = this.#binary(0);
    while (this.#takeName('and')) {
      const left = filter;
      const right = this.#binary(0);
      filter = (input) =>
        left(input).flatMap((value) => (isTruthy(value) ? right(input).map((other) => isTruthy(other)) : [false]));
    }
    return filter;
  }

  #binary(level: number): Filter {
    const known = operators[level];
    if (known === undefined) return this.#postfix();
    let filter = this.#binary(level + 1);
    for (;;) {
      const { kind, text } = this.#next;
      const operator = kind === 'symbol' ? known.get(text) : undefined;
      if (operator === undefined) return filter;
      this.#index++;
      const left = filter;
      const right = this.#binary(level + 1);
      filter = (input) => right(input).flatMap((b) => left(input).map((a) => operator(a, b)));
    }
  }

  #postfix(): Filter {
    let filter = this.#term();
    for (;;) {
      const before = filter;
      if (this.#next.kind === 'field') filter = this.#field(before);
      else if (this.#take('[')) filter = this.#bracket(before);
      else if (this.#take('?')) filter = (input) => orNone(before, input);
      else if (!this.#isDot) return filter;
      else if (this.#after.kind === 'text') filter = this.#quoted(before);
      else if (this.#after.text === '[') this.#index++;
      else return filter;
    }
  }

  get #isDot(): boolean {
    return this.#next.kind === 'symbol' && this.#next.text === '.';
  }

  /** `."name"` after a path. */
  #quoted(of: Filter): Filter {
    const { text } = this.#after;
    this.#index += 2;
    return (input) => of(input).map((value) => member(value, text));
  }

  #term(): Filter {
    const token = this.#next;
    if (token.kind === 'field') return this.#field((input) => [input]);
    this.#index++;
    if (token.kind === 'text') return () => [token.text];
    if (token.kind === 'number') return () => [token.value];
    if (token.kind === 'name') return this.#call(token);
    if (token.text === '.') return this.#identity();
    if (token.text === '-') {
      const term = this.#postfix();
      return (input) => term(input).map((value) => -numeric(value));
    }
    if (token.text === '(') {
      const inner = this.#pipe();
      this.#expect(')');
      return inner;
    }
    if (token.text === '[') {
      if (this.#take(']')) return () => [[]];
      const inner = this.#pipe();
      this.#expect(']');
      return (input) => [[...inner(input)]];
    }
    this.#index--;
    throw this.#unexpected();
  }

  /** `.`, or `."name"`. */
  #identity(): Filter {
    const token = this.#next;
    if (token.kind !== 'text') return (input) => [input];
    this.#index++;
    return (input) => [member(input, token.text)];
  }

  #field(of: Filter): Filter {
    const { text } = this.#next;
    this.#index++;
    return (input) => of(input).map((value) => member(value, text));
  }

  /** After `[`: all elements, or those of an index. */
  #bracket(of: Filter): Filter {
    if (this.#take(']')) return (input) => of(input).flatMap((value) => [...elements(value)]);
    const index = this.#pipe();
    this.#expect(']');
    return (input) => of(input).flatMap((value) => index(input).map((key) => member(value, key)));
  }

  #call({ text, at }: Token): Filter {
    if (text === 'null') return () => [null];
    if (text === 'true' || text === 'false') return () => [text === 'true'];
    const parameters: Filter[] = [];
    if (this.#take('(')) {
      do parameters.push(this.#pipe());
      while (this.#take(';'));
      this.#expect(')');
    }
    const name = `${text}/${parameters.length}`;
    const make = jqFunctions.get(name);
    if (make === undefined) throw new JqError(`function not defined or not supported: ${name}, at ${at}`);
    return make(parameters);
  }

  get #next(): Token {
    return this.#tokens[this.#index]!;
  }

  get #after(): Token {
    return this.#tokens[Math.min(this.#index + 1, this.#tokens.length - 1)]!;
  }

  #take(symbol: string): boolean {
    if (this.#next.kind !== 'symbol' || this.#next.text !== symbol) return false;
    this.#index++;
    return true;
  }

  #takeName(name: string): boolean {
    if (this.#next.kind !== 'name' || this.#next.text !== name) return false;
    this.#index++;
    return true;
  }

  #expect(symbol: string): void {
    if (!this.#take(symbol)) throw this.#unexpected(symbol);
  }

  #unexpected(wanted?: string): JqError {
    const { kind, text, at } = this.#next;
    const found = kind === 'end' ? 'end of program' : JSON.stringify(text);
    return new JqError(`unexpected ${found} at ${at}${wanted === undefined ? '' : `, wanted ${wanted}`}`);
  }
}

/** Outputs until the first error. */
function orNone(filter: Filter, input: JsonValue): readonly JsonValue[] {
  try {
    return filter(input);
  } catch (error) {
    if (error instanceof JqRuntimeError) return [];
    throw error;
  }
}
