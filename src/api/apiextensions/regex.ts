/**
 * Patterns are regular expressions of RE2. Node reads another dialect, so what RE2 alone has is put into Node's words
 * before a pattern is tried, and what Node alone has is refused.
 * @see {@link https://github.com/google/re2/wiki/Syntax | RE2 syntax}
 */
const nodeOnly: readonly (readonly [RegExp, (found: string) => string])[] = [
  [/\(\?<?[=!]/, (found) => `invalid or unsupported Perl syntax: \`${found}\``],
  [/(?<!\\)(?:\\\\)*\\[1-9]/, (found) => `invalid escape sequence: \`${found.slice(-2)}\``],
];

/** What is wrong, in the words of Go's regexp package; undefined when nothing is. */
export function regexProblem(pattern: string): string | undefined {
  for (const [syntax, message] of nodeOnly) {
    const found = syntax.exec(pattern);
    if (found !== null) return `error parsing regexp: ${message(found[0])}`;
  }
  try {
    new RegExp(inNodeSyntax(pattern));
    return undefined;
  } catch (error) {
    return `error parsing regexp: ${problemOf(String(error))}: \`${pattern}\``;
  }
}

const inNodeSyntax = (pattern: string): string => pattern
  .replace(/\(\?P</g, '(?<')
  .replace(/\(\?[imsU]*(?:-[imsU]+)?\)/g, '')
  .replace(/\(\?[imsU]*(?:-[imsU]+)?:/g, '(?:')
  .replace(/\[:\^?[a-z]+:\]/g, 'a')
  .replace(/\\Q[\s\S]*?(?:\\E|$)/g, 'a');

function problemOf(text: string): string {
  if (text.includes('Unterminated group')) return 'missing closing )';
  if (text.includes('Unmatched')) return 'unexpected )';
  if (text.includes('character class')) return 'missing closing ]';
  return text.includes('Nothing to repeat') ? 'missing argument to repetition operator' : 'invalid syntax';
}
