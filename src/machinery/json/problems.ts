/** Upstream stops collecting there. */
const maxProblems = 100;

/**
 * Nor are more characters collected: a long name in the path of a hundred problems would make an answer of a hundred
 * times the body. The first problem is told at any length.
 */
const maxCharacters = 64 * 1024;

/** What strict decoding refuses, in the order of the text. */
export class ProblemList {
  readonly #texts: string[] = [];
  readonly #known: Set<string> | undefined;
  #characters = 0;

  /** @param unique whether a problem is told once */
  constructor(unique: boolean) {
    this.#known = unique ? new Set() : undefined;
  }

  get length(): number {
    return this.#texts.length;
  }

  get isFull(): boolean {
    return this.#texts.length >= maxProblems || this.#characters >= maxCharacters;
  }

  add(text: string): void {
    if (this.isFull || this.#known?.has(text) === true) return;
    this.#texts.push(text);
    this.#known?.add(text);
    this.#characters += text.length;
  }

  /** Drops all behind the first `length`. */
  truncate(length: number): void {
    while (this.#texts.length > length) {
      const text = this.#texts.pop()!;
      this.#known?.delete(text);
      this.#characters -= text.length;
    }
  }

  slice(start = 0): string[] {
    return this.#texts.slice(start);
  }
}
