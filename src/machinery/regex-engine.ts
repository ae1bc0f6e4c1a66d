/**
 * The engine for regular expressions that users bring: Go's dialect (RE2), in time linear in the text, whatever the
 * pattern. Loading it takes 20 ms, which a server without patterns need not wait for.
 * @see {@link https://github.com/google/re2/wiki/Syntax | RE2 syntax}
 */
import { createRequire } from 'node:module';
import type * as engine from 're2js';

const load = createRequire(import.meta.url);
let loaded: typeof engine | undefined;

const regexEngine = (): typeof engine => (loaded ??= load('re2js') as typeof engine);

/** The pattern, or what is wrong with it, in the words of Go's regexp package. */
export function compileRegex(pattern: string): engine.RE2JS | string {
  if (regexSize(pattern) > maxRegexSize) return tooLarge;
  const { RE2JS, RE2JSSyntaxException } = regexEngine();
  try {
    const compiled = RE2JS.compile(pattern);
    return compiled.programSize() > maxRegexSize * instructionsPerPart ? tooLarge : compiled;
  } catch (error) {
    if (error instanceof RE2JSSyntaxException) return error.message;
    throw error;
  }
}

/**
 * Compiling takes some microseconds for each part of a pattern, and a part with a count is compiled as often as it may
 * occur.
 *
 * @NOTE differs from upstream: Go's limit is some hundred times as large.
 */
export const maxRegexSize = 5000;

/** No part makes more, counts aside. */
const instructionsPerPart = 4;
const tooLarge = 'error parsing regexp: expression too large';

/** A class of Unicode has hundreds of ranges. */
const unicodeSize = 50;
const token = new RegExp(
  [
    /\[:\^?\w+:\]|\[\^?\]?/, // a class by name, the start of a class
    /\\Q[^]*?(?:\\E|$)|\\[pPx](?:\{[^}]*\}|[^])?|\\[^]/, // a quotation, an escape
    /\((?:\?(?:P?<[^>]*>|[\w-]*[:)]?))?/, // the start of a group, or flags
    /\{(\d+)(?:,(\d*))?\}|[^]/, // a repetition, any other character
  ]
    .map(({ source }) => source)
    .join('|'),
  'gu',
);

function sizeOf(part: string): number {
  if (part.startsWith('\\Q')) return part.length;
  return /^\\[pP]/.test(part) ? unicodeSize : 1;
}

/**
 * How many parts a pattern has when its counts are written out: at least as many as the engine makes of it, but for a
 * small factor.
 */
export function regexSize(pattern: string): number {
  // The sizes of open groups, the last part of each last.
  const groups: { size: number; last: number }[] = [{ size: 0, last: 0 }];
  let inClass = false;
  const add = (size: number): void => {
    const group = groups.at(-1)!;
    group.size += group.last;
    group.last = size;
  };
  for (const [part, least, most] of pattern.matchAll(token)) {
    if (inClass) {
      groups.at(-1)!.last += sizeOf(part);
      inClass = part !== ']';
    } else if (part.startsWith('[') && !part.startsWith('[:')) {
      inClass = true;
      add(1);
    } else if (part.startsWith('(') && !part.endsWith(')')) groups.push({ size: 0, last: 0 });
    else if (part === ')' && groups.length > 1) {
      const { size: before, last } = groups.pop()!;
      add(before + last + 2);
    } else if (least !== undefined) groups.at(-1)!.last *= Math.max(1, Number(least), Number(most ?? 0));
    else add(sizeOf(part));
    if (groups.length + groups.at(-1)!.last + groups.at(-1)!.size > maxRegexSize) return Infinity;
  }
  return groups.reduce((sum, { size, last }) => sum + size + last, 0);
}

/** Instructions of a pattern times characters of a text, between two looks at the clock. */
const stepsBetweenLooks = 50_000;

/**
 * The text for the engine. It is read through as many times as there are characters, and each time `look` may end it
 * all by throwing.
 *
 * @param indexOf finds a text in another
 */
export function watchedText(
  text: string,
  pattern: engine.RE2JS,
  look: () => void,
  indexOf = (whole: string, part: string, from?: number): number => whole.indexOf(part, from),
): string {
  return new WatchedText(
    text,
    Math.ceil(stepsBetweenLooks / pattern.programSize()),
    look,
    indexOf,
  ) as unknown as string;
}

/**
 * What the engine asks of a text.
 *
 * No `extends String`: once an object has the prototype of texts behind it, V8 calls `charCodeAt` of every text in the
 * process, and writing JSON takes twice the time.
 */
class WatchedText {
  /** The engine takes nothing else. */
  readonly [Symbol.toStringTag] = 'String';
  readonly length: number;
  readonly #text: string;
  readonly #between: number;
  #left: number;
  readonly #look: () => void;
  readonly #find: (whole: string, part: string, from?: number) => number;

  constructor(
    text: string,
    between: number,
    look: () => void,
    find: (whole: string, part: string, from?: number) => number,
  ) {
    this.length = text.length;
    this.#text = text;
    this.#between = between;
    this.#left = between;
    this.#look = look;
    this.#find = find;
  }

  charCodeAt(index: number): number {
    if (--this.#left < 0) {
      this.#left = this.#between;
      this.#look();
    }
    return this.#text.charCodeAt(index);
  }

  /** Of what was found. */
  substring(from: number, to?: number): string {
    return this.#text.substring(from, to);
  }

  indexOf(part: string, from?: number): number {
    return this.#find(this.#text, part, from);
  }
}
