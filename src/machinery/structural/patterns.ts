/**
 * Patterns in schemas. Node's own regular expressions are another dialect, and some patterns make them run for hours.
 */
import { CpuLimit } from '../cpu-limit.ts';
import { regexCache } from '../regex-cache.ts';
import { watchedText } from '../regex-engine.ts';

/** What is wrong with a pattern, in the words of Go's regexp package; undefined when nothing is. */
export function patternProblem(pattern: string): string | undefined {
  if (pattern === '') return undefined;
  const found = regexCache.get(pattern);
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
 * Whether the pattern occurs in the text. A pattern that cannot be read, which old servers may have let in, matches
 * nothing. Undefined when the texts of the object have taken too long.
 */
export function matchesPattern(pattern: string, text: string): boolean | undefined {
  try {
    const found = regexCache.get(pattern, look);
    if (typeof found === 'string') return false;
    look();
    return found.test(watchedText(text, found, look));
  } catch (error) {
    if (error instanceof OutOfTime) return undefined;
    throw error;
  }
}
