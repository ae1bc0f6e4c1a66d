/**
 * Pipelines of actions, compiled to functions: fields, variables, calls, and values that are passed on by `|`.
 *
 * One file because the rules of the grammar call each other.
 * @see {@link https://pkg.go.dev/text/template#hdr-Pipelines | text/template: Pipelines}
 */
import { type KnownFunction, type TemplateContext, templateFunctions } from './functions.ts';
import { TemplateError, type Token } from './tokens.ts';
import { isTrue, memberOf, type Value } from './values.ts';

/** What is known where an action stands: `.`, and variables, the innermost last. */
export interface Scope {
  readonly dot: Value;
  readonly variables: { readonly name: string; value: Value }[];
  readonly context: TemplateContext;
}

export type Expression = (scope: Scope) => Value;

export interface Pipeline {
  /** Variables that get the value; of a range, the last one gets the element. */
  readonly variables: readonly string[];
  /** The variables are new. */
  readonly isDeclaration: boolean;
  readonly value: Expression;
}

/** A pipeline of which the last value is an argument too. */
type Command = (scope: Scope, last: readonly Value[]) => Value;

/** Of parentheses, and of blocks. */
export const maxDepth = 100;

export class ActionReader {
  readonly #tokens: readonly Token[];
  #index: number;
  #depth = 0;

  constructor(tokens: readonly Token[], index: number) {
    this.#tokens = tokens;
    this.#index = index;
  }

  get isAtEnd(): boolean {
    return this.#next.kind === 'end';
  }

  /** All of the rest. */
  pipeline(): Pipeline {
    const variables = this.#variables();
    const value = this.#pipe();
    if (!this.isAtEnd) throw this.#unexpected();
    return { ...variables, value };
  }

  #variables(): Pick<Pipeline, 'variables' | 'isDeclaration'> {
    const isSymbol = (offset: number, ...texts: string[]): boolean => {
      const token = this.#tokens[this.#index + offset];
      return token?.kind === 'symbol' && texts.includes(token.text);
    };
    const isVariable = (offset: number): boolean => this.#tokens[this.#index + offset]?.kind === 'variable';
    const count = isVariable(0) && isSymbol(1, ',') && isVariable(2) && isSymbol(3, ':=', '=') ? 2 : 1;
    if (count === 1 && !(isVariable(0) && isSymbol(1, ':=', '='))) return { variables: [], isDeclaration: false };
    const first = this.#take().text;
    const variables = [first];
    if (count === 2) {
      this.#take();
      variables.push(this.#take().text);
    }
    return { variables, isDeclaration: this.#take().text === ':=' };
  }

  #pipe(): Expression {
    if (++this.#depth > maxDepth) throw new TemplateError('nested too deeply');
    const commands = [this.#command()];
    while (this.#takeSymbol('|')) commands.push(this.#command());
    this.#depth--;
    return (scope) => {
      let last: readonly Value[] = [];
      for (const command of commands) last = [command(scope, last)];
      return last[0]!;
    };
  }

  #command(): Command {
    const { kind, text, line } = this.#next;
    const isCall = kind === 'name' && !literals.has(text);
    if (isCall) this.#take();
    const operands: Expression[] = [];
    while (!this.isAtEnd && !this.#isSymbol('|') && !this.#isSymbol(')')) operands.push(this.#operand());
    if (isCall) return callOf(text, operands, line);
    const [operand] = operands;
    if (operand === undefined) throw this.#unexpected();
    if (operands.length > 1) throw new TemplateError(`line ${line}: can't give argument to non-function ${text}`);
    return (scope, last) => {
      if (last.length > 0) throw new TemplateError(`line ${line}: can't give argument to non-function ${text}`);
      return operand(scope);
    };
  }

  #operand(): Expression {
    const token = this.#take();
    switch (token.kind) {
      case 'text':
        return () => token.text;
      case 'number':
        return () => token.value;
      case 'field':
        return this.#fields((scope) => memberOf(scope.dot, token.text));
      case 'variable':
        return this.#fields((scope) => variableOf(scope, token));
      case 'name':
        if (literals.has(token.text)) return () => literals.get(token.text)!;
        return asExpression(callOf(token.text, [], token.line));
      case 'symbol':
        if (token.text === '.') return (scope) => scope.dot;
        if (token.text === '(') {
          const inner = this.#pipe();
          if (!this.#takeSymbol(')')) throw this.#unexpected();
          return this.#fields(inner);
        }
        break;
      case 'end':
        break;
    }
    this.#index--;
    throw this.#unexpected();
  }

  #fields(of: Expression): Expression {
    let value = of;
    while (this.#next.kind === 'field' && !this.#next.isSpaced) {
      const { text } = this.#take();
      const before = value;
      value = (scope) => memberOf(before(scope), text);
    }
    return value;
  }

  get #next(): Token {
    return this.#tokens[this.#index]!;
  }

  #take(): Token {
    return this.#tokens[this.#index++]!;
  }

  #isSymbol(text: string): boolean {
    return this.#next.kind === 'symbol' && this.#next.text === text;
  }

  #takeSymbol(text: string): boolean {
    if (!this.#isSymbol(text)) return false;
    this.#index++;
    return true;
  }

  #unexpected(): TemplateError {
    const { kind, text, line } = this.#next;
    return new TemplateError(`line ${line}: unexpected ${kind === 'end' ? 'end of action' : JSON.stringify(text)}`);
  }
}

const literals: ReadonlyMap<string, Value> = new Map<string, Value>([
  ['true', true],
  ['false', false],
  ['nil', null],
]);

const asExpression =
  (command: Command): Expression =>
  (scope) =>
    command(scope, []);

function variableOf({ variables }: Scope, { text, line }: Token): Value {
  const variable = variables.findLast(({ name }) => name === text);
  if (variable === undefined) throw new TemplateError(`line ${line}: undefined variable ${JSON.stringify(text)}`);
  return variable.value;
}

function callOf(name: string, operands: readonly Expression[], line: number): Command {
  if (name === 'and' || name === 'or') return decide(operands, name === 'or', line);
  const known = templateFunctions.get(name);
  if (known === undefined) throw new TemplateError(`line ${line}: function ${JSON.stringify(name)} not defined`);
  return (scope, last) => {
    const values = [...operands.map((operand) => operand(scope)), ...last];
    checkCount(name, known, values.length, line);
    try {
      return known.call(values, scope.context);
    } catch (error) {
      if (error instanceof TemplateError) throw new TemplateError(`line ${line}: ${error.message}`);
      throw error;
    }
  };
}

function checkCount(name: string, { least, most }: KnownFunction, count: number, line: number): void {
  if (count >= least && count <= most) return;
  throw new TemplateError(`line ${line}: wrong number of args for ${name}: want ${least} got ${count}`);
}

/** The first value that is true, of `or`, or that is not, of `and`; else the last one. */
function decide(operands: readonly Expression[], wanted: boolean, line: number): Command {
  return (scope, last) => {
    const values = [...operands, ...last.map((value) => () => value)];
    if (values.length === 0) throw new TemplateError(`line ${line}: wrong number of args for ${wanted ? 'or' : 'and'}`);
    let value: Value = null;
    for (const operand of values) {
      value = operand(scope);
      if (isTrue(value) === wanted) break;
    }
    return value;
  };
}
