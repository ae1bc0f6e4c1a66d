/**
 * Label selectors: matching, and the two forms they come in (the object of a spec, and the text of `?labelSelector=`).
 * @see {@link https://kubernetes.io/docs/concepts/overview/working-with-objects/labels/#label-selectors | Label selectors}
 */
import { aggregateText, invalid, notSupported } from './field-error.ts';
import { FieldErrors } from './field-errors.ts';
import { FieldPath } from './field-path.ts';
import { isLabelValue, isQualifiedName } from './formats/names.ts';
import { goStrings } from './go-quote.ts';
import { readInteger } from './parse-integer.ts';

/** The operators of the text form; `exists` and `!` have no operator in the text but the key alone. */
export type SelectorOperator = '=' | '==' | '!=' | 'in' | 'notin' | 'exists' | '!' | 'gt' | 'lt';

/** One condition on one label. */
export interface Requirement {
  readonly key: string;
  readonly operator: SelectorOperator;
  /** In the order given; a set for matching. */
  readonly values: readonly string[];
}

/** All requirements must hold; `[]` selects everything, `nothing` nothing. */
export type Requirements = readonly Requirement[] | typeof nothing;

export const nothing = 'nothing';
export const everything: Requirements = Object.freeze([]);

/** The object form, as specs have it. */
export interface LabelSelector {
  matchLabels?: Record<string, string>;
  matchExpressions?: LabelSelectorRequirement[];
}

export interface LabelSelectorRequirement {
  key?: string;
  operator?: string;
  values?: string[];
}

/** A selector that cannot be understood; the message is what upstream answers. */
export class SelectorError extends Error {
  override readonly name = 'SelectorError';
}

/** Labels as an object or a map. */
export type Labels = Readonly<Record<string, string>> | ReadonlyMap<string, string>;

const labelOf = (labels: Labels | undefined, key: string): string | undefined => {
  if (labels === undefined) return undefined;
  if (isMap(labels)) return labels.get(key);
  return Object.hasOwn(labels, key) ? (labels as Readonly<Record<string, string>>)[key] : undefined;
};

/** Compact maps are no instances of `Map`; in an object of labels even one called `get` is text. */
const isMap = (labels: Labels): labels is ReadonlyMap<string, string> => typeof labels['get' as never] === 'function';

export function matchesLabels(requirements: Requirements, labels: Labels | undefined): boolean {
  return requirements !== nothing && requirements.every((requirement) => matchesRequirement(requirement, labelOf(labels, requirement.key)));
}

/** What the requirements say of the values of labels without a choice: others may remain. */
export function equalities(requirements: Requirements): ReadonlyMap<string, string> {
  const equal = new Map<string, string>();
  for (const { key, operator, values } of requirements === nothing ? [] : requirements) {
    if (values.length === 1 && (operator === '=' || operator === '==' || operator === 'in')) equal.set(key, values[0]!);
  }
  return equal;
}

function matchesRequirement({ operator, values }: Requirement, value: string | undefined): boolean {
  switch (operator) {
    case '=':
    case '==':
    case 'in': return value !== undefined && values.includes(value);
    case '!=':
    case 'notin': return value === undefined || !values.includes(value);
    case 'exists': return value !== undefined;
    case '!': return value === undefined;
    case 'gt': return compareIntegers(value, values, (a, b) => a > b);
    case 'lt': return compareIntegers(value, values, (a, b) => a < b);
  }
}

function compareIntegers(value: string | undefined, values: readonly string[], holds: (a: bigint, b: bigint) => boolean): boolean {
  const left = integerOf(value);
  const right = integerOf(values[0]);
  return left !== undefined && right !== undefined && holds(left, right);
}

function integerOf(text: string | undefined): bigint | undefined {
  const value = readInteger(text ?? '');
  return typeof value === 'bigint' ? value : undefined;
}

const objectOperators: Readonly<Record<string, SelectorOperator>> = { In: 'in', NotIn: 'notin', Exists: 'exists', DoesNotExist: '!' };

/** The object form as requirements. No selector selects nothing, an empty one everything. Throws {@link SelectorError}. */
export function requirementsOf(selector: LabelSelector | undefined): Requirements {
  if (selector === undefined) return nothing;
  const requirements = requirementsOfMap(selector.matchLabels);
  for (const { key = '', operator = '', values = [] } of selector.matchExpressions ?? []) {
    const textOperator = Object.hasOwn(objectOperators, operator) ? objectOperators[operator] : undefined;
    if (textOperator === undefined) throw new SelectorError(`"${operator}" is not a valid label selector operator`);
    requirements.push(createRequirement(key, textOperator, values));
  }
  return sortByKey(requirements);
}

