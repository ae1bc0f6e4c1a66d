/**
 * @see {@link https://github.com/google/cel-spec/blob/master/doc/langdef.md#syntax | CEL language definition: reserved
 *   identifiers}
 */
export const reservedWords: ReadonlySet<string> = new Set([
  'as',
  'break',
  'const',
  'continue',
  'else',
  'for',
  'function',
  'if',
  'import',
  'let',
  'loop',
  'package',
  'namespace',
  'return',
  'var',
  'void',
  'while',
]);

const keywords: ReadonlySet<string> = new Set(['true', 'false', 'null', 'in']);

/** No name of a field or variable: reserved, or part of the syntax. */
export const isReserved = (text: string): boolean => reservedWords.has(text) || keywords.has(text);
