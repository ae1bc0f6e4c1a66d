/**
 * Texts that say what is wrong with a value. Clients show them and scripts match on them, so they are upstream's to
 * the letter, odd commas included.
 */

/** What a checker returns for a good value: one shared list, so that the good path allocates nothing. */
export const ok: readonly string[] = Object.freeze([]);

export const emptyMessage = 'must be non-empty';
export const negativeMessage = 'must be greater than or equal to 0';
export const notPositiveMessage = 'must be greater than zero';
export const immutableMessage = 'field is immutable';
export const notIntegerMessage = 'must be an integer';

export const maxLengthMessage = (length: number): string => `must be no more than ${length} characters`;

export const inclusiveRangeMessage = (low: number, high: number): string =>
  `must be between ${low} and ${high}, inclusive`;

/** `…consist of… (e.g. 'a',  or 'b', regex used for validation is 'x')` */
export function regexMessage(message: string, pattern: string, ...examples: readonly string[]): string {
  if (examples.length === 0) return `${message} (regex used for validation is '${pattern}')`;
  const shown = examples.map((example) => `'${example}', `).join(' or ');
  return `${message} (e.g. ${shown}regex used for validation is '${pattern}')`;
}