/** An equality selector in the form of a map, as services and replication controllers have it. */
export function requirementsOfMap(labels: Readonly<Record<string, string>> | undefined): Requirement[] {
  return Object.keys(labels ?? {}).map((key) => createRequirement(key, '=', [labels![key]!]));
}

const sortByKey = (requirements: Requirement[]): Requirement[] => requirements.sort((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0));

/** Checks key, number and form of the values. Throws {@link SelectorError} with every error. */
export function createRequirement(key: string, operator: SelectorOperator, values: readonly string[]): Requirement {
  const errors = checkRequirement(key, operator, values);
  if (errors.length > 0) throw new SelectorError(aggregateText(errors));
  return { key, operator, values };
}

function checkRequirement(key: string, operator: SelectorOperator, values: readonly string[]): FieldErrors {
  const errors = checkKey(key, FieldPath.of('key'));
  const path = FieldPath.of('values');
  const refuse = (detail: string): void => void errors.push(invalid(path, goStrings(values), detail));
  switch (operator) {
    case 'in':
    case 'notin':
      if (values.length === 0) refuse("for 'in', 'notin' operators, values set can't be empty");
      break;
    case '=':
    case '==':
    case '!=':
      if (values.length !== 1) refuse('exact-match compatibility requires one single value');
      break;
    case 'exists':
    case '!':
      if (values.length !== 0) refuse('values set must be empty for exists and does not exist');
      break;
    case 'gt':
    case 'lt':
      if (values.length !== 1) refuse("for 'Gt', 'Lt' operators, exactly one value is required");
      values.forEach((value, i) => {
        if (integerOf(value) === undefined) errors.push(invalid(path.index(i), value, "for 'Gt', 'Lt' operators, the value must be an integer"));
      });
      break;
    default:
      errors.push(notSupported(FieldPath.of('operator'), operator, ['in', 'notin', '=', '==', '!=', 'gt', 'lt', 'exists', '!']));
  }
  values.forEach((value, i) => {
    const messages = isLabelValue(value);
    if (messages.length > 0) errors.push(invalid(path.index(i).key(key), value, messages.join('; ')));
  });
  return errors;
}

function checkKey(key: string, path: FieldPath): FieldErrors {
  const errors = new FieldErrors();
  const messages = isQualifiedName(key);
  if (messages.length > 0) errors.push(invalid(path, key, messages.join('; ')));
  return errors;
}

/** The text form: `a=b,c in (x,y),!d`. Set values are sorted. */
export function selectorText(requirements: Requirements): string {
  return requirements === nothing ? '' : requirements.map(requirementText).join(',');
}

function requirementText({ key, operator, values }: Requirement): string {
  switch (operator) {
    case '!': return `!${key}`;
    case 'exists': return key;
    case '=':
    case '==':
    case '!=': return `${key}${operator}${values[0] ?? ''}`;
    case 'gt': return `${key}>${values[0] ?? ''}`;
    case 'lt': return `${key}<${values[0] ?? ''}`;
    case 'in':
    case 'notin': return `${key} ${operator} (${[...values].sort().join(',')})`;
  }
}

/**
 * Reads the text form. Throws {@link SelectorError}: what the server answers with 400 for a bad `?labelSelector=`.
 * @see {@link https://kubernetes.io/docs/concepts/overview/working-with-objects/labels/#api | Labels: API}
 */
export function parseLabelSelector(text: string): readonly Requirement[] {
  return new Parser(tokenize(text)).selector();
}

type TokenKind = 'end' | 'error' | 'identifier' | ',' | '(' | ')' | '!' | 'operator';

interface Token {
  readonly kind: TokenKind;
  readonly text: string;
  /** Of `in` and `notin`, which are identifiers where a value can stand. */
  readonly word?: boolean;
}

const symbolTokens: Readonly<Record<string, Token['kind']>> = { ',': ',', '(': '(', ')': ')', '!': '!', '=': 'operator', '==': 'operator', '!=': 'operator', '>': 'operator', '<': 'operator' };
const isSymbol = (char: string): boolean => '=!(),><'.includes(char);
const isSpace = (char: string): boolean => char === ' ' || char === '\t' || char === '\r' || char === '\n';

/** @NOTE differs from upstream, for which a character NUL is where the text ends: here it is one that no word has. */
function tokenize(text: string): Token[] {
  const tokens: Token[] = [];
  let at = 0;
  while (at < text.length) {
    if (isSpace(text[at]!)) at++;
    else {
      const length = isSymbol(text[at]!) ? symbolLength(text, at) : wordLength(text, at);
      tokens.push(tokenOf(text.slice(at, at + length)));
      at += length;
    }
  }
  tokens.push({ kind: 'end', text: '' });
  return tokens;
}

