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

/** All terms must hold. A field that the object does not name counts as empty. */
export function matchesFields(terms: readonly FieldTerm[], valueOf: (field: string) => string | undefined): boolean {
  return terms.every(({ field, operator, value }) => ((valueOf(field) ?? '') === value) === (operator === '='));
}

/**
 * Reads the text form; `==` is `=`, `\` escapes commas, equals signs and itself. A term that names nothing asks for nothing.
 * Throws {@link SelectorError}.
 */
export function parseFieldSelector(text: string): readonly FieldTerm[] {
  const terms = splitTerms(text).sort().filter((term) => term !== '').map((term) => parseTerm(term, text));
  return terms.filter(({ field, value }) => field !== '' || value !== '');
}

/** The text form, terms in the order given. */
export const fieldSelectorText = (terms: readonly FieldTerm[]): string => terms.map(({ field, operator, value }) => `${field}${operator}${escapeValue(value)}`).join(',');

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
  return [...terms, text.slice(start)];
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
    else if (char === ',' || char === '=') throw new SelectorError(`invalid field selector: unescaped character in value: ${char.codePointAt(0)}`);
    else out += char;
  }
  return out;
}

function unescaped(char: string | undefined): string {
  if (char === '\\' || char === ',' || char === '=') return char;
  throw new SelectorError(`invalid field selector: invalid escape sequence: \\${char ?? ''}`);
}
