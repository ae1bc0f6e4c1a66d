/** What `fieldValidation` makes of the unknown and duplicate fields of a body. */
import type { FieldValidation } from './write-parameters.ts';

const yamlPrefix = /^(?:error converting YAML to JSON: )?yaml: unmarshal errors:\n/;

/** @param refuse throws, with all problems in one text */
export function reportProblems(
  problems: readonly string[],
  validation: FieldValidation,
  warn: (text: string) => void,
  refuse: (text: string) => never,
): void {
  if (problems.length === 0 || validation === 'Ignore') return;
  if (validation === 'Strict') refuse(`strict decoding error: ${problems.join(', ')}`);
  for (const problem of problems) warnings(problem).forEach(warn);
}

/** The YAML parser tells all duplicate keys in one text, one a line; each is a warning of its own. */
export function warnings(problem: string): string[] {
  const rest = problem.replace(yamlPrefix, '');
  return rest === problem ? [problem] : rest.split('\n').map((line) => line.trim());
}