function tokenOf(text: string): Token {
  if (isSymbol(text[0]!)) return { kind: symbolTokens[text] ?? 'error', text };
  return text === 'in' || text === 'notin' ? { kind: 'operator', text, word: true } : { kind: 'identifier', text };
}

/** As many symbol characters as still make a known symbol. */
function symbolLength(text: string, at: number): number {
  let length = 1;
  while (at + length < text.length && isSymbol(text[at + length]!) && text.slice(at, at + length + 1) in symbolTokens) length++;
  return length;
}

function wordLength(text: string, at: number): number {
  let length = 1;
  while (at + length < text.length && !isSymbol(text[at + length]!) && !isSpace(text[at + length]!)) length++;
  return length;
}

const operatorOfText: Readonly<Record<string, SelectorOperator>> = { 'in': 'in', 'notin': 'notin', '=': '=', '==': '==', '!=': '!=', '>': 'gt', '<': 'lt' };

/** Recursive descent over the tokens; each method reads one rule and says what it expected instead. */
class Parser {
  readonly #tokens: readonly Token[];
  #at = 0;

  constructor(tokens: readonly Token[]) {
    this.#tokens = tokens;
  }

  selector(): Requirement[] {
    const requirements: Requirement[] = [];
    for (;;) {
      const first = this.#peek();
      if (first.kind === 'end') return sortByKey(requirements);
      if (first.kind !== 'identifier' && first.kind !== '!') throw found(first, ', expected: !, identifier, or \'end of string\'');
      requirements.push(this.#wrapped(() => this.#requirement()));
      const next = this.#take();
      if (next.kind === 'end') return sortByKey(requirements);
      if (next.kind !== ',') throw found(next, ", expected: ',' or 'end of string'");
      const after = this.#peek();
      if (after.kind !== 'identifier' && after.kind !== '!') throw found(after, ", expected: identifier after ','");
    }
  }

  #wrapped(read: () => Requirement): Requirement {
    try {
      return read();
    } catch (error) {
      if (error instanceof SelectorError) throw new SelectorError(`unable to parse requirement: ${error.message}`);
      throw error;
    }
  }

  #requirement(): Requirement {
    const negated = this.#peek().kind === '!';
    if (negated) this.#take();
    const key = this.#take();
    if (key.kind !== 'identifier') throw found(key, ', expected: identifier');
    const keyErrors = checkKey(key.text, FieldPath.root);
    if (keyErrors.length > 0) throw new SelectorError(aggregateText(keyErrors));
    const next = this.#peek();
    if (negated) return createRequirement(key.text, '!', []);
    if (next.kind === 'end' || next.kind === ',') return createRequirement(key.text, 'exists', []);
    const operator = this.#operator();
    const values = operator === 'in' || operator === 'notin' ? this.#valueSet() : this.#exactValue();
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

  #valueSet(): string[] {
    const open = this.#take();
    if (open.kind !== '(') throw found(open, " expected: '('");
    const next = this.#peek();
    if (next.kind === ')') {
      this.#take();
      return [''];
    }
    if (next.kind !== 'identifier' && next.kind !== ',') throw found(next, ", expected: ',', ')' or identifier");
    const values = this.#values();
    if (this.#take().kind !== ')') throw found(next, ", expected: ')'");
    return values;
  }

  /** Values between the parentheses; an empty place between commas is an empty value. */
  #values(): string[] {
    const values: string[] = [];
    for (;;) {
      const token = this.#take();
      if (token.kind === 'identifier') {
        values.push(token.text);
        const next = this.#peek();
        if (next.kind === ')') return values;
        if (next.kind !== ',') throw found(next, ", expected: ',' or ')'");
      } else if (token.kind === ',') {
        if (values.length === 0) values.push('');
        const next = this.#peek();
        if (next.kind === ')') return [...values, ''];
        if (next.kind === ',') {
          this.#take();
          values.push('');
        }
      } else throw found(token, ", expected: ',', or identifier");
    }
  }

  /** Where a value or key can stand, `in` and `notin` are ordinary words. */
  #peek(): Token {
    const token = this.#tokens[this.#at]!;
    return token.word === true ? { kind: 'identifier', text: token.text } : token;
  }

  #take(): Token {
    const token = this.#peek();
    if (token.kind !== 'end') this.#at++;
    return token;
  }

  #takeRaw(): Token {
    const token = this.#tokens[this.#at]!;
    if (token.kind !== 'end') this.#at++;
    return token;
  }
}

const found = (token: Token, expected: string): SelectorError => new SelectorError(`found '${token.text}'${expected}`);
