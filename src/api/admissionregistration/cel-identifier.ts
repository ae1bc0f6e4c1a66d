const identifier = /^[_a-zA-Z][_a-zA-Z0-9]*$/;

/**
 * @see {@link https://github.com/google/cel-spec/blob/master/doc/langdef.md#syntax | CEL language definition: reserved
 *   identifiers}
 */
const reserved = new Set([
  'true',
  'false',
  'null',
  'in',
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

export const isCelIdentifier = (text: string): boolean => identifier.test(text) && !reserved.has(text);
