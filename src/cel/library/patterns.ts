/** Regular expressions of users run in linear time (RE2), whatever the pattern and the text are. */
import type { RE2JS } from 're2js';
import { regexCache } from '../../machinery/regex-cache.ts';
import { maxRegexSize, regexSize, watchedText } from '../../machinery/regex-engine.ts';
import { CelError } from '../values/values.ts';
import { look, work } from '../values/evaluation-limit.ts';
import * as search from './search.ts';

/** Each match starts the search anew. */
const stepsPerMatch = 60;
/** A part of a pattern takes so much to compile. */
const stepsPerPart = 40;
/** While the engine is at work the clock is looked at less often. */
const maxStepsPerText = 1000;

export class Pattern {
  readonly #re: RE2JS;

  constructor(re: RE2JS) {
    this.#re = re;
  }

  test(text: string): boolean {
    return this.#re.test(this.#watched(text));
  }

  /** The first match, or undefined. */
  find(text: string): string | undefined {
    const matcher = this.#re.matcher(this.#watched(text));
    return matcher.find() ? (matcher.group() ?? undefined) : undefined;
  }

  /** At most `limit` matches; all when it is negative. */
  findAll(text: string, limit: number): string[] {
    const found: string[] = [];
    const matcher = this.#re.matcher(this.#watched(text));
    while (found.length !== limit && matcher.find()) {
      work(stepsPerMatch);
      found.push(matcher.group() ?? '');
    }
    return found;
  }

  #watched(text: string): string {
    work(stepsPerMatch + Math.min(maxStepsPerText, (text.length * this.#re.programSize()) / 50));
    return watchedText(text, this.#re, look, search.indexOf);
  }
}

/** The compiled pattern, or an error in the words of Go's regexp package. Remembered. */
export function pattern(expression: string): Pattern | CelError {
  const re = regexCache.get(expression, () => beforeCompiling(expression));
  return typeof re === 'string' ? new CelError(re) : new Pattern(re);
}

function beforeCompiling(expression: string): void {
  work(Math.min(regexSize(expression), maxRegexSize) * stepsPerPart);
  // The first ones take much longer than the others.
  look();
}
