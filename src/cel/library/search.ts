/**
 * Where a text occurs in another. JavaScript's own search is quick, but for some texts it takes the product of their
 * lengths; long parts of long texts are looked for by Knuth, Morris and Pratt's way, which takes the sum.
 */
import { work } from '../values/evaluation-limit.ts';

const longPart = 16;
const longProduct = 2 ** 18;
/** A step of work is four units. */
const unitsBetweenLooks = 4096;
const isLong = (length: number, part: string): boolean => part.length >= longPart && length * part.length > longProduct;

/** Like the method of texts. */
export function indexOf(text: string, part: string, from = 0): number {
  const long = isLong(text.length - from, part);
  const at = long ? scan(text, part, from, 1) : text.indexOf(part, from);
  if (long) return at < 0 ? at : at - part.length + 1;
  work(((at < 0 ? text.length : at + part.length) - from) / 64);
  return at;
}

/** Like the method of texts. */
export function lastIndexOf(text: string, part: string, from = text.length): number {
  const end = Math.min(text.length, from + part.length);
  if (!isLong(end, part)) {
    work(end / 8);
    return text.lastIndexOf(part, from);
  }
  return scan(text, part, end - 1, -1);
}

/** Like the method of texts, for a separator that is not empty. After `limit` parts the rest is the last one. */
export function split(text: string, separator: string, limit = Infinity): string[] {
  const parts: string[] = [];
  let from = 0;
  while (parts.length + 1 < limit) {
    const at = indexOf(text, separator, from);
    if (at < 0) break;
    work(2);
    parts.push(text.slice(from, at));
    from = at + separator.length;
  }
  parts.push(text.slice(from));
  return parts;
}

/**
 * The text with each match replaced. Like the method of texts with a function, which finds all matches before it calls
 * the function once.
 *
 * @param pattern with the flag `g`
 * @param steps of work by match
 */
export function replaceEach(
  text: string,
  pattern: RegExp,
  steps: number,
  by: (match: RegExpExecArray) => string,
): string {
  work(text.length / 16);
  let replaced = '';
  let from = 0;
  pattern.lastIndex = 0;
  for (let match = pattern.exec(text); match !== null; match = pattern.exec(text)) {
    work(steps);
    replaced += text.slice(from, match.index) + by(match);
    from = match.index + match[0].length;
    // What is called may have used the same pattern.
    pattern.lastIndex = from;
  }
  return from === 0 ? text : replaced + text.slice(from);
}

/** The last unit of the first occurrence in the direction of `step`; -1 when there is none. */
function scan(text: string, part: string, start: number, step: 1 | -1): number {
  const first = step > 0 ? 0 : part.length - 1;
  const borders = bordersOf(part, first, step);
  for (let i = start, matched = 0; i >= 0 && i < text.length; i += step) {
    if (i % unitsBetweenLooks === 0) work(unitsBetweenLooks / 4);
    const unit = text.charCodeAt(i);
    while (matched > 0 && part.charCodeAt(first + step * matched) !== unit) matched = borders[matched - 1]!;
    if (part.charCodeAt(first + step * matched) === unit) matched++;
    if (matched === part.length) return i;
  }
  return -1;
}

/** For each beginning of the part, how long a beginning it ends with. */
function bordersOf(part: string, first: number, step: 1 | -1): Int32Array {
  work(part.length / 4);
  const borders = new Int32Array(part.length);
  for (let i = 1, matched = 0; i < part.length; i++) {
    const unit = part.charCodeAt(first + step * i);
    while (matched > 0 && part.charCodeAt(first + step * matched) !== unit) matched = borders[matched - 1]!;
    if (part.charCodeAt(first + step * matched) === unit) matched++;
    borders[i] = matched;
  }
  return borders;
}
