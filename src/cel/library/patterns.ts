/** Regular expressions of users run in linear time (RE2), whatever the pattern and the text are. */
import type { RE2JS } from 're2js';
import { regexEngine } from '../../machinery/regex-engine.ts';
import { CelError } from '../values/values.ts';
import { work } from '../values/work.ts';

export interface Pattern {
  test(text: string): boolean;
  /** The first match, or undefined. */
  find(text: string): string | undefined;
  /** At most `limit` matches; all when it is negative. */
  findAll(text: string, limit: number): string[];
}

/** Each match starts the search anew. */
const stepsPerMatch = 60;

const compiled = new Map<string, Pattern | CelError>();
const maxRemembered = 1000;

/** The compiled pattern, or an error in the words of Go's regexp package. Remembered. */
export function pattern(expression: string): Pattern | CelError {
  const known = compiled.get(expression);
  if (known !== undefined) return known;
  if (compiled.size >= maxRemembered) compiled.clear();
  const made = make(expression);
  compiled.set(expression, made);
  return made;
}

/** @NOTE differs from upstream: a pattern longer than anyone writes is refused instead of being compiled. */
const maxPatternLength = 10_000;

function make(expression: string): Pattern | CelError {
  if (expression.length > maxPatternLength) return new CelError(`error parsing regexp: expression has more than ${maxPatternLength} characters`);
  const engine = regexEngine();
  try {
    const re = engine.RE2JS.compile(expression);
    return { test: (text) => re.test(text), find: (text) => findIn(re, text), findAll: (text, limit) => findAllIn(re, text, limit) };
  } catch (error) {
    if (error instanceof engine.RE2JSSyntaxException) return new CelError(error.message);
    throw error;
  }
}

function findIn(re: RE2JS, text: string): string | undefined {
  const matcher = re.matcher(text);
  return matcher.find() ? matcher.group() ?? undefined : undefined;
}

function findAllIn(re: RE2JS, text: string, limit: number): string[] {
  const found: string[] = [];
  const matcher = re.matcher(text);
  while (found.length !== limit && matcher.find()) {
    work(stepsPerMatch);
    found.push(matcher.group() ?? '');
  }
  return found;
}
