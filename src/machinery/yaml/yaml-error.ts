/** Text that is no YAML, or that JSON cannot represent. The messages are go-yaml's, most begin with `yaml: `. */
export class YamlError extends Error {
  override readonly name = 'YamlError';
}

/**
 * A mistake at a place. The scanner counts lines from one. The grammar counts from zero and names no line where that
 * gives zero, as go-yaml does, whose messages clients know.
 */
export const scanError = (problem: string, line: number): YamlError =>
  new YamlError(`yaml: ${line > 0 ? `line ${line + 1}: ` : ''}${problem}`);

/** @param contextLine where the collection or node around it begins; named when the mistake is in the first line */
export function grammarError(problem: string, line: number, contextLine = 0): YamlError {
  const shown = line > 0 ? line : contextLine;
  return new YamlError(`yaml: ${shown > 0 ? `line ${shown}: ` : ''}${problem}`);
}
