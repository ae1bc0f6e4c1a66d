/**
 * Reads an expression. Precedence by the grammar of the language definition; chains of `&&` and `||` become balanced
 * trees, so that a long one is not deep.
 *
 * One file because the rules of the grammar call each other.
 *
 * @see {@link https://github.com/google/cel-spec/blob/master/doc/langdef.md#syntax | CEL language definition: syntax}
 */
import {
  callNode,
  identifierNode,
  type ListNode,
  listNode,
  literalNode,
  type LiteralValue,
  type MapNode,
  type Node,
  type StructNode,
} from './ast.ts';
import { type Token, tokenize } from './lexer.ts';
import { bytesLiteral, doubleLiteral, intLiteral, LiteralError, stringLiteral, uintLiteral } from './literals.ts';
import { expandMacro, type MacroOptions } from './macros.ts';
import { expressionStart, SyntaxFailure, TokenReader } from './recovery.ts';
import type { Issue } from './source.ts';
import { reservedWords } from './reserved-words.ts';

export interface ParseOptions extends MacroOptions {
  /** `a.?b`, `a[?b]`, `[?a]`, `{?a: b}`. */
  readonly optionals: boolean;
  /** a.`b-c`, which Kubernetes does not have. */
  readonly quotedFields?: boolean;
}

export interface Parsed {
  /** Absent when there are issues. */
  readonly node?: Node;
  readonly issues: readonly Issue[];
}

/** In code points, as upstream counts. */
const maxLength = 100_000;
/**
 * More operands than any practical expression has. 15,000 of them blocked a server for 220 ms when they were the first
 * expression of the process.
 *
 * @NOTE differs from upstream: there is such a limit.
 */
const maxOperands = 5000;
/** Deeper trees are refused: reading, checking and evaluation recurse. */
const maxDepth = 250;

/** Operators that bind tighter come later. */
const levels = [new Set(['<', '<=', '>=', '>', '==', '!=', 'in']), new Set(['+', '-']), new Set(['*', '/', '%'])];
const isOperator = ({ kind, text }: Token, operators: ReadonlySet<string>): boolean =>
  (kind === 'symbol' || kind === 'identifier') && operators.has(text);

export function parse(text: string, options: ParseOptions): Parsed {
  const length = text.length > maxLength ? [...text].length : text.length;
  if (length > maxLength)
    return {
      issues: [
        { offset: -1, message: `expression code point size exceeds limit: size: ${length}, limit ${maxLength}` },
      ],
    };
  const issues: Issue[] = [];
  const parser = new Parser(new TokenReader(tokenize(text, issues), issues), options);
  const node = parser.parse();
  return issues.length > 0 ? { issues } : { node, issues };
}

/** What may stand after the bracket that opens it. */
const listStart = ["']'", "','", "'?'", ...expressionStart];
const mapStart = ["'}'", "','", "'?'", ...expressionStart];
const structStart = ["'}'", "','", "'?'", 'IDENTIFIER'];
const argumentsStart = ["')'", ...expressionStart];

/** Ends the reading altogether; the message says which limit is exceeded. */
class TooLarge extends Error {}

const nothing = (offset: number): Node => literalNode(offset, { kind: 'null' });
const call = (name: string, offset: number, args: readonly Node[]): Node => callNode(offset, name, undefined, args);

class Parser {
  readonly #reader: TokenReader;
  readonly #options: ParseOptions;
  #depth = 0;
  #operands = 0;

  constructor(reader: TokenReader, options: ParseOptions) {
    this.#reader = reader;
    this.#options = options;
  }

  parse(): Node {
    try {
      const node = this.#expression();
      this.#reader.expect('<EOF>');
      return node;
    } catch (error) {
      if (error instanceof TooLarge) this.#reader.issues.push({ offset: -1, message: error.message });
      else if (!(error instanceof SyntaxFailure)) throw error;
      return nothing(0);
    }
  }

