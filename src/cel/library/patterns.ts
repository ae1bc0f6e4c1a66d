/** Regular expressions of users run in linear time (RE2), whatever the pattern and the text are. */
import type { RE2JS } from 're2js';
import { compileRegex, maxRegexSize, regexSize, watchedText } from '../../machinery/regex-engine.ts';
import { CelError } from '../values/values.ts';
import { look, work } from '../values/work.ts';
import * as search from './search.ts';

export interface Pattern {
  test(text: string): boolean;
  /** The first match, or undefined. */
  find(text: string): string | undefined;
  /** At most `limit` matches; all when it is negative. */
  findAll(text: string, limit: number): string[];
}

/** Each match starts the search anew. */
const stepsPerMatch = 60;
/** A part of a pattern takes so much to compile. */
const stepsPerPart = 40;
/** While the engine is at work the clock is looked at less often. */
const maxStepsPerText = 1000;

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

function make(expression: string): Pattern | CelError {
  work(Math.min(regexSize(expression), maxRegexSize) * stepsPerPart);
  const re = compileRegex(expression);
  if (typeof re === 'string') return new CelError(re);
  const size = re.programSize();
  const watched = (text: string): string => {
    work(stepsPerMatch + Math.min(maxStepsPerText, text.length * size / 50));
    return watchedText(text, re, look, search.indexOf);
  };
  return { test: (text) => re.test(watched(text)), find: (text) => findIn(re, watched(text)), findAll: (text, limit) => findAllIn(re, watched(text), limit) };
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
