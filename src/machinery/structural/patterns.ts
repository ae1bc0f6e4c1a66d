/** Patterns in schemas. Node's own regular expressions are another dialect, and some patterns make them run for hours. */
import type { RE2JS } from 're2js';
import { regexEngine } from '../regex-engine.ts';

const compiled = new Map<string, RE2JS>();
const maxKept = 1000;

function compile(pattern: string): RE2JS {
  let found = compiled.get(pattern);
  if (found === undefined) {
    found = regexEngine().RE2JS.compile(pattern);
    if (compiled.size >= maxKept) compiled.clear();
    compiled.set(pattern, found);
  }
  return found;
}

/** What is wrong with a pattern, in the words of Go's regexp package; undefined when nothing is. */
export function patternProblem(pattern: string): string | undefined {
  if (pattern === '') return undefined;
  try {
    compile(pattern);
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
}

/** Whether the pattern occurs in the text. A pattern that cannot be read, which old servers may have let in, matches nothing. */
export function matchesPattern(pattern: string, text: string): boolean {
  return patternProblem(pattern) === undefined && compile(pattern).matcher(text).find();
}