  #expression(): Node {
    this.#deepen();
    const condition = this.#or();
    const question = this.#reader.accept('?');
    const node = question === undefined ? condition : this.#conditional(condition, question.offset);
    this.#depth--;
    return node;
  }

  #conditional(condition: Node, offset: number): Node {
    const yes = this.#or();
    this.#reader.expect("':'");
    return call('_?_:_', offset, [condition, yes, this.#expression()]);
  }

  #or(): Node {
    return this.#chain('||', this.#and);
  }

  readonly #and = (): Node => this.#chain('&&', this.#relation);
  readonly #relation = (): Node => this.#operation(0);

  #chain(symbol: string, read: () => Node): Node {
    const first = read();
    let operator = this.#reader.accept(symbol);
    if (operator === undefined) return first;
    const terms = [first];
    const offsets: number[] = [];
    for (; operator !== undefined; operator = this.#reader.accept(symbol)) {
      offsets.push(operator.offset);
      terms.push(read());
    }
    return balanced(`_${symbol}_`, terms, offsets, 0, terms.length - 1);
  }

  /**
   * Operators of one level, from left to right, with tighter ones between them. A chain makes a tree as deep as it is
   * long.
   */
  #operation(level: number): Node {
    const operators = levels[level];
    if (operators === undefined) return this.#unary();
    const before = this.#depth;
    let left = this.#operation(level + 1);
    for (let token = this.#reader.peek(); isOperator(token, operators); token = this.#reader.peek()) {
      this.#reader.take();
      this.#deepen();
      left = call(token.text === 'in' ? '@in' : `_${token.text}_`, token.offset, [left, this.#operation(level + 1)]);
    }
    this.#depth = before;
    return left;
  }

  #deepen(): void {
    if (++this.#depth > maxDepth) throw new TooLarge(`expression recursion limit exceeded: ${maxDepth}`);
  }

  /** An error ends here: parsing goes on as if an operand had been there. */
  #unary(): Node {
    if (++this.#operands > maxOperands) throw new TooLarge(`expression operand limit exceeded: ${maxOperands}`);
    const { offset } = this.#reader.peek();
    try {
      this.#reader.sync(expressionStart);
      return this.#signed();
    } catch (error) {
      if (!(error instanceof SyntaxFailure)) throw error;
      this.#reader.recover();
      return nothing(offset);
    }
  }

  #signed(): Node {
    const { text, kind } = this.#reader.peek();
    if (kind !== 'symbol' || (text !== '!' && text !== '-')) return this.#member();
    if (text === '-' && (this.#reader.peek(1).kind === 'int' || this.#reader.peek(1).kind === 'double'))
      return this.#member();
    const first = this.#reader.take();
    let count = 1;
    while (this.#reader.accept(text) !== undefined) count++;
    const operand = this.#member();
    return count % 2 === 0 ? operand : call(`${text}_`, first.offset, [operand]);
  }

  #member(): Node {
    const before = this.#depth;
    let node = this.#primary();
    for (;;) {
      const token = this.#reader.peek();
      if (token.kind !== 'symbol' || (token.text !== '.' && token.text !== '[')) break;
      this.#deepen();
      node = token.text === '.' ? this.#selection(node) : this.#index(node);
    }
    this.#depth = before;
    return node;
  }

  #selection(operand: Node): Node {
    const dot = this.#reader.take();
    const question = this.#reader.accept('?');
    if (question !== undefined && !this.#options.optionals) this.#issue(dot.offset, "unsupported syntax '.?'");
    const name = this.#fieldName(question !== undefined);
    const open = question === undefined ? this.#reader.accept('(') : undefined;
    if (open === undefined)
      return question === undefined
        ? { kind: 'select', offset: dot.offset, operand, field: name, test: false, optional: false }
        : optionalSelect(dot.offset, operand, name);
    return this.#callOf(name, open.offset, operand);
  }

  #fieldName(optional: boolean): string {
    const next = this.#reader.peek();
    if (next.kind === 'escaped') return this.#quotedField(next);
    if (this.#reader.name() === 'IDENTIFIER') return this.#reader.take().text;
    if (!optional && (next.kind !== 'identifier' || next.text === 'in')) throw this.#noField();
    return this.#reader.expect('IDENTIFIER').text;
  }

  #noField(): SyntaxFailure {
    const { kind, offset, text } = this.#reader.peek();
    return this.#reader.fail(offset, `Syntax error: no viable alternative at input '.${kind === 'end' ? '' : text}'`);
  }

  #quotedField(next: Token): string {
    if (this.#options.quotedFields !== true) this.#issue(next.offset, "unsupported syntax: '`'");
    return this.#reader.take().text.slice(1, -1);
  }

  #index(operand: Node): Node {
    const open = this.#reader.take();
    const question = this.#reader.accept('?');
    if (question !== undefined && !this.#options.optionals) this.#issue(open.offset, "unsupported syntax '[?'");
    const key = this.#expression();
    this.#reader.expect("']'");
    return call(question === undefined ? '_[_]' : '_[?_]', open.offset, [operand, key]);
  }

  #primary(): Node {
    const token = this.#reader.peek();
    if (token.kind === 'symbol') return this.#primarySymbol(token);
    if (token.kind === 'identifier' && this.#reader.name() === 'IDENTIFIER') return this.#named();
    return this.#literal();
  }

  #primarySymbol(token: Token): Node {
    switch (token.text) {
      case '.':
        return this.#named();
      case '(': {
        this.#reader.take();
        const node = this.#expression();
        this.#reader.expect("')'");
        return node;
      }
      case '[':
        return this.#list();
      case '{':
        return this.#map();
      default:
        return this.#literal();
    }
  }

  /** A variable, a call of a global function, or a message. */
  #named(): Node {
    const dot = this.#reader.accept('.');
    if (dot !== undefined && this.#reader.name() !== 'IDENTIFIER') throw this.#noField();
    const first = this.#reader.expect('IDENTIFIER');
    const name = dot === undefined ? first.text : `.${first.text}`;
    const open = this.#reader.accept('(');
    if (open !== undefined) return this.#callOf(name, open.offset, undefined);
    const braceAt = this.#messageBrace();
    if (braceAt >= 0) return this.#struct(name, braceAt);
    if (reservedWords.has(first.text)) {
      this.#issue(first.offset, `reserved identifier: ${first.text}`);
      return nothing(first.offset);
    }
    return identifierNode(first.offset, name);
  }

  /** How many tokens ahead the brace of `a.b.c{` is; -1 when there is none. */
  #messageBrace(): number {
    let ahead = 0;
    while (this.#reader.peek(ahead).text === '.' && this.#reader.name(ahead + 1) === 'IDENTIFIER') ahead += 2;
    return this.#reader.peek(ahead).kind === 'symbol' && this.#reader.peek(ahead).text === '{' ? ahead : -1;
  }

  #struct(start: string, braceAt: number): StructNode {
    let name = start;
    for (let i = 0; i < braceAt; i++) name += this.#reader.take().text;
    const open = this.#reader.take();
    const fields: { name: string; offset: number; value: Node; optional: boolean }[] = [];
    this.#items('}', structStart, () => {
      const optional = this.#optionalMark();
      const field = this.#reader.expect('IDENTIFIER');
      const colon = this.#reader.expect("':'");
      fields.push({ name: field.text, offset: colon.offset, value: this.#expression(), optional });
    });
    return { kind: 'struct', offset: open.offset, name, fields };
  }

  #list(): ListNode {
    const { offset } = this.#reader.take();
    const items: { value: Node; optional: boolean }[] = [];
    this.#items(']', listStart, () => {
      const optional = this.#optionalMark();
      items.push({ value: this.#expression(), optional });
    });
    return listNode(offset, items);
  }

  #map(): MapNode {
    const { offset } = this.#reader.take();
    const entries: { key: Node; value: Node; optional: boolean }[] = [];
    this.#items('}', mapStart, () => {
      const optional = this.#optionalMark();
      const key = this.#expression();
      this.#reader.expect("':'");
      entries.push({ key, value: this.#expression(), optional });
    });
    return { kind: 'map', offset, entries };
  }

  #optionalMark(): boolean {
    const question = this.#reader.accept('?');
    if (question !== undefined && !this.#options.optionals) this.#issue(question.offset, "unsupported syntax '?'");
    return question !== undefined;
  }

  /** Parts with commas between them; one more comma may stand before the end. */
  #items(end: string, start: readonly string[], read: () => void): void {
    this.#reader.sync(start);
    if (this.#reader.accept(',') === undefined) {
      while (this.#reader.peek().text !== end) {
        read();
        if (this.#reader.accept(',') === undefined) break;
      }
    }
    this.#reader.expect(`'${end}'`);
  }

  #callOf(name: string, offset: number, target: Node | undefined): Node {
    const args: Node[] = [];
    this.#reader.sync(argumentsStart);
    if (this.#reader.accept(')') === undefined) {
      do args.push(this.#expression());
      while (this.#reader.accept(',') !== undefined);
      this.#reader.expect("')'");
    }
    const expanded = this.#options.macros
      ? expandMacro({ name, offset, target, args }, this.#options, (at, message) => this.#issue(at, message))
      : undefined;
    return expanded ?? callNode(offset, name, target, args);
  }

  #literal(): Node {
    const minus = this.#reader.peek().text === '-' ? this.#reader.take() : undefined;
    const token = this.#reader.peek();
    const offset = (minus ?? token).offset;
    try {
      const literal = literalValue(token, minus === undefined ? '' : '-');
      if (literal === undefined) throw this.#reader.mismatch(expressionStart);
      this.#reader.take();
      return literalNode(offset, literal);
    } catch (error) {
      if (!(error instanceof LiteralError)) throw error;
      this.#issue(offset, error.message);
      this.#reader.take();
      return nothing(offset);
    }
  }

  #issue(offset: number, message: string): void {
    this.#reader.issues.push({ offset, message });
  }
}

const optionalSelect = (offset: number, operand: Node, field: string): Node =>
  call('_?._', offset, [operand, literalNode(offset, { kind: 'string', value: field })]);

function balanced(name: string, terms: readonly Node[], offsets: readonly number[], from: number, to: number): Node {
  if (from === to) return terms[from]!;
  const middle = (from + to) >> 1;
  return call(name, offsets[middle]!, [
    balanced(name, terms, offsets, from, middle),
    balanced(name, terms, offsets, middle + 1, to),
  ]);
}

function literalValue({ kind, text }: Token, sign: string): LiteralValue | undefined {
  switch (kind) {
    case 'int':
      return { kind, value: intLiteral(sign + text) };
    case 'double':
      return { kind, value: doubleLiteral(sign + text) };
    case 'uint':
      return { kind, value: uintLiteral(text) };
    case 'string':
      return { kind, value: stringLiteral(text) };
    case 'bytes':
      return { kind, value: bytesLiteral(text) };
    case 'identifier':
      return text === 'null'
        ? { kind: 'null' }
        : text === 'true' || text === 'false'
          ? { kind: 'bool', value: text === 'true' }
          : undefined;
    case 'escaped':
    case 'symbol':
    case 'end':
      return undefined;
  }
}
