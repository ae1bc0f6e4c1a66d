/** Texts are made of code points, JavaScript's of UTF-16 units; they differ only where surrogates are. */
import { work } from '../values/work.ts';

const surrogate = /[\ud800-\udfff]/;

export const hasSurrogates = (text: string): boolean => surrogate.test(text);

export function lengthInCharacters(text: string): number {
  if (!surrogate.test(text)) return text.length;
  let length = text.length;
  for (let i = 1; i < text.length; i++) if ((text.charCodeAt(i) & 0xfc00) === 0xdc00 && (text.charCodeAt(i - 1) & 0xfc00) === 0xd800) length--;
  return length;
}

function codePoints(text: string): string[] {
  work(text.length);
  return [...text];
}

/** A text that can be asked by the number of a character. */
export class Characters {
  readonly length: number;
  private readonly text: string;
  private readonly points: readonly string[] | undefined;

  constructor(text: string) {
    this.text = text;
    this.points = surrogate.test(text) ? codePoints(text) : undefined;
    this.length = this.points?.length ?? text.length;
  }

  at(index: number): string {
    return this.points === undefined ? this.text.charAt(index) : this.points[index] ?? '';
  }

  slice(start: number, end?: number): string {
    return this.points === undefined ? this.text.slice(start, end) : this.points.slice(start, end).join('');
  }

  /** From an offset in UTF-16 units. */
  indexOfUnit(unit: number): number {
    return unit < 0 || this.points === undefined ? unit : [...this.text.slice(0, unit)].length;
  }

  /** To an offset in UTF-16 units. */
  unitOfIndex(index: number): number {
    return this.points === undefined ? index : this.points.slice(0, index).join('').length;
  }
}
