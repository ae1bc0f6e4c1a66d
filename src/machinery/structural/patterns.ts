/** Patterns in schemas. Node's own regular expressions are another dialect, and some patterns make them run for hours. */
import type { RE2JS } from 're2js';
import { CpuLimit } from '../cpu-limit.ts';
import { compileRegex, watchedText } from '../regex-engine.ts';

const compiled = new Map<string, RE2JS | string>();
const maxKept = 1000;

function compile(pattern: string): RE2JS | string {
  let found = compiled.get(pattern);
  if (found === undefined) {
    found = compileRegex(pattern);
    if (compiled.size >= maxKept) compiled.clear();
    compiled.set(pattern, found);
  }
  return found;
}

/** What is wrong with a pattern, in the words of Go's regexp package; undefined when nothing is. */
export function patternProblem(pattern: string): string | undefined {
  if (pattern === '') return undefined;
  const found = compile(pattern);
  return typeof found === 'string' ? found : undefined;
}

/** For all texts of one object. */
const maxCpuMs = 50;
const time = new CpuLimit(maxCpuMs);

class OutOfTime extends Error {}

function look(): void {
  if (time.isOver()) throw new OutOfTime();
}

/** The texts of another object are about to be matched. */
export function startMatching(): void {
  time.restart();
}

/**
 * Whether the pattern occurs in the text. A pattern that cannot be read, which old servers may have let in, matches nothing.
 * Undefined when the texts of the object have taken too long.
 */
export function matchesPattern(pattern: string, text: string): boolean | undefined {
  const found = compile(pattern);
  if (typeof found === 'string') return false;
  try {
    look();
    return found.test(watchedText(text, found, look));
  } catch (error) {
    if (error instanceof OutOfTime) return undefined;
    throw error;
  }
}
