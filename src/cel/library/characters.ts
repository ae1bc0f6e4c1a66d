/** Texts are made of code points, JavaScript's of UTF-16 units; they differ only where surrogates are. */
import { work } from '../values/evaluation-limit.ts';

const surrogate = /[\ud800-\udfff]/;

function hasSurrogates(text: string): boolean {
  work(text.length / 64);
  return surrogate.test(text);
}

/** Whether a pair of surrogates ends with the unit. */
const endsPair = (text: string, unit: number): boolean =>
  (text.charCodeAt(unit) & 0xfc00) === 0xdc00 && unit > 0 && (text.charCodeAt(unit - 1) & 0xfc00) === 0xd800;

export function lengthInCharacters(text: string): number {
  return hasSurrogates(text) ? countCharacters(text, text.length) : text.length;
}

function countCharacters(text: string, end: number): number {
  work(end / 10);
  let count = end;
  for (let i = 1; i < end; i++) if (endsPair(text, i)) count--;
  return count;
}

/** A text as a list of its characters. */
export function charactersOf(text: string): string[] {
  work(text.length * 3);
  return [...text];
}

/** A text that can be asked by the number of a character. */
export class Characters {
  readonly length: number;
  readonly #text: string;
  readonly #isWide: boolean;

  constructor(text: string) {
    this.#text = text;
    this.#isWide = hasSurrogates(text);
    this.length = this.#isWide ? countCharacters(text, text.length) : text.length;
  }

  at(index: number): string {
    return this.slice(index, index + 1);
  }

  slice(start: number, end = this.length): string {
    return this.#text.slice(this.unitOfIndex(start), this.unitOfIndex(end));
  }

  /** From an offset in UTF-16 units. */
  indexOfUnit(unit: number): number {
    return unit < 0 || !this.#isWide ? unit : countCharacters(this.#text, unit);
  }

  /** To an offset in UTF-16 units. */
  unitOfIndex(index: number): number {
    if (!this.#isWide) return index;
    work(index / 10);
    let unit = 0;
    for (let left = index; left > 0 && unit < this.#text.length; left--) unit += endsPair(this.#text, unit + 1) ? 2 : 1;
    return unit;
  }
}
