/**
 * Field selectors: the text of `?fieldSelector=`, terms `field=value` and `field!=value` joined by commas.
 * @see {@link https://kubernetes.io/docs/concepts/overview/working-with-objects/field-selectors/ | Field Selectors}
 */
import { SelectorError } from './label-selector.ts';

export interface FieldTerm {
  readonly field: string;
  readonly operator: '=' | '!=';
  readonly value: string;
}

/** What the terms say of one field. */
interface FieldCondition {
  /** Undefined for any. */
  equal: string | undefined;
  /** Two values are asked for at once. */
  isContradiction: boolean;
  readonly unequal: Set<string>;
}

/**
 * All terms must hold. A field that the object does not name counts as empty. A text has space for many terms, and they
 * are asked of many objects: each field is looked at once.
 */
export function fieldMatcher(terms: readonly FieldTerm[]): (valueOf: (field: string) => string | undefined) => boolean {
  const conditions = new Map<string, FieldCondition>();
  for (const { field, operator, value } of terms) {
    let condition = conditions.get(field);
    if (condition === undefined)
      conditions.set(field, (condition = { equal: undefined, isContradiction: false, unequal: new Set() }));
    if (operator === '!=') condition.unequal.add(value);
    else if (condition.equal === undefined) condition.equal = value;
    else condition.isContradiction ||= condition.equal !== value;
  }
  const all = [...conditions];
  return (valueOf) =>
    all.every(([field, { equal, isContradiction, unequal }]) => {
      const value = valueOf(field) ?? '';
      return !isContradiction && (equal === undefined || value === equal) && !unequal.has(value);
    });
}

/**
 * Parses a selector's text; `==` is `=`, `\` escapes commas, equals signs and itself. An empty term has no effect.
 * Throws {@link SelectorError}.
 */
export const parseFieldSelector = (text: string): readonly FieldTerm[] => [...readFieldSelector(text)];

/** As {@link parseFieldSelector}, in steps: for texts that may be long. */
export function* fieldSelectorSteps(text: string): Generator<void, readonly FieldTerm[]> {
  const terms: FieldTerm[] = [];
  for (const term of readFieldSelector(text)) if (terms.push(term) % termsPerStep === 0) yield;
  return terms;
}

/** A fraction of a millisecond. */
const termsPerStep = 256;

/** As {@link parseFieldSelector}, term by term: for texts that may be long. */
export function* readFieldSelector(text: string): Generator<FieldTerm, void> {
  for (const part of splitTerms(text).sort()) {
    if (part === '') continue;
    const term = parseTerm(part, text);
    if (term.field !== '' || term.value !== '') yield term;
  }
}

/** The selector as text, terms in the order given. */
export const fieldSelectorText = (terms: readonly FieldTerm[]): string =>
  terms.map(({ field, operator, value }) => `${field}${operator}${escapeValue(value)}`).join(',');

const escapeValue = (value: string): string => value.replace(/[\\,=]/g, '\\$&');

function splitTerms(text: string): string[] {
  const terms: string[] = [];
  let start = 0;
  for (let i = 0; i < text.length; i++) {
    if (text[i] === '\\') i++;
    else if (text[i] === ',') {
      terms.push(text.slice(start, i));
      start = i + 1;
    }
  }
  terms.push(text.slice(start));
  return terms;
}

function parseTerm(term: string, whole: string): FieldTerm {
  const match = /^(.*?)(!=|==|=)(.*)$/s.exec(term);
  if (match === null) throw new SelectorError(`invalid selector: '${whole}'; can't understand '${term}'`);
  const [, field = '', operator, value = ''] = match;
  return { field, operator: operator === '!=' ? '!=' : '=', value: unescapeValue(value) };
}

function unescapeValue(text: string): string {
  let out = '';
  for (let i = 0; i < text.length; i++) {
    const char = text[i]!;
    if (char === '\\') out += unescaped(text[++i]);
    else if (char === ',' || char === '=')
      throw new SelectorError(`invalid field selector: unescaped character in value: ${char.codePointAt(0)}`);
    else out += char;
  }
  return out;
}

function unescaped(char: string | undefined): string {
  if (char === '\\' || char === ',' || char === '=') return char;
  throw new SelectorError(`invalid field selector: invalid escape sequence: \\${char ?? ''}`);
}
